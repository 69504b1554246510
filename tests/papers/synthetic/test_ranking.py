"""Rank correlations against SciPy, and intervals that hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from allpass.papers.synthetic.ranking import lead, spearman


def test_it_is_the_correlation_of_scipy_with_ties_too() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 6, size=(2, 15)).astype(float)
        assert float(spearman(a, b)) == pytest.approx(spearmanr(a, b).statistic)


def test_what_does_not_vary_has_no_rank() -> None:
    assert np.isnan(spearman(np.ones(5), np.arange(5.0)))


def test_an_interval_holds_the_true_difference_as_often_as_it_says() -> None:
    """Levels are drawn from a population in which the correlations are known from very many of them."""
    rng = np.random.default_rng(1)

    def study(levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        accuracy = rng.normal(size=(levels, 1))
        return (
            accuracy + rng.normal(size=accuracy.shape),
            accuracy + 2 * rng.normal(size=accuracy.shape),
            accuracy,
        )

    near, far, accuracy = study(100_000)
    truth = float(spearman(near[:, 0], accuracy[:, 0]) - spearman(far[:, 0], accuracy[:, 0]))
    held = 0
    for _ in range(100):
        value, low, high = lead(*study(40))
        assert low <= value <= high
        held += low <= truth <= high
    assert 86 <= held


def test_the_same_seed_gives_the_same_interval() -> None:
    rng = np.random.default_rng(2)
    first, second, accuracy = rng.normal(size=(3, 20, 4))
    assert lead(first, second, accuracy) == lead(first, second, accuracy)
    assert lead(first, second, accuracy) != lead(first, second, accuracy, seed=1)
