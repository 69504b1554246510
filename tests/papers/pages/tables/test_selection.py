from __future__ import annotations

import pytest
from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Table, Text
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.selection import bias_of, selection
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def test_the_lift_is_averaged_over_models_and_has_a_range() -> None:
    lifts = {"GCN": 0.2, "MLP-2": 0.4, "ACM-GCN": 1.5}
    rows = [row_of(SPEC.cell(row, "Texas"), "honest", [80.0, 82.0], lift=lift) for row, lift in lifts.items()]
    rows.append(row_of(SPEC.cell("GCN", "Texas"), "same", [80.0, 82.0]))
    rows.append(row_of(SPEC.cell("GCN", "Film"), "honest", [30.0, 32.0], lift=None))
    results = Results(STUDY, rows)
    columns = {column.name: column for column in SPEC.columns}
    found = bias_of(results, columns["Texas"])
    assert found is not None
    assert found == (
        "texas-4",
        pytest.approx(0.7),
        pytest.approx(0.2),
        pytest.approx(1.5),
        3,
        (3, pytest.approx(0.7), pytest.approx(0.95)),
    )
    assert bias_of(results, columns["Film"]) is None
    _, _, table = selection(results)
    assert isinstance(table, Table)
    assert table.rows == (("Texas", "texas-4", "3", "+0.70", "+0.20 to +1.50", "3", "+0.70", "+0.95"),)
    old = [{**row, "chosen_apart": None} for row in rows]
    _, _, table = selection(Results(STUDY, old))
    assert isinstance(table, Table)
    assert table.rows[0][-3:] == ("0", "–", "–")
    mixed = [{**rows[0], "chosen_apart": float(str(rows[0]["best_on_test"])) + 0.5}, *old[1:]]
    _, _, table = selection(Results(STUDY, mixed))
    assert isinstance(table, Table)
    assert table.rows[0][3:] == ("+0.70", "+0.20 to +1.50", "1", "+0.20", "−0.50")  # of one model both lifts


def test_nothing_measured_is_not_shown() -> None:
    assert selection(Results(STUDY, [])) == ()


def limits(name: str, *places: tuple[str, str]) -> str:
    study = TableStudy(read_spec(name))
    rows = [row_of(study.spec.cell(*place), "honest", [80.0, 82.0]) for place in places]
    _, text, _ = selection(Results(study, rows))
    assert isinstance(text, Text)
    return text.text


def test_it_is_said_what_the_lift_leaves_out() -> None:
    said = limits("acm-random", ("GCN", "Texas"), ("GCN", "Film"), ("GCN", "CiteSeer"))
    assert said.startswith("The lift is a lower bound of")
    assert "validation nodes of one split are test nodes of another" in said
    assert "The best of 60 settings stands here for the best of the 270 in the grid of the source" in said
    assert said.endswith("than the published numbers are of, it was measured for Texas, CiteSeer.")
    assert "corrected" not in limits("acm-random", ("GCN", "Film"))
    assert "for the best of the 210 in" in limits("acm-deezer", ("GCN", "Deezer-Europe"))
