"""The bar charts are a part of the table of random splits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from allpass.papers.study import Plan
from allpass.papers.tables.bars import STUDY
from allpass.papers.tables.spec import TABLES, read_table
from allpass.papers.tables.study import TableStudy

TABLE = TableStudy(read_table("acm-random"))


def test_it_is_a_part_of_the_table_of_random_splits() -> None:
    asked, whole = (
        {(cell.name, cell.column.name, kind) for cell, kind in study.asked(Plan())}
        for study in (STUDY, TABLE)
    )
    assert asked < whole
    assert {cell.name for cell in STUDY.spec.cells}.isdisjoint({"BernNet", "GCNII", "GCNII*"})
    theirs = [replace(cell, defaults=False) for cell in TABLE.spec.cells]
    assert all(cell in theirs for cell in STUDY.spec.cells)
    assert "acm-bars" not in TABLES


def test_the_printed_gains_follow_from_the_published_means() -> None:
    """The best ACM network minus the best rival, without BernNet."""
    columns = [column.name for column in STUDY.spec.columns]
    assert columns == ["Cornell", "Wisconsin", "Texas", "Chameleon", "Film", "Squirrel"]
    for column, printed in STUDY.charts.gains.items():
        published = STUDY._printed(column)
        best, rival = (
            max(published[row] for row in rows if row in published)
            for rows in (STUDY.charts.augmented, STUDY.charts.rivals)
        )
        assert best - rival == pytest.approx(printed, abs=0.005)
    assert STUDY.charts.left_out["Film"] == 41.79  # BernNet
