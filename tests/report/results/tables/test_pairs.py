from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from tests.report.results.invented import row_of

from allpass.experiments.tables.spec import read_spec
from allpass.experiments.tables.study import TableStudy
from allpass.report.results.tables.cells import Results
from allpass.report.results.tables.pairs import Ahead, Mean, difference, mean_of

SPEC = read_spec("acm-random")


def test_the_interval_is_that_of_pairs() -> None:
    first, second = np.random.default_rng(0).normal([[80.0], [79.0]], 1.0, size=(2, 12))
    found = difference(
        *(Mean(name, scores.mean(), 0.0, tuple(scores)) for name, scores in (("a", first), ("b", second)))
    )
    assert found.points == pytest.approx((first - second).mean())
    assert found.interval == pytest.approx(tuple(ttest_rel(first, second).confidence_interval()))


def test_differences_without_pairs_have_no_interval() -> None:
    assert str(difference(Mean("a", 3.0), Mean("b", 1.0))) == "+2.00"
    assert str(difference(Mean("a", 3.0, 0, (2.0, 4.0)), Mean("b", 1.0, 0, (1.0,)))) == "+2.00"
    assert str(difference(Mean("a", 3.0, 0, (2.0, float("nan"))), Mean("b", 1.0, 0, (1.0, 1.0)))) == "+2.00"


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
    results = Results(TableStudy(SPEC), [row_of(cell, "same", [40.0, 42.0])])
    assert mean_of(results, cell, "published") == Mean("ACM-GCN", *cell.published)
    ours = mean_of(results, cell, "same")
    assert ours is not None
    assert (ours.mean, ours.scores) == (41.0, (40.0, 42.0))
    assert mean_of(results, cell, "honest") is None
    assert mean_of(results, None, "published") is None
