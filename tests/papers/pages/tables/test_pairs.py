from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_ind, ttest_rel
from tests.papers.pages.invented import row_of

from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.pairs import Ahead, Mean, difference, mean_of
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")


def sampled(name: str, scores: NDArray[np.float64], splits: str = "") -> Mean:
    error = scores.std(ddof=1) / len(scores) ** 0.5
    return Mean(name, scores.mean(), 0.0, error, len(scores), splits, tuple(scores))


def test_the_interval_is_that_of_pairs_on_the_same_splits_and_of_two_samples_on_others() -> None:
    first, second = np.random.default_rng(0).normal([[80.0], [79.0]], [[1.0], [2.0]], size=(2, 12))
    of_pairs = difference(sampled("a", first, "random"), sampled("b", second, "random"))
    assert of_pairs.points == pytest.approx((first - second).mean())
    assert of_pairs.interval == pytest.approx(tuple(ttest_rel(first, second).confidence_interval()))
    for one, two in ((second, "others"), (second[:7], "random"), (second, "")):
        found = difference(sampled("a", first, "random"), sampled("b", one, two))
        welch = ttest_ind(first, one, equal_var=False).confidence_interval()
        assert found.interval == pytest.approx(tuple(welch))


def test_printed_deviations_give_an_interval_too() -> None:
    """That of samples which have just these means and deviations, of a population as the source has them."""
    pattern = np.array([-1.0, 1.0] * 5)
    film = [SPEC.cell(row, "Film") for row in ("ACM-GCN", "GCN")]
    results = Results(TableStudy(SPEC), [])
    found = difference(*(mean for cell in film if (mean := mean_of(results, cell, "published"))))
    samples = [cell.published[0] + cell.published[1] * pattern for cell in film]
    welch = ttest_ind(*samples, equal_var=False).confidence_interval()
    assert found.interval == pytest.approx(tuple(welch))


def test_differences_without_errors_have_no_interval() -> None:
    assert str(difference(Mean("a", 3.0), Mean("b", 1.0))) == "+2.00"
    assert str(difference(sampled("a", np.array([2.0, 4.0])), Mean("b", 1.0))) == "+2.00"
    broken = Mean("a", 3.0, runs=2, splits="random", scores=(2.0, float("nan")))
    assert str(difference(broken, sampled("b", np.array([1.0, 1.0]), "random"))) == "+2.00"


@pytest.mark.parametrize(
    ("interval", "side", "text"),
    [
        ((0.5, 1.5), 1, "+1.00 [+0.50, +1.50]"),
        ((-0.5, 2.5), 0, "+1.00 [−0.50, +2.50]"),
        ((-3.0, -1.0), -1, "+1.00 [−3.00, −1.00]"),
        (None, 0, "+1.00"),
    ],
)
def test_a_difference_is_told_with_its_interval(interval, side, text) -> None:
    ahead = Ahead(1.0, interval)
    assert ahead.side == side
    assert str(ahead) == text


def test_numbers_of_a_place() -> None:
    cell = SPEC.cell("ACM-GCN", "Film")
    assert cell.has_fresh
    chosen, fresh = row_of(cell, "same", [40.0, 42.0]), row_of(cell, "fresh", [39.0, 40.0])
    results = Results(TableStudy(SPEC), [{**chosen, "majority": 41.0}])
    published = mean_of(results, cell, "published")
    assert published is not None
    assert (published.mean, published.deviation, published.learns) == (*cell.published, True)
    ours = mean_of(results, cell, "same")
    assert ours is not None
    assert (ours.mean, ours.scores, ours.learns) == (41.0, (40.0, 42.0), False)
    other = mean_of(Results(TableStudy(SPEC), [chosen, fresh]), cell, "same")
    assert other is not None
    assert other.mean == 39.5  # on the splits that all rows share
    assert other.splits != ours.splits
    assert mean_of(results, cell, "honest") is None
    assert mean_of(results, None, "published") is None
