"""ACM networks against those without channels, with honest settings."""

from __future__ import annotations

from tests.report.results.invented import row_of

from allpass.experiments.tables.spec import read_spec
from allpass.experiments.tables.study import TableStudy
from allpass.report.results.page import Table
from allpass.report.results.tables.accuracy import page
from allpass.report.results.tables.cells import Results
from allpass.report.results.tables.worth import told_worth, worth

SPEC = read_spec("acm-random")
STUDY = TableStudy(SPEC)


def honest(row: str, column: str, *scores: float) -> dict[str, object]:
    return row_of(SPEC.cell(row, column), "honest", list(scores))


ROWS = [
    honest("ACM-GCN", "Film", 41.0, 42.0, 43.0),
    honest("ACM-GCN", "Cora", 88.0, 87.0, 89.0),
    honest("ACMII-GCN", "Cora", 88.5, 87.0, 89.0),
    honest("MLP-2", "Film", 41.5, 41.0, 43.5),
    honest("MLP-2", "Cora", 76.0, 75.5, 77.0),
    honest("GCN", "Cora", 89.0, 88.1, 90.0),
]


def test_differences_by_network_and_column() -> None:
    _, _, mlp, gcn = worth(Results(STUDY, ROWS))
    assert isinstance(mlp, Table)
    assert isinstance(gcn, Table)
    assert (mlp.header, gcn.header) == (("network", "Film", "Cora"), ("network", "Cora"))
    assert [line[0] for line in mlp.rows] == ["ACM-GCN", "ACMII-GCN"]
    assert mlp.rows[0][1].startswith("0.00 [")
    assert mlp.rows[0][2].startswith("+11.83 [")
    assert mlp.rows[1][1] == "not run yet"
    assert gcn.rows[0][1].startswith("−1.03 [−1.22, −0.84]")


def told(*rows: dict[str, object]) -> str:
    (found,) = told_worth([Results(STUDY, rows)])
    return found.partition("by 95% intervals: ")[2]


def test_it_is_told_where_a_network_is_above_both() -> None:
    assert told(*ROWS) == (
        "ACM-GCN is above both on 0 of 1 graphs, above one on 0 more, below one on Cora; "
        "ACMII-GCN is above both on 0 of 1 graphs, above one on 1 more."
    )
    worse = honest("GCN", "Cora", 80.0, 79.1, 81.0)
    assert told(*ROWS[:-1], worse).startswith(
        "ACM-GCN is above both on 1 of 1 graphs (Cora), above one on 0 more; "
    )
    both = told_worth([Results(STUDY, [*ROWS[:-1], worse]), Results(TableStudy(read_spec("acm-deezer")), [])])
    assert "above both on 1 of 1 graphs (Cora)" in both[0]


def test_a_network_that_learns_nothing_is_above_none() -> None:
    idle = [
        honest(row, "Film", mean, mean + 1)
        for row, mean in (("ACM-GCN", 20.0), ("MLP-2", 10.0), ("GCN", 9.0))
    ]  # a constant has 25
    assert told(*idle) == "ACM-GCN is above both on 0 of 1 graphs, above one on 0 more."
    _, _, table, _ = worth(Results(STUDY, idle))
    assert isinstance(table, Table)
    assert table.rows[0][1].endswith("○")


def test_without_honest_numbers_there_is_no_section() -> None:
    same = [row_of(SPEC.cell(row, "Cora"), "same", [80.0, 81.0]) for row in ("ACM-GCN", "MLP-2")]
    assert worth(Results(STUDY, same)) == ()
    assert told_worth([Results(STUDY, same)]) == ()


def test_the_page_begins_with_it() -> None:
    found = page(STUDY, ROWS)
    assert found.findings == told_worth([Results(STUDY, ROWS)])
