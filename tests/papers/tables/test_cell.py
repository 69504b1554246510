"""What follows from one number of a table: its error, its splits, and how its runs are made."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import t

from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.protocol import Protocol
from allpass.papers.tables.spec import read_spec

COLUMN = Column("Texas", "texas", Protocol())
CELL = Cell("GCN", COLUMN, "gcn", published=(80.0, 3.0))


def test_the_error_of_a_printed_mean_goes_by_what_stands_behind_it() -> None:
    assert CELL.error_of(CELL.published) == pytest.approx(1.0)  # divided by nine, as the deviation is by ten
    sample = replace(CELL, changes={"deviation": "sample"})
    assert (sample.spread, sample.error_of((80.0, 3.0))) == ("sample", pytest.approx(3 / math.sqrt(10)))
    interval = replace(CELL, interval=True, runs=100)
    assert interval.error_of((80.0, 3.0)) == pytest.approx(3 / t.isf(0.025, 99))
    assert math.isnan(CELL.error_of((80.0,)))


def test_splits_of_the_source_are_those_of_files_and_those_found_again() -> None:
    assert not CELL.on_splits_of_source
    assert replace(CELL, drawn={"name": "acm-search", "skip": 3}).on_splits_of_source
    for spec, row, column, found in (
        ("acm-fixed", "ACM-GCN", "Film", True),
        ("acm-deezer", "ACM-GCN", "Deezer-Europe", True),
        ("acm-random", "ACM-GCN", "Film", True),
        ("acm-random", "GCNII", "Film", False),
        ("table1", "GCN", "Cora 1%", False),
    ):
        assert read_spec(spec).cell(row, column).on_splits_of_source is found, (spec, row)


def test_a_variant_is_a_printed_number_with_something_changed() -> None:
    assert not CELL.variant
    changed = replace(CELL, searched=False, against="GCN")
    assert changed.variant
    assert not replace(changed, published=()).variant  # a row of its own that is read against another


def test_honest_numbers_are_of_corrected_data_and_keep_what_the_row_changes() -> None:
    corrected = Column("Texas", "texas-4", Protocol(unlabelled="missing"))
    cell = replace(
        CELL,
        column=replace(COLUMN, corrected=corrected),
        changes={"select": "final", "scaling": "none"},
        row_changes={"scaling": "none"},
    )
    assert cell.column.honest is corrected
    assert (cell.protocol.select, cell.protocol.scaling) == ("final", "none")
    assert (cell.honest_protocol.select, cell.honest_protocol.scaling) == ("lowest-val-loss", "none")
