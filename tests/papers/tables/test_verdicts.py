"""A printed number against ours: SciPy's own tests have to agree with every interval and every word."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp, ttest_ind_from_stats

from allpass.papers.tables.verdicts import AGREES, BETTER, INCOMPARABLE, WORSE, Spread, error_of, verdict

SEEDS = st.integers(0, 2**32 - 1)
SPREADS = st.sampled_from(["population", "sample", "interval"])


def scores(seed: int, runs: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.normal(generator.uniform(60, 90), generator.uniform(0.1, 5), runs)


def word(difference: float, error: float) -> str:
    if abs(difference) <= 2 * error:
        return AGREES
    return BETTER if difference > 0 else WORSE


@given(seed=SEEDS, ours=st.integers(2, 12), theirs=st.integers(2, 12), spread=SPREADS)
def test_the_interval_is_that_of_welch(seed: int, ours: int, theirs: int, spread: Spread) -> None:
    values, printed = scores(seed, ours), scores(seed + 1, theirs)
    behind = {
        "population": printed.std(),
        "sample": printed.std(ddof=1),
        "interval": np.diff(ttest_1samp(printed, 0.0).confidence_interval())[0] / 2,
    }[spread]
    found = verdict(values, [printed.mean(), behind], runs=theirs, spread=spread)

    def p(shift: float) -> float:
        ours_told = values.mean() - shift, values.std(ddof=1), ours
        theirs_told = printed.mean(), printed.std(ddof=1), theirs
        return float(ttest_ind_from_stats(*ours_told, *theirs_told, equal_var=False).pvalue)

    assert found.difference == pytest.approx(values.mean() - printed.mean())
    assert found.low < found.difference < found.high
    assert p(found.low) == pytest.approx(0.05)
    assert p(found.high) == pytest.approx(0.05)
    error = np.hypot(values.std(ddof=1) / np.sqrt(ours), printed.std(ddof=1) / np.sqrt(theirs))
    assert found.word == word(found.difference, error)


@given(seed=SEEDS, ours=st.integers(2, 12), theirs=st.integers(2, 12), printed=st.floats(60, 90))
def test_without_a_deviation_their_runs_differ_as_ours_do(
    seed: int, ours: int, theirs: int, printed: float
) -> None:
    values = scores(seed, ours)
    found = verdict(values, [printed], runs=theirs)
    error = values.std(ddof=1) * np.sqrt(1 / ours + 1 / theirs)
    for end in (found.low, found.high):
        assert 2 * student.sf(abs(values.mean() - printed - end) / error, ours - 1) == pytest.approx(0.05)
    assert found.word == word(found.difference, error)


def test_ours_may_be_exact_too() -> None:
    theirs = np.array([70.0, 72.0, 77.0])
    found = verdict([75.0] * 5, [theirs.mean(), theirs.std()], runs=3)
    for end in (found.low, found.high):
        assert ttest_1samp(theirs + end, 75.0).pvalue == pytest.approx(0.05)


def test_a_deviation_that_was_divided_by_n_means_a_larger_error() -> None:
    by_count, by_less = (
        verdict([72.0, 72.0], [60.0, 3.0], runs=4, spread=spread) for spread in ("population", "sample")
    )
    assert by_count.low < by_less.low
    assert by_count.high > by_less.high


@pytest.mark.parametrize(
    ("ours", "theirs", "runs"),
    [
        ([80.0], [70.0], 10),
        ([80.0], [70.0, 2.0], 10),
        ([80.0, 81.0], [70.0, 2.0], 1),
        ([80.0, 80.0], [70.0], 10),
        ([math.nan, 80.0], [70.0, 2.0], 10),
    ],
    ids=["one run", "one run, a deviation", "one printed run", "no spread at all", "no number"],
)
def test_without_a_spread_there_is_no_interval(ours: list[float], theirs: list[float], runs: int) -> None:
    found = verdict(ours, theirs, runs=runs)
    assert found.difference == pytest.approx(np.mean(ours) - theirs[0], nan_ok=True)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.word == INCOMPARABLE


def test_the_very_same_number_agrees_without_an_interval() -> None:
    assert verdict([70.0], [70.0]).word == AGREES
    assert verdict([70.0, 70.0], [70.0]).word == AGREES


def test_one_run_has_no_error() -> None:
    assert math.isnan(error_of(3.0, 1, "interval"))
