"""Measurements are runs: only those that are wanted are made, each with its time and machine."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from allpass.papers.measuring import Measured, measure, stored
from allpass.papers.study import OfStudy
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions


def key(seed: int) -> Key:
    return Key(dataset="d", fingerprint="", model="m", split="", split_hash="", seed=seed)


def twice(one: Key) -> Measured:
    time.sleep(0.01)
    return Measured({"twice": 2 * one.seed}, {"up": np.arange(one.seed, dtype=np.float32)})


def test_what_is_wanted_is_measured_one_by_one(tmp_path: Path) -> None:
    keys = [key(seed) for seed in (3, 4, 5)]
    task = Task(OfStudy("study"), "title")
    every = [run for runs in measure(task, keys, "cpu", twice) for run in runs]
    assert [run.key.seed for run in every] == [3, 4, 5]
    (some,) = [run for runs in measure(task.only(keys[1:2]), keys, "cpu", twice) for run in runs]
    assert (some.key, some.scores, some.curves["up"].tolist()) == (keys[1], {"twice": 8.0}, [0, 1, 2, 3])
    assert some.seconds >= 0.01
    assert some.versions == versions("cpu")
    assert some.started is not None
    with Store(tmp_path / "runs.db") as store:
        store.add_many(every[:2])
        assert stored(keys, store) is None
        store.add_many(every[2:])
        found = stored(keys[::-1], store)
    assert found is not None
    assert [run.key.seed for run in found] == [5, 4, 3]
