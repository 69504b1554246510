"""The study of triplet embeddings: its trainings, and what follows from rows, also while some are missing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tools.test_reproduced import prose

from allpass.kge import KnowledgeGraph
from allpass.papers import rl_triplets
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.rl_triplets import STUDY, Embedded
from allpass.papers.study import Plan
from allpass.papers.triplets import measure
from allpass.papers.triplets.peers import peers
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions
from benchmarks import kge

ORIGIN: dict[str, Any] = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}
RING = [[k, 0, (k + 1) % 8] for k in range(8)] + [[(k + 1) % 8, 1, k] for k in range(8)]


def made_up(arm: str, seed: int, mrr: float) -> Embedded:
    settings = STUDY.arms[arm]
    more: dict[str, Any] = {"minutes": None, "epoch": None, "curve": None}
    if settings["graph"] == "wn18rr":
        more = {"minutes": 50.0, "epoch": 40.0, "curve": "20:0.3000 40:0.4000"}
    about = {"arm": arm, "graph": settings["graph"], "model": settings["model"], "seed": seed}
    hits = {"hits_1": 0.1, "hits_3": 0.5, "hits_10": 0.9, "epoch_seconds": 0.01}
    return Embedded(mrr=mrr, **about, **hits, **more, **ORIGIN)


def rows_of(keep: Callable[[str], bool], mrr: float = 0.9) -> list[Embedded]:
    return [made_up(arm, seed, mrr) for arm in STUDY.arms if keep(arm) for seed in STUDY.seeds_of(arm)]


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyKEEN with all of its rows."""
    seeds = {seed: {"mrr": 0.7, "hits@10": 0.9, "epoch_seconds": 0.1} for seed in range(5)}
    found = dict.fromkeys(itertools.product(rl_triplets.GRAPHS, rl_triplets.COMPARED), seeds)
    monkeypatch.setattr(rl_triplets, "peers", lambda: found)


@pytest.mark.usefixtures("complete")
@pytest.mark.parametrize(
    ("mrr", "words", "near"),
    [(0.685, "in 9 of 9 cases.", "as published"), (0.4, "in 0 of 9 cases.", "below it")],
)
def test_the_verdict_follows_the_rows(mrr: float, words: str, near: str) -> None:
    rows = rows_of(lambda arm: True, mrr)
    facts = STUDY.facts(rows)
    assert words in str(facts["verdict"])
    assert near in str(facts["verdict"])
    assert facts["time"] == "10–10%"
    text = page(STUDY, rows, facts)
    assert "not measured" not in text
    assert len(prose(text).split()) <= 600
    assert len(text.split("\n\n")[1].split()) <= 60
    assert parse_csv(csv_text(rows), Embedded) == rows
    STUDY.picture(rows)


@pytest.mark.usefixtures("complete")
@pytest.mark.parametrize(
    ("part", "name", "said"),
    [
        ("umls", "verdict", "in 6 of 6 cases; 3 are not measured"),
        ("wn18rr", "verdict", "WN18RR is not measured"),
        ("wn18rr/rotate", "wordnet", "RotatE not measured (published 0.477)"),
        ("complex", "dihedral", "UMLS not measured"),
        ("s/", "against", "not measured"),
        ("s/", "advice", "No model can be recommended yet."),
    ],
)
def test_what_is_missing_is_said(part: str, name: str, said: str) -> None:
    rows = rows_of(lambda arm: part not in arm)
    facts = STUDY.facts(rows)
    assert said in str(facts[name])
    assert "nan" not in page(STUDY, rows, facts)
    STUDY.picture(rows)


def test_pykeen_is_kept_as_it_was_measured() -> None:
    """The rows of the package are those of the benchmark, so nothing here needs PyKEEN."""
    measured = [row for row in kge.kept() if row["source"] == "pykeen"]
    assert kge.kept(kge.FIXTURE) == measured
    assert sum(map(len, peers().values())) == len(measured)


def test_a_training_that_validation_stops_has_its_curve() -> None:
    graph = KnowledgeGraph.from_arrays(RING, RING[:3], RING[3:6])
    options = {"dim": 8, "epochs": 6, "every": 2, "patience": 2, "batch_size": 8}
    found, again = (measure.stopped(graph, "rotate", 3, options) for _ in range(2))
    assert found.curves["epoch"].tolist() == [2, 4, 6]
    assert found.scores["mrr"] == again.scores["mrr"]
    task = STUDY.tasks(Plan(("wn18rr/rotate",)), None)[0]  # type: ignore[arg-type]
    (key,) = STUDY.keys(task)
    run = Run(key=key, scores=found.scores, curves=found.curves, seconds=1.0, versions=versions("cpu"))
    row = STUDY.row("wn18rr/rotate", run)
    assert row.curve is not None
    assert [point.split(":")[0] for point in row.curve.split()] == ["2", "4", "6"]
    assert row.hits_10 == pytest.approx(found.scores["hits@10"], rel=1e-4)


def test_a_quick_plan_takes_the_smallest_graph(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        tasks = STUDY.tasks(Plan(quick=True), store)
        assert {task.title.split("/")[0] for task in tasks} == {"nations"}
        assert len(STUDY.tasks(Plan(), store)) == len(STUDY.arms)
