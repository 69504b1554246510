from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.papers.pages.invented import row_of

from allpass.papers.pages.tables.best_of import best_among, best_of
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.chance import Chance
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)
SEEDS = SPEC.cell(
    "ACM-GCN++", "Texas"
)  # on the splits of the source; a grid with rates and the structure channel
SPLITS = SPEC.cell("ACM-GCNII", "Squirrel")  # whose splits are not known
MEANS = [91.0, 92.0, 93.0, 92.0]


def test_by_seeds_on_the_splits_of_the_source() -> None:
    same, again = row_of(SEEDS, "same", [90.0, 91.0]), row_of(SEEDS, "again", MEANS)
    found = Chance.of(Results(STUDY, [same, again]), SEEDS, same)
    assert found is not None
    assert (found.printed, found.worth, found.seeds, found.tried) == (95.41, 92.0, 4, 4 * 9 * 10 * 2)
    deviation = float(np.std(MEANS, ddof=1))
    assert (found.error, found.own) == pytest.approx((deviation, deviation / 2))
    assert found.settings == pytest.approx(best_among((95.41 - 92.0) / (deviation * math.sqrt(1.25))))
    assert found.told().startswith(
        f"4 means of other seeds on these splits give 92.00 ± {deviation:.2f}. By chance the best of "
    )
    assert Chance.of(Results(STUDY, [same]), SEEDS, same) is None


def test_by_splits_where_those_of_the_source_are_not_known() -> None:
    scores = [39.0, 41.0] * 25
    row = row_of(SPLITS, "same", scores)
    found = Chance.of(Results(STUDY, [row]), SPLITS, row)
    assert found is not None
    deviation = float(np.std(scores, ddof=1))
    assert (found.error, found.own) == pytest.approx((deviation / 10**0.5, deviation / 50**0.5))
    assert (found.worth, found.seeds, found.tried) == (40.0, 0, 4 * 3 * 5 * 9)
    assert found.told().startswith("By chance the best of ")
    alone = row_of(SPLITS, "same", [40.0])
    assert Chance.of(Results(STUDY, [alone]), SPLITS, alone) is None


def test_it_is_enough_where_the_source_tried_as_many() -> None:
    lucky = Chance(printed=best_of(100), worth=0.0, own=0.0, error=1.0, tried=101)
    assert lucky.enough
    assert not replace(lucky, tried=99).enough
    assert lucky.told() == (
        "By chance the best of 100 equally good settings would be expected to reach what is printed; the published "
        "grid has 101."
    )
    assert replace(lucky, error=0.0).settings == math.inf


def test_settings_that_are_of_another_grid_have_no_known_chance() -> None:
    rival = SPEC.cell("GCN+JK", "Cora")  # with a rate that the grid has not
    row = row_of(rival, "same", [83.0, 84.0, 85.0])
    assert Chance.of(Results(STUDY, [row]), rival, row) is None
