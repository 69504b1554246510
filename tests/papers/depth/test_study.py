"""The study of depth from tasks to rows: rates chosen on validation nodes, splits paired, nothing done twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from allpass.papers.depth.grid import Combination
from allpass.papers.depth.study import STUDY, Deep, DepthStudy, middle
from allpass.papers.runner import reproduce
from allpass.papers.study import Plan
from allpass.train.executors import Event, Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

QUICK = Plan(cells=("relu", "2"), quick=True)
GLOROT, HE = (Combination("cora", "relu", name, 2) for name in ("glorot", "he"))


class Here:
    """Does tasks of one study in this process."""

    def __init__(self, study: DepthStudy) -> None:
        self.study = study
        self.done = 0

    def run(self, tasks: Sequence[Task]) -> Iterator[Event]:
        for number, task in enumerate(tasks):
            for runs in self.study.perform(task, "cpu"):
                self.done += len(runs)
                yield Event(number, runs)
            yield Event(number, ended=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def invent(store: Store, combination: Combination, scores: Callable[[Key], dict[str, float]]) -> None:
    """Put runs into a store that nobody made."""
    (task,) = [task for task in STUDY.tasks(QUICK, store) if task.title == str(combination)]
    for key in STUDY.keys(task):
        found = {"train_score": 0.9, "val_loss": 1.0, "majority": 0.3, **scores(key)}
        status = "diverged" if found["test_score"] < 0 else "done"
        sizes = {f"start_{name}": np.zeros(2) for name in ("variance", "gradient_variance", "energy")}
        store.add(Run(key=key, status=status, epochs=5, scores=found, curves=sizes))


def test_tasks_have_titles_of_their_own(store: Store) -> None:
    tasks = STUDY.tasks(Plan(), store)
    assert len({task.title for task in tasks}) == len(tasks) == 1200
    assert tasks[0].title == "2 layers on cora, glorot with relu"


def test_what_is_not_there_has_no_row(store: Store) -> None:
    assert STUDY.results(QUICK, store) == []


def test_the_learning_rate_is_chosen_without_the_test_nodes(store: Store) -> None:
    def scores(key: Key) -> dict[str, float]:
        slow = key.settings["lr"] == 0.001
        return {"val_score": 0.6 if slow else 0.5, "test_score": 0.3 + 0.02 * key.seed if slow else 0.9}

    invent(store, GLOROT, scores)
    (row,) = STUDY.results(QUICK, store)
    assert row.lr == 0.001
    assert row.mean == pytest.approx(31.0)
    assert row.scores == "30.00 32.00"
    assert (row.runs, row.tried) == (2, 4)


def test_rows_know_how_far_their_splits_share_nodes(store: Store) -> None:
    invent(store, GLOROT, lambda key: {"val_score": 0.5, "test_score": 0.5 + 0.1 * key.seed})
    (row,) = STUDY.results(QUICK, store)
    assert row.overlap == pytest.approx(541 / 1624, abs=1e-3)  # test over training nodes of Cora


def test_a_diverged_run_is_counted_and_has_no_right_answer(store: Store) -> None:
    invent(store, GLOROT, lambda key: {"val_score": 0.5, "test_score": -1.0 if key.seed else 0.8})
    (row,) = STUDY.results(QUICK, store)
    assert (row.diverged, row.tried_diverged, row.mean) == (1, 2, 40.0)


def test_a_loss_far_above_even_odds_has_exploded(store: Store) -> None:
    even = np.log(7)
    invent(
        store,
        GLOROT,
        lambda key: {"val_score": 0.5, "test_score": 0.5, "val_loss": even * (11 if key.seed else 9)},
    )
    (row,) = STUDY.results(QUICK, store)
    assert (row.tried_exploded, row.tried_diverged) == (2, 0)


def test_a_real_run_is_stored_once_and_gives_flat_rows(store: Store) -> None:
    fixed = {**STUDY.grid.fixed, "hidden_channels": 4}
    short = {**STUDY.grid.quick, "epochs": 2, "depths": [2, 4]}
    study = DepthStudy(STUDY.words, replace(STUDY.grid, fixed=fixed, quick=short))
    executor, plan = Here(study), Plan(cells=("relu",), quick=True)
    assert reproduce(study, store, executor, plan) == []
    assert executor.done == len(store) == 2 * 2 * 2 * 2  # depths, initialisations, rates, splits
    assert reproduce(study, store, executor, plan) == []
    assert executor.done == len(store)
    rows = study.results(plan, store)
    assert [(row.initialisation, row.layers) for row in rows] == [
        (name, depth) for depth in (2, 4) for name in ("glorot", "he")
    ]
    for row in rows:
        _check_layers(row)
    assert all(row.quick is True and row.ended for row in rows)


def _check_layers(row: Deep) -> None:
    profiles = [
        name for name in row.cells() if name.startswith(("start_", "end_", "independent_", "alike_"))
    ]  # measured twice, predicted twice
    assert len(profiles) == 3 + 3 + 3 + 2
    for name in profiles:
        assert len(str(getattr(row, name)).split()) == row.layers


def test_the_middle_of_runs() -> None:
    curves = np.array([[1, np.inf, 1], [3, np.nan, np.nan], [2, 5, np.nan], [9, 4, np.nan]])
    assert middle(curves)[:2].tolist() == [2, 5]
    assert np.isnan(middle(curves)[2])
    assert middle(np.empty((0, 3))).tolist() == []


def test_networks_whose_variance_is_beyond_float32_are_counted(store: Store) -> None:
    invent(store, GLOROT, lambda _: {"val_score": 0.5, "test_score": -1.0})
    (row,) = STUDY.results(QUICK, store)
    sizes = ["1.00 38.40", "1.00 38.60", "nan nan", "2.00 inf"]
    rows = [replace(row, layers=2 + place, start_variance=sizes[place]) for place in range(len(sizes))]
    kept = replace(row, layers=20, diverged=0, start_variance="0.10 0.20")
    facts = STUDY.facts([*rows, kept])
    assert (facts["over"], facts["over_lost"], facts["under_lost"]) == ("3 of 5", 3, 1)
