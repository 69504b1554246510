from __future__ import annotations

import numpy as np
import pytest
from tests.papers.pages.invented import row_of

from allpass.errors import InputError
from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.page import Table
from allpass.papers.pages.tables.cells import (
    Results,
    allowed,
    as_table,
    comparable,
    compared,
    data_of,
    measured,
    number,
    printed,
    signed,
    spread,
    why_incomparable,
)
from allpass.papers.pages.tables.columns import details
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)
SCORES = [93.0, 94.0, 95.0, 96.0, 93.0, 94.0, 95.0, 96.0, 94.0, 95.0]


@pytest.mark.parametrize(
    ("name", "row", "column", "kind", "reason"),
    [
        ("acm-random", "ACM-GCN", "Texas", "same", "not run yet"),
        ("acm-random", "MLP-2", "Texas", "same", "no settings published"),
        ("acm-random", "MLP-2", "Texas", "honest", "not run yet"),
        ("acm-fixed", "WRGAT", "Texas", "same", "not run"),
        ("acm-fixed", "WRGAT", "Texas", "honest", "not run"),
        ("table1", "GCN", "Cora 0.5%", "same", "not run yet"),
        ("table1", "M3S", "Cora 5%", "same", "not run yet"),
        ("table1", "GCN", "Cora 5%", "fresh", "not run yet"),
        ("table1", "LP", "Cora 5%", "fresh", "not run on more splits"),
        ("table1", "Snowball", "Cora 5%", "fresh", "not run on more splits"),
        ("acm-random", "GCNII", "Texas", "fresh", "splits not known"),
        ("acm-random", "MLP-2", "Texas", "fresh", "no settings published"),
        ("acm-random", "Alpha 0.9: APPNP", "Wisconsin", "fresh", "not run on others"),
    ],
)
def test_why_nothing_stands_in_a_place(name: str, row: str, column: str, kind, reason: str) -> None:
    results = Results(STUDIES[name], [])
    assert results.get(results.spec.cell(row, column), kind) is None
    assert results.missing(results.spec.cell(row, column), kind) == reason


def test_places_that_do_not_exist_are_empty() -> None:
    results = Results(STUDY, [])
    minesweeper = next(column for column in SPEC.columns if column.name == "Minesweeper")
    assert results.cell("Eps 0.9: FAGCN", minesweeper) is None
    assert results.missing(None, "same") == ""
    assert results.mean(None, "same") is None


def test_rows_are_found_by_their_places() -> None:
    cell = SPEC.cell("ACM-GCN", "Texas")
    row = row_of(cell, "same", SCORES)
    results = Results(STUDY, [row])
    assert results.get(cell, "same") is row
    assert results.get(cell, "honest") is None
    assert results.mean(cell, "same") == pytest.approx(np.mean(SCORES))


def test_other_studies_are_refused() -> None:
    class Other:
        id = "rank"

    with pytest.raises(InputError, match="'rank' is no TableStudy"):
        Results(Other(), [])  # type: ignore[arg-type]


def test_every_number_of_some_rows_is_a_line() -> None:
    cell = SPEC.cell("ACM-GCN", "Chameleon")
    row = row_of(cell, "same", SCORES)
    table = as_table(Results(STUDY, [row]))
    assert table.rows == (("ACM-GCN", "Chameleon", "same", printed(cell), measured(row), compared(row)),)


def test_the_terminal_says_what_the_page_says() -> None:
    spec = read_spec("table1")
    places = [("LP", "same"), ("GCN", "fresh"), ("Snowball", "same"), ("GCN", "honest")]
    rows = [row_of(spec.cell(row, "Cora 1%"), kind, SCORES) for row, kind in places]  # type: ignore[arg-type]
    lines = as_table(Results(TableStudy(spec), rows)).rows
    words = [str(line[-1]).rpartition("], ")[2] for line in lines]
    assert words == ["with our default settings", "with our default settings", "better", "better"]
    page = {
        (table.caption.partition(" (")[0], values[0].text): values
        for table in details(Results(TableStudy(spec), rows))
        if isinstance(table, Table)
        for values in table.values()
    }
    assert page["Cora 1%", "LP"][4].text == lines[0][-1]
    assert page["Cora 1%", "GCN"][6].text == lines[1][-1]
    honest = row_of(SPEC.cell("ACM-GCN", "Texas"), "honest", SCORES)
    assert as_table(Results(STUDY, [honest])).rows[0][-1] == "not comparable: Other data: texas-4."


def test_more_or_fewer_runs_are_of_the_same_protocol_other_splits_are_not() -> None:
    table1 = read_spec("table1")
    assert comparable(table1.cell("Snowball", "Cora 3%"), "same")
    assert not comparable(SPEC.cell("Few labels: GPRGNN", "Cora"), "same")
    assert comparable(SPEC.cell("GAT", "Cora"), "honest")
    assert not comparable(SPEC.cell("GAT", "Cora"), None)


def test_numbers_as_text() -> None:
    cell = SPEC.cell("ACM-GCN", "Chameleon")
    assert printed(cell) == "69.04 ± 1.74 (beside its settings: 68.18 ± 1.67)"
    assert printed(SPEC.cell("BernNet", "Wisconsin")) == "not published"
    assert printed(SPEC.cell("Geom-GCN*", "Texas")) == "67.57"
    assert spread([1.0, None]) == "1.00"
    assert signed(-0.0) == "0.00"
    row = row_of(cell, "honest", SCORES)
    assert measured(row) == f"{np.mean(SCORES):.2f} ± {np.std(SCORES):.2f} (n = 10, 60 tried)"
    lost = {**row, "diverged": 2, "mean": None, "deviation": None, "tried": 0}
    assert measured(lost) == "no mean (n = 10, 2 diverged)"


def test_a_comparison_has_its_interval_and_verdict() -> None:
    row = row_of(SPEC.cell("ACM-GCN", "Texas"), "same", SCORES)
    low, high = signed(float(row["published_low"])), signed(float(row["published_high"]))  # type: ignore[arg-type]
    assert compared(row) == f"−0.42 [{low}, {high}], agrees"
    assert compared({**row, "published_low": None}) == "−0.42, agrees"
    assert compared(row, "rerun").startswith("+0.89 [")
    assert compared(row_of(SPEC.cell("ACM-GCN", "Minesweeper"), "honest", SCORES)) == ""


@pytest.mark.parametrize(
    ("place", "kind", "reason"),
    [
        (("ACM-GCN", "Texas"), "same", ""),
        (("ACM-GCN", "Texas"), "honest", "Other data: texas-4."),
        (("ACM-GCN", "CiteSeer"), "honest", "Other data: citeseer corrected."),
        (("Geom-GCN*", "Texas"), "honest", "Made with the fixed 48/32/20 splits."),
        (("ACM-GCN", "Film"), "honest", ""),
    ],
)
def test_why_numbers_cannot_be_compared(place: tuple[str, str], kind, reason: str) -> None:
    cell = SPEC.cell(*place)
    assert why_incomparable(cell, row_of(cell, kind, SCORES)) == reason


def test_one_run_has_no_interval() -> None:
    cell = SPEC.cell("ACM-GCN", "Film")
    row = {**row_of(cell, "same", SCORES), "published_verdict": "not comparable"}
    assert why_incomparable(cell, row) == "Too few runs for an interval."


@pytest.mark.parametrize("name", ["acm-random", "acm-deezer"])
def test_two_standard_errors(name: str) -> None:
    spec = read_spec(name)
    cell = spec.cell("ACM-GCN", spec.columns[2].name if name == "acm-random" else "Deezer-Europe")
    row = row_of(cell, "same", SCORES)
    ours = np.std(SCORES, ddof=1) / np.sqrt(10)
    if name == "acm-random":  # a population deviation of ten runs
        theirs = np.sqrt(10 / 9) * cell.published[1] / np.sqrt(10)
    else:  # a sample deviation of five
        row["deviation"] = float(np.std(SCORES, ddof=1))
        theirs = cell.published[1] / np.sqrt(5)
    assert allowed(cell, row) == pytest.approx(2 * np.hypot(ours, theirs), rel=1e-3)


def test_runs_of_a_mean_without_deviation_differ_as_ours() -> None:
    cell = read_spec("table1").cell("GCN", "Cora 1%")
    expected = 2 * np.std(SCORES, ddof=1) * np.sqrt(1 / 10 + 1 / 10)
    assert allowed(cell, row_of(cell, "same", SCORES)) == pytest.approx(expected, rel=1e-3)


def test_data_of_columns() -> None:
    names = {column.name: data_of(column) for column in SPEC.columns}
    assert names["Film"] == "film"
    assert names["Cornell"] == "cornell"
    assert names["CiteSeer"] == "citeseer corrected"


def test_a_mean_of_lost_runs_is_no_number() -> None:
    row = {**row_of(SPEC.cell("ACM-GCN", "Texas"), "same", SCORES), "published_difference": float("nan")}
    assert number(row, "published_difference") is None
    assert compared(row) == ""
    assert number(None, "mean") is None
