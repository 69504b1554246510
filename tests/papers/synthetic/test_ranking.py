"""How well a metric ranks accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from allpass.papers.synthetic.ranking import (
    Interval,
    largest_fall,
    leads_here,
    rankings,
    spearman,
    valley,
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_spearman_is_that_of_scipy_with_ties(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, dtype=np.float64).T
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert np.isnan(spearman(first, second))
    else:
        assert float(spearman(first, second)) == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)


def test_many_at_once_are_each_alone() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 4, 9))
    alone = [spearmanr(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert spearman(first, second) == pytest.approx(alone)


def curves(
    levels: int = 20, graphs: int = 10, noise: float = 0.01
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A metric that decides accuracy, one that says nothing of it, and the accuracy."""
    rng = np.random.default_rng(1)
    good = np.linspace(0, 1, levels)[:, None] + noise * rng.normal(size=(levels, graphs))
    blind = rng.permutation(levels)[:, None] / levels + 0 * good
    return good, blind, good**2 + noise * rng.normal(size=good.shape)


def test_a_good_metric_leads_a_blind_one_and_the_interval_says_so() -> None:
    good, blind, accuracy = curves()
    found, lead = rankings({"good": good, "blind": blind}, accuracy, "good")
    assert found["good"].value == pytest.approx(spearmanr(good.mean(1), accuracy.mean(1)).statistic)
    assert found["good"].low <= found["good"].value <= found["good"].high
    assert found["good"].low > 0.9
    assert lead.keys() == {"blind"}
    assert lead["blind"].value == pytest.approx(found["good"].value - found["blind"].value)
    assert lead["blind"].low > 0


def test_a_metric_has_no_lead_over_itself() -> None:
    good, _, accuracy = curves(noise=0.1)
    _, lead = rankings({"good": good, "again": good.copy()}, accuracy, "good")
    assert lead["again"] == (0.0, 0.0, 0.0)  # the same graphs are drawn for both


Study = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_study(rng: np.random.Generator, levels: int, between: float) -> Study:
    """Levels drawn at random, ten graphs of each: a fine metric, one with many ties, and the accuracy."""
    level = rng.random((levels, 1))
    fine, accuracy = rng.normal(scale=0.1, size=(2, levels, 10)) + level
    return fine, (level > 0.6) * level + 0 * fine, accuracy + between * rng.normal(size=(levels, 1))


@pytest.mark.parametrize("between", [0.0, 0.05, 0.3])
def test_of_a_hundred_intervals_about_95_hold_the_truth(between: float) -> None:
    """Over studies that are truly repeated; with 0.0 the first correlation is near 1."""
    rng = np.random.default_rng(2)

    def all_three(study: Study) -> list[Interval]:
        fine, tied, accuracy = study
        found, lead = rankings({"fine": fine, "tied": tied}, accuracy, "fine")
        return [found["fine"], found["tied"], lead["tied"]]

    fine, tied, accuracy = (values.mean(1) for values in random_study(rng, 50_000, between))
    first, second = spearman(fine, accuracy), spearman(tied, accuracy)
    held = np.array(
        [
            [
                one.low <= truth <= one.high
                for one, truth in zip(
                    all_three(random_study(rng, 30, between)), (first, second, first - second), strict=True
                )
            ]
            for _ in range(200)
        ]
    )
    assert (0.88 <= held.mean(0)).all()
    assert 0.91 <= held.mean() <= 0.98


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.2, 1.0])
def test_an_interval_holds_its_own_estimate(noise: float) -> None:
    """Graphs that are drawn within levels would add their noise a second time, and lower a correlation near 1."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        metric = np.linspace(0, 1, 28)[:, None] + np.zeros((28, 10))
        accuracy = np.minimum(metric, 0.8) + noise * rng.normal(size=metric.shape)
        found, _ = rankings({"metric": metric}, accuracy)
        assert found["metric"].low <= found["metric"].value <= found["metric"].high


def test_on_the_same_levels_only_graphs_are_drawn_anew() -> None:
    good, blind, accuracy = curves(graphs=1)
    lead = leads_here({"good": good, "blind": blind}, accuracy, "good")
    assert (
        lead["blind"].low == lead["blind"].high == lead["blind"].value
    )  # one graph a level: nothing to draw
    noisy, blind, accuracy = curves(noise=0.1)
    here = leads_here({"noisy": noisy, "blind": blind}, accuracy, "noisy")["blind"]
    anywhere = rankings({"noisy": noisy, "blind": blind}, accuracy, "noisy")[1]["blind"]
    assert here.value == anywhere.value
    assert 0 < here.high - here.low < anywhere.high - anywhere.low


def test_leads_on_the_same_levels_hold_the_truth() -> None:
    """The levels stay, and their graphs are truly drawn anew."""
    rng, level = np.random.default_rng(3), np.linspace(0, 1, 30)[:, None]
    u, near = np.minimum(1, abs(level - 0.3) / 0.4), np.minimum(1, abs(level - 0.35) / 0.3)
    truth = float(spearman(near[:, 0], u[:, 0]) - spearman(level[:, 0], u[:, 0]))
    held = []
    for _ in range(200):
        noise = rng.normal(scale=0.3, size=(30, 10))
        metrics = {"near": near + 0 * noise, "level": level + 0.03 * rng.normal(size=noise.shape)}
        found = leads_here(metrics, u + noise, "near")["level"]
        held.append(found.low <= truth <= found.high)
    assert 0.9 <= np.mean(held) <= 0.99


def test_the_same_seed_gives_the_same_interval() -> None:
    good, _, accuracy = curves()
    assert rankings({"good": good}, accuracy) == rankings({"good": good}, accuracy)


def test_what_does_not_vary_ranks_nothing() -> None:
    _, _, accuracy = curves()
    found, _ = rankings({"flat": np.ones_like(accuracy)}, accuracy)
    assert np.isnan(found["flat"]).all()


def test_a_valley_is_as_deep_as_its_lower_end_is_high() -> None:
    choosing, telling = (
        np.array([[0.9, 0.9], [0.2, 0.2], [0.7, 0.7]]),
        np.array([[0.9, 0.9], [0.2, 0.4], [0.7, 0.7]]),
    )
    found = valley(np.stack([choosing, telling], axis=2).reshape(3, 4))
    assert found.place == 1
    assert found.depth.value == pytest.approx(0.4)
    assert found.depth.low == pytest.approx(0.3)  # both draws may be the better graph
    assert found.depth.high == pytest.approx(0.5)
    rising = valley(np.array([[0.1], [0.5], [0.9]]))
    assert rising.place == 0
    assert rising.depth == (0, 0, 0)


def test_noise_on_a_flat_curve_is_no_valley() -> None:
    rng = np.random.default_rng(5)
    depths = [valley(rng.normal(size=(28, 10)), seed).depth for seed in range(100)]
    assert np.mean([depth.value for depth in depths]) < 0  # the lower end is the lower of two
    assert sum(depth.low > 0 for depth in depths) <= 7


def test_the_largest_fall_is_found_by_brute_force() -> None:
    rng = np.random.default_rng(3)
    metric, accuracy = rng.normal(size=(2, 12, 3))
    metric[:4] = 0.5  # levels that the metric does not tell apart
    x, y = metric.mean(1), accuracy.mean(1)
    falls = [y[i] - y[j] for i in range(12) for j in range(12) if x[j] > x[i]]
    assert largest_fall(metric, accuracy) == pytest.approx(max(falls))
