"""Two rows of a table whose labels may be exchanged."""

from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Heading, Table, Text
from allpass.papers.pages.tables.accuracy import page
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.readings import readings
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)
OTHER = {"ACM-GCN++": "Read as ACMII-GCN+: ACM-GCN++", "ACMII-GCN+": "Read as ACM-GCN++: ACMII-GCN+"}
GRAPHS = ("Cornell", "Wisconsin", "Texas", "Film", "Squirrel", "Cora", "CiteSeer", "PubMed")


def near(cell: Cell, away: float) -> dict[str, object]:
    middle = (cell.beside or cell.published)[0] + away
    return row_of(cell, "same", [middle - 0.5, middle + 0.5] * 5)


def both(row: str, column: str, here: float, otherwise: float) -> list[dict[str, object]]:
    return [near(SPEC.cell(row, column), here), near(SPEC.cell(OTHER[row], column), otherwise)]


def shown(rows) -> tuple[str, Table]:
    heading, text, table = readings(Results(STUDY, rows))
    assert isinstance(heading, Heading)
    assert isinstance(text, Text)
    assert isinstance(table, Table)
    return text.text, table


def test_both_ways_are_counted_by_row() -> None:
    rows = [
        *both("ACM-GCN++", "Film", 0.0, -9.0),
        *both("ACM-GCN++", "Cora", 0.25, 0.0),
        *both("ACMII-GCN+", "Film", -9.0, -8.0),
    ]
    said, table = shown(rows)
    assert (
        "As they stand here 2 of 3 cells agree with what was published, read the other way 1; 1 agree "
        in said
    )
    assert "as they stand in 1 of 3 cells, the other way in 2" in said
    assert table.rows == (
        ("ACM-GCN++", "ACM-GCN++", "2 of 2", "+0.12"),
        ("ACM-GCN++", "ACMII-GCN+", "1 of 2", "−4.50"),
        ("ACMII-GCN+", "ACMII-GCN+", "0 of 1", "−9.00"),
        ("ACMII-GCN+", "ACM-GCN++", "0 of 1", "−8.00"),
    )


def test_what_follows_is_said_by_a_sign_test() -> None:
    few, many = (
        [row for graph in GRAPHS[:number] for row in both("ACM-GCN++", graph, 0.0, -20.0)]
        for number in (2, 8)
    )
    assert (
        "This count does not show which way is right (were both ways as good, chance would lean as far with a "
        in (shown(few)[0])
    )
    assert "probability of 0.50)" in shown(few)[0]
    assert "This count speaks for reading them as they stand" in shown(many)[0]
    turned = [row for graph in GRAPHS for row in both("ACM-GCN++", graph, -20.0, 0.0)]
    assert "This count speaks for reading them the other way" in shown(turned)[0]
    same = both("ACM-GCN++", "Film", 0.0, 0.0)
    assert "This count decides nothing." in shown(same)[0]
    assert all("What the source meant does not follow" in shown(rows)[0] for rows in (few, many, turned))


def test_cells_that_were_run_one_way_alone_do_not_count() -> None:
    rows = both("ACM-GCN++", "Film", 0.0, 0.0)
    assert readings(Results(STUDY, rows[:1])) == readings(Results(STUDY, rows[1:])) == ()
    assert shown([*rows, near(SPEC.cell("ACM-GCN++", "Cora"), 0.0)])[1].rows[0][2] == "1 of 1"
    other = TableStudy(read_spec("acm-fixed"))
    assert readings(Results(other, [])) == ()


def test_the_page_has_the_section() -> None:
    found = page(STUDY, both("ACM-GCN++", "Film", 0.0, 0.0))
    assert Heading("Which way two rows are to be read") in found.blocks
