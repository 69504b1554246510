from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.train.executors.tiny import Tiny, acts
from tools.accumulate import known
from tools.kept import kept

from allpass.papers.catalogue import STUDIES
from allpass.papers.study import Plan, Row
from allpass.papers.tables.study import TableStudy
from allpass.train.runs.store import Store
from tools import accumulate


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs.db")


def lacking(name: str, rows: list[Row], store: Store) -> list[str]:
    study = STUDIES[name]
    there = known(study, rows, store)
    return [task.title for task in study.tasks(Plan(), store) if task.title not in there]


def there(name: str, rows: list[Row], store: Store) -> frozenset[str]:
    return known(STUDIES[name], rows, store)


@pytest.mark.parametrize("name", ["table1", "acm-fixed", "ablation", "depth", "synthetic", "rank"])
def test_without_rows_all_is_lacking(name: str, store: Store) -> None:
    assert there(name, [], store) == frozenset()


def test_a_number_of_a_table_is_there_with_its_row(store: Store) -> None:
    rows = kept("acm-fixed")
    titles = {f"{row['row']} on {row['column']}, {row['kind']}" for row in rows}
    assert titles <= there("acm-fixed", rows, store)
    plan = Plan((f"{rows[0]['row']}/{rows[0]['column']}", str(rows[0]["kind"])))
    assert {task.title for task in STUDIES["acm-fixed"].tasks(plan, store)} <= titles


def test_a_search_is_there_when_all_that_needs_it_is(store: Store) -> None:
    study = STUDIES["table1"]
    assert isinstance(study, TableStudy)
    gcn: list[Row] = [
        {"row": cell.row, "column": cell.column.name, "kind": kind}
        for cell, kind in study.asked(Plan())
        if cell.row == "GCN"
    ]
    assert {f"GCN, searched on {column}" for column in study.spec.honest.columns} <= there(
        "table1", gcn, store
    )
    some = [row for row in gcn if row["kind"] != "honest" or row["column"] != "Cora 1%"]
    assert not any("searched" in title for title in there("table1", some, store))


def test_a_column_that_chooses_for_itself_is_searched_for_itself(store: Store) -> None:
    one: Row = {"row": "ACM-GCN: LP", "column": "Texas", "kind": "honest"}
    assert there("ablation", [one], store) == {
        "ACM-GCN: LP on Texas, honest",
        "ACM-GCN: LP, searched on Texas",
    }


def test_a_deep_network_is_there_with_its_row(store: Store) -> None:
    one: Row = {"dataset": "cora", "activation": "relu", "initialisation": "glorot", "layers": 64}
    assert there("depth", [one], store) == {"64 layers on cora, glorot with relu"}


def test_every_metric_of_a_level_is_there_by_itself(store: Store) -> None:
    rows: list[Row] = [
        {"what": "edge_homophily", "base": "", "series": "released", "level": 0.05},
        {"what": "generalized_edge_homophily", "base": "cora", "series": "released", "level": 0.05},
        {"what": "MLP-2", "base": "cora", "series": "", "level": None},
    ]
    gone = set(lacking("synthetic", [], store)) - set(lacking("synthetic", rows, store))
    assert gone == {
        "edge_homophily on released, level 0.05",
        "generalized_edge_homophily on released, level 0.05, features of cora",
        "MLP-2 on any graph, features of cora",
    }


def test_the_command_runs_and_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = Tiny([acts("fine"), acts("known"), acts("refused", end="refusal")])
    monkeypatch.setattr(accumulate, "STUDIES", {"tiny": study})
    monkeypatch.setattr(accumulate, "known", lambda *_: {"known"})
    path = tmp_path / "runs.db"
    words = ["accumulate", "tiny", "--store", str(path)]
    monkeypatch.setattr(sys, "argv", [*words, "--list"])
    accumulate.main()
    assert capsys.readouterr().out == "     2  fine\n     2  refused\n"
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match=r"Could not be done: refused\. Got 3\. Expected 4\."):
        accumulate.main()
    with Store(path) as store:
        assert sorted((run.key.model, run.key.seed) for run in store.runs()) == [
            ("fine", 0),
            ("fine", 1),
            ("refused", 0),
        ]


def test_a_part_that_is_not_there_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        sys, "argv", ["accumulate", "acm-fixed", "--store", str(tmp_path / "runs.db"), "--cells", "MLP-3"]
    )
    with pytest.raises(SystemExit, match=r"There is no cell 'MLP-3' in 'acm-fixed'\. Did you mean"):
        accumulate.main()
