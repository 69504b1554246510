"""The page of the examples: from the study's own rows, and from rows in which something differs."""

from __future__ import annotations

import pytest
from tests.papers.performing import rows_of

from allpass.papers.examples import STUDY
from allpass.papers.pages.csv_file import csv_text, parse_csv
from allpass.papers.pages.examples import page
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.study import Plan, Row
from allpass.report.canvas import to_bytes


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(STUDY, tmp_path_factory.mktemp("examples"), Plan())


def tables(rows: list[Row]) -> list[dict[str, tuple[object, ...]]]:
    found = [block for block in page(STUDY, rows).blocks if isinstance(block, Table)]
    return [{str(line[0]): line[1:] for line in table.rows} for table in found]


def texts(rows: list[Row]) -> list[str]:
    return [block.text for block in page(STUDY, rows).blocks if isinstance(block, Text)]


def test_known_numbers_stand_beside_ours(rows: list[Row]) -> None:
    bipartite, high_pass, limitation = tables(rows)
    assert bipartite["H_agg^M"] == ("1.000", "1.000", "agrees")
    assert bipartite["H_edge"] == ("0.000", "0.000", "agrees")
    assert high_pass["diversification, own mean > 0"] == ("0.857", "0.857", "agrees")
    assert high_pass["H_agg"] == ("–", "0.857", "")
    assert high_pass["S(Â, X), largest difference"] == ("0", "0.00000", "agrees")
    assert list(limitation)[-1] == "S(I − Â, X), largest difference"
    assert page(STUDY, rows).findings[0].startswith("10 of 10 known numbers and matrices come out")


def test_what_differs_is_called_so(rows: list[Row]) -> None:
    wrong = {**rows[1], "DD": 0.857143, "S_low": str(rows[1]["S_low"]).replace("0.6500", "0.6600", 1)}
    (table,) = tables([{**wrong, "agree": 2}])
    assert table["diversification, own mean ≥ 0"] == ("1.000", "0.857", "differs")
    assert table["S(Â, X), largest difference"] == ("0", "0.01000", "differs")
    assert table["S(I − Â, X), largest difference"][2] == "agrees"


def test_words_follow_from_the_nodes(rows: list[Row]) -> None:
    words = texts(rows)[1:4]
    assert words[0].startswith("Of 9 edges none join nodes of one class. After averaging all 6 nodes")
    assert "6 of 7 nodes are at least as near to their own class as to the others; node 3 is not." in words[1]
    assert "No node has a mean similarity above 0 to any other class." in words[1]
    assert "Yet all 10 are drawn to a single other class" in words[2]


def test_pictures_draw_graph_and_matrices(rows: list[Row]) -> None:
    pictures = [block for block in page(STUDY, rows).blocks if isinstance(block, Picture)]
    assert [picture.name for picture in pictures] == [f"examples-{name}" for name in STUDY.graphs]
    for picture, number in zip(pictures, (">−1.12<", ">−.33<", ">−.38<"), strict=True):
        drawn = to_bytes(picture.draw(), ".svg").decode()
        assert number in drawn
        assert "S(I − Â, X)" in drawn


def test_rows_from_a_file_give_the_same_page(rows: list[Row]) -> None:
    assert markdown(page(STUDY, parse_csv(csv_text(rows)))) == markdown(page(STUDY, rows))


def test_a_page_without_rows_says_so() -> None:
    assert "Nothing has been run yet." in markdown(page(STUDY, []))
