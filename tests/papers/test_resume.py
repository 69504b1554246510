"""Stores that earlier versions wrote are complete: nothing is run again, and the rows are the same.

``before/runs.db`` was written at commit e4db170 by ``allpass reproduce``, for a cheap cell of each ID; the
CSV files next to it hold the rows that it gave then.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from allpass.papers import STUDIES, Plan, reproduce
from allpass.papers.result import csv_text
from allpass.train.executors import Event, Task
from allpass.train.runs.store import Store

BEFORE = Path(__file__).parent / "before"
PLANS = {
    "examples": Plan(),
    "rank": Plan(("gcn", "relu"), quick=True),
    "homophily": Plan(("Texas", "karate")),
    "depth": Plan(("cora", "2", "glorot", "relu"), quick=True),
    "complexity": Plan(("Cora", "GCN", "SGC-1"), quick=True),
    "table1": Plan(("GCN/Cora 1%", "tuned"), quick=True),
    "acm-random": Plan(("MLP-2/Texas", "tuned"), quick=True),
    "acm-bars": Plan(("GCN/Texas", "same")),
    "acm-fixed": Plan(("ACM-SGC-1/Texas", "same")),
    "ablation": Plan(("ACM-GCN: as released/Cornell", "same"), quick=True),
    "synthetic": Plan(("cora", "SGC-1", "edge_homophily", "released"), quick=True),
    "acm-deezer": Plan(("ACM-SGC-1/Deezer-Europe", "same"), quick=True),
}


class Refusing:
    """An executor that runs nothing."""

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        pytest.fail(f"It would run {[task.title for task in tasks]} again.")
        yield


@pytest.mark.parametrize("name", PLANS)
def test_nothing_is_run_again(name: str, tmp_path: Path, real_data: None) -> None:
    shutil.copy(BEFORE / "runs.db", tmp_path)
    study, plan = STUDIES[name], PLANS[name]
    with Store(tmp_path / "runs.db") as store:
        assert reproduce(study, store, Refusing(), plan) == []
        rows = study.results(plan, store)
    assert csv_text(rows) == (BEFORE / f"{name}.csv").read_text(encoding="utf-8")
