from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Table, Text
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.luck import luck
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def test_the_luck_of_splits_is_averaged_over_rows_that_have_both() -> None:
    one, other = SPEC.cell("ACM-GCN", "Texas"), SPEC.cell("ACM-SGC-1", "Texas")
    rows = [
        row_of(one, "same", [94.0, 94.0]),  # published 94.92
        row_of(one, "fresh", [92.0, 92.0]),
        row_of(other, "same", [93.0, 93.0]),  # published 93.61
        row_of(other, "fresh", [92.0, 92.0]),
        row_of(SPEC.cell("ACMII-GCN", "Texas"), "same", [90.0, 90.0]),
    ]
    *_, table = luck(Results(STUDY, rows))
    assert isinstance(table, Table)
    same, fresh = (0.92 + 0.61) / 2, (2.92 + 1.61) / 2
    assert table.rows == (
        ("Texas", "2", f"+{same:.2f}", f"+{fresh:.2f}", f"+{fresh - same:.2f} ± 0.50"),
    )  # of 2 and 1


def test_numbers_that_come_out_again_are_named() -> None:
    cell = SPEC.cell("GCN", "Texas")
    mean, deviation = cell.published
    rows = [row_of(cell, kind, [mean - deviation, mean + deviation]) for kind in ("same", "fresh")]
    _, _, told, _ = luck(Results(STUDY, rows))
    assert told == Text("Mean and deviation are as printed, to the last digit: GCN on Texas (83.11 ± 3.20).")
    rows[0] = row_of(cell, "same", [mean - deviation, mean + deviation + 0.1])
    assert len(luck(Results(STUDY, rows))) == 3


def test_nothing_measured_is_not_shown() -> None:
    assert luck(Results(STUDY, [])) == ()
