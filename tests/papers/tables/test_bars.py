from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.content import read_text
from allpass.papers.study import Plan
from allpass.papers.tables.bars import CHARTS, STUDY, parse_charts
from allpass.papers.tables.spec import TABLES, read_spec
from allpass.papers.tables.study import TableStudy

TABLE = TableStudy(read_spec("acm-random"))
TEXT = read_text("acm-bars")


def test_it_is_a_part_of_the_table_of_random_splits() -> None:
    asked = {(cell.row, cell.column.name, kind) for cell, kind in STUDY.asked(Plan())}
    whole = {(cell.row, cell.column.name, kind) for cell, kind in TABLE.asked(Plan())}
    assert asked < whole
    assert {row for row, _, _ in asked} == set(CHARTS.rows)
    assert len(STUDY.spec.cells) == len(CHARTS.rows) * 6
    assert all(cell == TABLE.spec.cell(cell.row, cell.column.name) for cell in STUDY.spec.cells)
    assert "acm-bars" not in TABLES


def test_columns_stand_in_the_order_of_the_charts() -> None:
    names = [column.name for column in STUDY.spec.columns]
    assert names == ["Cornell", "Wisconsin", "Texas", "Chameleon", "Film", "Squirrel"]


def test_bernnet_and_gcnii_are_no_rivals() -> None:
    assert not {"BernNet", "GCNII", "GCNII*"} & set(CHARTS.rows)
    assert CHARTS.left_out["Film"] == (TABLE.spec.cell("BernNet", "Film").published[0], "BernNet")
    assert set(CHARTS.left_out) == set(CHARTS.gains)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            '"Texas", "Chameleon"',
            '"Texsa", "Chameleon"',
            "acm-bars: there is no column 'Texsa'. Did you",
        ),
        ('"MLP-2", "GAT"', '"MLP-3", "GAT"', "acm-bars: there is no row 'MLP-3'"),
        ('"acm-random"', '"acm-rnd"', "acm-bars: there is no experiment 'acm-rnd'"),
        ("Squirrel = 4.62", "", "acm-bars: the entry 'Squirrel' is missing"),
        ('"ACMII-GCN"]', '"ACMII-GNC"]', "acm-bars: there is no row 'ACMII-GNC'"),
    ],
)
def test_mistakes_in_the_file_say_where(before: str, after: str, problem: str) -> None:
    assert before in TEXT
    with pytest.raises(InputError, match=problem):
        parse_charts(TEXT.replace(before, after), "acm-bars")
