"""The measuring functions of the studies of rewards."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.stats import bootstrap

from allpass.papers.rewards import approximate
from allpass.papers.rewards.intervals import difference, mean, saving
from allpass.papers.rewards.tabular import ARMS, learn_grid


@pytest.mark.parametrize("arm", ["none", "harmonic", "dyna-1"])
def test_a_seed_needs_the_same_steps_alone_and_among_others(arm: str) -> None:
    both = learn_grid(ARMS[arm], [3, 4], episodes=6)
    alone = learn_grid(ARMS[arm], [4], episodes=6)
    np.testing.assert_array_equal(both.steps[1], alone.steps[0])
    np.testing.assert_array_equal(both.updates, both.steps.sum(axis=1) * (2 if arm == "dyna-1" else 1))
    assert both.fits.tolist() == ([1, 1] if arm == "harmonic" else [0, 0])


def test_shaping_saves_steps() -> None:
    none, harmonic = (
        learn_grid(ARMS[arm], range(5), episodes=30).steps.sum(axis=1) for arm in ("none", "harmonic")
    )
    assert saving(harmonic, none).low > 0.5


@pytest.mark.parametrize(
    ("name", "arm"), [("doorkey", "gcn"), ("mountaincar", "shuffled"), ("mountaincar", "none")]
)
def test_a_short_run_gives_every_checkpoint(name: str, arm: str) -> None:
    trial = dataclasses.replace(approximate.TRIALS[name], steps=1100)
    found = approximate.curve(trial, arm, 1, checkpoints=2, episodes=2)
    assert [checkpoint.step for checkpoint in found] == [550, 1100]
    assert all(0 <= checkpoint.solved <= 1 for checkpoint in found)
    assert all((checkpoint.solved > 0) == (checkpoint.earned > trial.failure) for checkpoint in found)


def test_intervals_are_those_of_scipy() -> None:
    generator = np.random.default_rng(0)
    ours, base = generator.gamma(3, size=40), 4 + generator.gamma(3, size=40)
    for found, statistic in (
        (saving(ours, base), lambda a, b, axis=-1: 1 - a.mean(axis) / b.mean(axis)),
        (difference(ours, base), lambda a, b, axis=-1: (a - b).mean(axis)),
    ):
        known = bootstrap((ours, base), statistic, paired=True, method="percentile").confidence_interval
        assert found.value == pytest.approx(statistic(ours, base))
        assert [found.low, found.high] == pytest.approx([known.low, known.high], abs=0.03)
    assert mean(ours).value == pytest.approx(ours.mean())
