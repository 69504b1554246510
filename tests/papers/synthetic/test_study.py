"""Networks and metrics on regular graphs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from allpass.data import load, regular_graph, splits
from allpass.errors import InputError
from allpass.papers.study import Plan
from allpass.papers.synthetic.level import Level
from allpass.papers.synthetic.study import STUDY, SyntheticStudy
from allpass.papers.tables.verdicts import INCOMPARABLE
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store

SMALL = SyntheticStudy(
    STUDY.words,
    replace(STUDY.spec, nodes_per_class=40, quick={**STUDY.spec.quick, "levels": [0.2, 0.6], "epochs": 4}),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def done(study: SyntheticStudy, plan: Plan, store: Store) -> list[Level]:
    for task in study.tasks(plan, store):
        for runs in study.perform(task.only(store.missing(study.keys(task))), "cpu"):
            store.add_many(runs)
    return study.results(plan, store)


def test_a_quick_plan_runs_offline_and_every_row_has_the_same_names(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nothing_read: None
) -> None:
    monkeypatch.delenv("ALLPASS_DATA", raising=False)
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path))
    plan = Plan(quick=True)
    rows = done(SMALL, plan, store)
    found = {(row.what, row.level) for row in rows}
    assert found == {
        (what, level)
        for what in (*SMALL.spec.metrics, *SMALL.spec.models)
        for level in ((None,) if what == "MLP-2" else (0.2, 0.6))
    }
    assert all(row.quick for row in rows)
    assert {row.verdict for row in rows} == {None, INCOMPARABLE}
    assert all(len(str(row.values).split()) == 2 for row in rows)
    edge = {row.level: row.mean for row in rows if row.what == "edge_homophily"}
    assert edge == {0.2: 0.2, 0.6: 0.625}  # 10 of 16 neighbours
    assert all(not store.missing(SMALL.keys(task)) for task in SMALL.tasks(plan, store))


def test_metrics_see_the_neighbours_that_networks_average(store: Store) -> None:
    """H_agg by brute force on the row-normalised matrix whose row j lists what node j drew."""
    rows = done(SMALL, Plan(("metrics",), quick=True), store)
    (row,) = (row for row in rows if row.what == "modified_aggregation_homophily" and row.level == 0.2)
    for number, value in enumerate(map(float, str(row.values).split())):
        data = regular_graph(0.2, nodes_per_class=40, intra_degree=10, seed=number)
        A = np.eye(200)
        A[data.edge_index[1], data.edge_index[0]] = 1
        M = (A / A.sum(1, keepdims=True)) @ np.eye(5)[data.y]
        S, same = M @ M.T, data.y.numpy()[:, None] == data.y.numpy()
        own, other = (S * same).sum(1) / same.sum(1), (S * ~same).sum(1) / (~same).sum(1)
        assert value == pytest.approx(max(2 * np.mean(own >= other - 1e-12) - 1, 0), abs=1e-5)


def test_a_metric_is_measured_and_kept_whatever_others_there_are(store: Store) -> None:
    alone = SyntheticStudy(STUDY.words, replace(SMALL.spec, metrics=("generalized_edge_homophily",)))
    cells = ("generalized_edge_homophily", "cora")
    rows = done(alone, Plan(cells, quick=True), store)
    assert [(row.what, row.base) for row in rows] == [("generalized_edge_homophily", "cora")] * 2
    assert rows == SMALL.results(Plan(("metrics", "cora"), quick=True), store)
    data = regular_graph(0.2, nodes_per_class=40, intra_degree=10, seed=1, features=load("cora"))
    x = data.x.to_dense().numpy() if data.x.is_sparse else data.x.numpy()
    x = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)
    cosine = (x[data.edge_index[0]] * x[data.edge_index[1]]).sum(1).mean()
    assert float(str(rows[0].values).split()[1]) == pytest.approx(cosine, abs=1e-4)


def test_a_cell_names_one_metric_or_all(store: Store) -> None:
    def asked(*cells: str) -> list[str]:
        return list(dict.fromkeys(task.about["what"] for task in SMALL.tasks(Plan(cells), store)))

    assert asked("metrics") == list(SMALL.spec.metrics)
    assert asked("node_homophily", "GCN") == ["node_homophily", "GCN"]
    assert asked() == [*SMALL.spec.metrics, *SMALL.spec.models]
    assert {"metrics", *SMALL.spec.metrics} < set(SMALL.axes()["networks and metrics"])


def test_a_network_is_trained_as_by_hand(store: Store) -> None:
    plan = Plan(("SGC-1", "cora"), quick=True)
    row = done(SMALL, plan, store)[0]
    data = regular_graph(0.2, nodes_per_class=40, intra_degree=10, seed=1, features=load("cora"))
    (run,) = fit(
        "sgc-1",
        data,
        splits(data, "random", count=1, seed=1),
        {"lr": 0.05, "weight_decay": 5e-5},
        stop=stopping("gprgnn", max_epochs=4),
        scaling="rows",
        undirected=False,
    )
    assert str(row.values).split()[1] == f"{100 * run.scores['test_score']:.2f}"


def test_whatever_the_protocol_says_is_in_the_keys(store: Store) -> None:
    rounded = SyntheticStudy(
        STUDY.words, replace(SMALL.spec, protocol=SMALL.spec.protocol.changed({"tf32": True}))
    )
    task = SMALL.tasks(Plan(("GCN",), quick=True), store)[0]
    assert not set(SMALL.keys(task)) & set(rounded.keys(task))


def test_each_level_takes_the_setting_that_is_best_on_validation(store: Store) -> None:
    plan = Plan(("GCN", "cora"), quick=True)
    rows = done(SMALL, plan, store)
    for task, row in zip(SMALL.tasks(plan, store), rows, strict=True):
        by_dropout: dict[float, list[tuple[float, float]]] = {}
        for run in map(store.get, SMALL.keys(task)):
            assert run is not None
            scores = (run.scores["val_score"], run.scores["test_score"])
            by_dropout.setdefault(run.key.settings["dropout"], []).append(scores)
        means = {dropout: np.mean(scores, axis=0) for dropout, scores in by_dropout.items()}
        chosen = json.loads(str(row.settings))["dropout"]
        assert len(means) == 3
        assert means[chosen][0] == max(mean[0] for mean in means.values())
        assert row.mean == pytest.approx(100 * means[chosen][1], abs=0.005)
        assert row.runs == 2


def test_keys_are_those_of_the_trainings_though_no_graph_was_drawn(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    (task, *_) = SMALL.tasks(Plan(("GCN", "cora", "released"), quick=True), store)
    job = SMALL.drawn.job(task.about, 1, "cpu")
    drawn = [job.key(place) for place in range(len(job.wanted))]
    fresh = SyntheticStudy(STUDY.words, SMALL.spec)
    monkeypatch.setattr("allpass.papers.synthetic.graphs.regular_graph", None)
    assert list(fresh.keys(task))[3:] == drawn
    assert len({key.identity for key in fresh.keys(task)}) == 6


def test_what_decides_a_graph_decides_its_keys(store: Store) -> None:
    tasks = STUDY.tasks(Plan(("SGC-1", "cora")), store)
    identities = [key.identity for task in tasks for key in STUDY.keys(task)]
    assert len(tasks) == 30 + 28
    assert len(set(identities)) == len(identities) == 10 * len(tasks)
    every = STUDY.tasks(Plan(), store)
    assert len({task.title for task in every}) == len(every)


def test_only_what_is_left_is_trained(store: Store) -> None:
    (task, *_) = SMALL.tasks(Plan(("SGC-1", "cora"), quick=True), store)
    last = SMALL.keys(task)[-1:]
    runs = [run for part in SMALL.perform(task.only(last), "cpu") for run in part]
    assert [run.key for run in runs] == list(last)


def test_published_means_stand_at_their_levels() -> None:
    published, levels = STUDY.spec.published, [place.level for place in STUDY.spec.series["released"]]
    assert published["cora"]["GCN"]["mean"][levels.index(0.3)] == 59.33
    assert published["film"]["MLP-2"]["mean"] == [33.8]
    about = {"what": "GCN", "base": "cora", "series": "released", "level": 0.3}
    assert STUDY._compared(about, [60.33, 62.33], quick=False)["difference"] == 2.0
    assert STUDY._compared({**about, "series": "report"}, [60.0], quick=False)["difference"] is None
    assert STUDY._compared({**about, "what": "High-pass GCN"}, [60.0], quick=False)["difference"] is None
    assert (
        STUDY._compared({**about, "what": "ACM-GCN"}, [93.7, 93.7], quick=False)["published"] == 92.7
    )  # as multi-filter GCN


def test_every_level_of_the_report_is_another_graph() -> None:
    real = [
        place.intra_degree / (place.intra_degree + int(place.intra_degree / place.level - place.intra_degree))
        for place in STUDY.spec.series["report"]
    ]
    assert real == sorted(set(real))
    assert len(real) == 28
    assert real[0] == 0.005
    assert real[-1] == pytest.approx(0.95, abs=0.003)


def test_an_unknown_cell_is_answered_with_a_near_one(store: Store) -> None:
    with pytest.raises(InputError, match="no cell 'coras' in 'synthetic'"):
        STUDY.tasks(Plan(("coras",)), store)
