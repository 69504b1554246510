"""ACM networks against those without channels, with honest settings."""

from __future__ import annotations

from tests.papers.pages.invented import row_of

from allpass.papers.pages.page import Table
from allpass.papers.pages.tables.accuracy import page
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.worth import told_worth, worth
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

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
    _, _, _, mlp, gcn = worth(Results(STUDY, ROWS))
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
    return found.removeprefix("With honest settings, by 95% intervals, ")


def counts(*rows: dict[str, object]) -> dict[str, tuple[str, ...]]:
    _, _, table, *_ = worth(Results(STUDY, rows))
    assert isinstance(table, Table)
    assert table.header[:3] == ("network", "graphs", "above both")
    return {str(line[0]): tuple(map(str, line[1:])) for line in table.rows}


FILM = [
    honest("ACM-GCN", "Film", 61.0, 62.0, 63.0),
    honest("MLP-2", "Film", 41.0, 41.9, 43.1),
    honest("GCN", "Film", 31.0, 32.0, 33.1),
]


def test_of_one_graph_it_is_told_what_a_network_is_above() -> None:
    assert told(*ROWS) == (
        "ACM-GCN is above MLP-2, below GCN, on Cora; ACMII-GCN is above MLP-2, not above GCN, on Cora."
    )
    even = honest("GCN", "Cora", 88.0, 87.5, 88.5)
    assert told(*ROWS[:-1], even) == "ACM-GCN and ACMII-GCN are each above MLP-2, not above GCN, on Cora."


def test_of_several_graphs_it_is_told_of_the_networks_that_were_run_on_most() -> None:
    rows = [ROWS[1], ROWS[2], *ROWS[4:], *FILM]
    assert told(*rows) == (
        "ACM-GCN is above both MLP-2 and GCN on 1 of 2 graphs (Film), and below one of them on Cora."
    )
    more = honest("ACMII-GCN", "Film", 61.0, 62.0, 63.0)
    assert told(*rows, more).endswith("; ACMII-GCN is above both MLP-2 and GCN on 1 of 2 graphs (Film).")
    deezer = Results(TableStudy(read_spec("acm-deezer")), [])
    assert told_worth([Results(STUDY, rows), deezer]) == told_worth([Results(STUDY, rows)])


def test_the_page_counts_the_graphs_of_every_network() -> None:
    assert counts(*ROWS[:3], *ROWS[4:], *FILM[1:]) == {
        "ACM-GCN": ("2", "0", "1 (Film)", "0", "1 (Cora)"),
        "ACMII-GCN": ("1", "0", "1 (Cora)", "0", "0"),
    }
    assert counts(ROWS[1], *ROWS[4:], *FILM)["ACM-GCN"] == ("2", "1 (Film)", "0", "0", "1 (Cora)")


def test_a_network_that_learns_nothing_is_above_none() -> None:
    idle = [
        honest(row, "Film", mean, mean + 1)
        for row, mean in (("ACM-GCN", 20.0), ("MLP-2", 10.0), ("GCN", 9.0))
    ]  # a constant has 25
    assert told(*idle) == (
        "ACM-GCN is not above MLP-2, not above GCN, on Film [where MLP-2 and GCN learn nothing]."
    )
    assert counts(*idle) == {"ACM-GCN": ("1", "0", "0", "1 (Film [where MLP-2 and GCN learn nothing])", "0")}
    _, _, _, table, _ = worth(Results(STUDY, idle))
    assert isinstance(table, Table)
    assert table.rows[0][1].endswith("○")


def test_without_honest_numbers_there_is_no_section() -> None:
    same = [row_of(SPEC.cell(row, "Cora"), "same", [80.0, 81.0]) for row in ("ACM-GCN", "MLP-2")]
    assert worth(Results(STUDY, same)) == ()
    assert told_worth([Results(STUDY, same)]) == ()


def test_the_page_begins_with_it() -> None:
    found = page(STUDY, ROWS)
    assert found.findings == told_worth([Results(STUDY, ROWS)])
