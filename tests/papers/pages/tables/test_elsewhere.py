"""What others reach stands beside what we do."""

from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Table
from allpass.papers.pages.tables.accuracy import page
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.elsewhere import elsewhere, told_elsewhere
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("acm-fixed")
STUDY = TableStudy(SPEC)


def honest(row: str, column: str, *scores: float) -> dict[str, object]:
    return row_of(SPEC.cell(row, column), "honest", list(scores))


ROWS = [
    honest("GCN", "Tolokers", 74.0, 75.0),
    honest("ACM-GCN", "Tolokers", 82.0, 82.5),
    honest("ACM-GCN+", "Tolokers", 81.0, 82.0),
    honest("ACM-GCN", "Chameleon", 47.0, 48.0),
]


def test_a_line_for_every_graph_and_source() -> None:
    heading, _, table = elsewhere(Results(STUDY, ROWS))
    assert isinstance(table, Table)
    lines = {(line[0], str(line[2]).partition(" et al.")[0]): line for line in table.rows}
    assert set(lines) == {
        ("Minesweeper (ROC AUC)", "Platonov"),
        ("Tolokers (ROC AUC)", "Platonov"),
        ("Chameleon (filtered)", "Luo"),
        ("Squirrel (filtered)", "Luo"),
        ("Minesweeper (ROC AUC)", "Luo"),
    }
    assert lines["Tolokers (ROC AUC)", "Platonov"][1] == "ResNet 73.0, GCN 83.6, SAGE 82.4, GAT 83.7"
    assert lines["Tolokers (ROC AUC)", "Platonov"][3] == "GCN 74.5, ACM-GCN 82.2, ACM-GCN+ 81.5"
    assert heading in page(STUDY, ROWS).blocks


def test_graphs_are_told_where_others_are_ahead() -> None:
    (said,) = told_elsewhere(Results(STUDY, ROWS))
    assert said.endswith("on Tolokers (ROC AUC): 83.6 (here GCN 74.5, ACM-GCN 82.2).")
    assert said in page(STUDY, ROWS).findings
    assert told_elsewhere(Results(STUDY, ROWS[-1:])) == ()


def test_tables_without_such_numbers_say_nothing() -> None:
    results = Results(TableStudy(read_spec("acm-random")), [])
    assert elsewhere(results) == told_elsewhere(results) == ()
