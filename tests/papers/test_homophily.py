"""The statistics of the datasets under two conventions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from allpass.data import load
from allpass.errors import DownloadError, InputError
from allpass.papers import at_hand
from allpass.papers.homophily import PUBLISHED, STUDY, Statistic, reproduced_by
from allpass.papers.study import Plan
from allpass.train.runs.store import Store

OFFLINE = Plan(("cora", "karate", "examples"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def measured(store: Store, plan: Plan) -> list[Statistic]:
    for task in STUDY.tasks(plan, store):
        for runs in STUDY.perform(task, "cpu"):
            store.add_many(runs)
    return STUDY.results(plan, store)


def values(rows: list[Statistic], title: str, name: str = "definition") -> dict[str, object]:
    return {row.metric: getattr(row, name) for row in rows if row.title == title}


def test_cora_karate_and_the_examples_need_no_data_folder(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ALLPASS_DATA", raising=False)
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path))
    at_hand.graph_of.cache_clear()
    at_hand.content_hash.cache_clear()
    rows = measured(store, OFFLINE)
    titles = list(dict.fromkeys(row.title for row in rows))
    assert titles == ["Cora", "Karate", "Harmless bipartite", "High-pass helps", "High-pass fails"]
    cora = {row.metric: row for row in rows if row.title == "Cora"}
    assert [cora[metric].by for metric in PUBLISHED] == ["both"] * len(PUBLISHED)
    assert cora["edges"].by == "neither"
    harmless = [row.by for row in rows if row.title == "Harmless bipartite" and row.published is not None]
    assert harmless == ["definition"] * 5
    assert "aggregation_similarity" not in values(rows, "Karate")  # it has no features
    at_hand.graph_of.cache_clear()
    at_hand.content_hash.cache_clear()


def test_the_two_conventions_by_hand_on_texas(store: Store, real_data: None) -> None:
    """Counted edge by edge in plain Python, without any metric of the library."""
    rows = measured(store, Plan(("TEXAS",)))
    data = load("texas")
    y = data.y.tolist()
    pairs = {(u, v) for u, v in data.edge_index.T.tolist() if u != v}
    loops = len(y)
    same = sum(y[u] == y[v] for u, v in pairs)
    both_ways = {frozenset(pair) for pair in pairs}
    neighbours: dict[int, list[int]] = {}
    for u, v in pairs:
        neighbours.setdefault(u, []).append(v)
    shares = [np.mean([y[u] == y[v] for v in ends]) for u, ends in neighbours.items()]

    printed, defined = values(rows, "Texas", "printed"), values(rows, "Texas")
    assert printed["edge_homophily"] == pytest.approx((same + loops) / (len(pairs) + loops), abs=1e-6)
    assert printed["node_homophily"] == pytest.approx(np.mean(shares), abs=1e-6)
    assert printed["edges"] == len(pairs)
    assert defined["edges"] == len(both_ways)
    assert defined["edge_homophily"] == pytest.approx(
        np.mean([len({y[node] for node in pair}) == 1 for pair in both_ways]), abs=1e-6
    )
    assert {row.by for row in rows if row.metric in PUBLISHED[:3]} == {"printed"}


def test_which_convention_gives_a_number() -> None:
    assert reproduced_by(0.5, 0.5, 0.5) == "both"
    assert reproduced_by(0.5, 0.5001, 0.6, 1e-3) == "printed"
    assert reproduced_by(0.5, 0.6, 0.4999, 1e-3) == "definition"
    assert reproduced_by(0.5, 0.6, 0.4, 1e-3) == "between"
    assert reproduced_by(0.5, 0.6, 0.7, 1e-3) == "neither"
    assert reproduced_by(0.5, None, 0.5) == "definition"
    assert reproduced_by(0.5, None, 0.7) == "neither"
    assert reproduced_by(0.5, 0.5, None) == "printed"


def test_a_dataset_that_is_not_at_hand_is_an_error_of_its_task_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise DownloadError("No source gave the file.", "Put it into the data folder.")

    at_hand.graph_of.cache_clear()
    at_hand.content_hash.cache_clear()
    monkeypatch.setattr(at_hand, "load", gone)
    plan = Plan(("texas",))
    (task,) = STUDY.tasks(plan, store)
    assert store.missing(STUDY.keys(task)) == STUDY.keys(task)
    assert STUDY.results(plan, store) == []
    with pytest.raises(DownloadError):
        list(STUDY.perform(task, "cpu"))
    at_hand.content_hash.cache_clear()


def test_a_quick_plan_is_the_one_that_runs_offline(store: Store) -> None:
    quick = [task.title for task in STUDY.tasks(Plan(quick=True), store)]
    assert quick == [task.title for task in STUDY.tasks(OFFLINE, store)]
    assert len(STUDY.tasks(Plan(), store)) == len(STUDY.subjects)


def test_only_what_is_left_is_measured(store: Store, real_data: None) -> None:
    (task,) = STUDY.tasks(Plan(("texas",)), store)
    keys = STUDY.keys(task)
    done = list(STUDY.perform(task.only(keys[1:]), "cpu"))
    assert [run.key for runs in done for run in runs] == keys[1:]
    for runs in done:
        store.add_many(runs)
    assert STUDY.results(Plan(("texas",)), store) == []  # half a dataset has no row


def test_an_unknown_cell_is_answered_with_a_near_one(store: Store) -> None:
    with pytest.raises(InputError, match=r"no cell 'corra' in 'homophily'\. Did you mean 'Cora'"):
        STUDY.tasks(Plan(("corra",)), store)


def test_counts_are_whole_numbers_of_what_was_read(store: Store) -> None:
    found = values(measured(store, Plan(("karate",))), "Karate")
    assert [found[name] for name in ("nodes", "edges", "features", "classes")] == [34, 78, 0, 2]


def test_metrics_of_features_are_defined_on_features_as_given(store: Store) -> None:
    """Mean over the own class > 0 and over the others <= 0 in S(I - A_hat, X), on dense matrices."""
    rows = measured(store, Plan(("cora",)))
    data = load("cora")
    A = np.eye(2708)
    A[tuple(data.edge_index.numpy())] = 1
    M = data.x.to_dense().numpy().astype(np.float64)
    M -= A @ M / A.sum(1, keepdims=True)
    Z = np.eye(7)[data.y]
    sums = M @ (M.T @ Z)
    own = (sums * Z).sum(1)
    share = ((own > 1e-9) & (sums.sum(1) - own <= 1e-9)).mean()
    judged = {one.metric: one for one in STUDY.judged(rows)}
    dd = judged["diversification_distinguishability"]
    assert dd.definition == pytest.approx(share, abs=1e-6)
    assert share == pytest.approx(0.3264, abs=1e-4)
    assert (dd.printed, dd.by) == (pytest.approx(0.268095), "printed")
    assert judged["edge_homophily"] in rows
    assert len(judged) == len(PUBLISHED)
    assert values(rows, "Cora")["diversification_distinguishability"] == pytest.approx(0.268095)
