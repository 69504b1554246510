"""Tasks as plain data."""

from __future__ import annotations

import pickle

from tests.train.executors.tiny import perform
from tests.train.writers import key

from allpass.papers.study import OfStudy
from allpass.train.executors import Task


def test_a_task_for_some_of_its_runs() -> None:
    task = Task(perform, "GCN", {"layers": 3}, gpu=0.5)
    some = task.only([key(4), key(2)])
    assert some.left == (key(4).identity, key(2).identity)
    assert task.left == ()
    assert (some.work, some.title, some.about, some.gpu) == (perform, "GCN", {"layers": 3}, 0.5)


def test_a_task_travels_to_other_processes() -> None:
    task = Task(perform, "GCN", {"layers": [1, 2]}).only([key(1)])
    assert pickle.loads(pickle.dumps(task)) == task


def test_the_work_travels_as_a_name_or_as_plain_data() -> None:
    for work in (perform, OfStudy("rank")):
        assert pickle.loads(pickle.dumps(Task(work, "GCN"))).work == work


def test_all_runs_of_a_task_are_wanted_by_default() -> None:
    assert Task(perform, "GCN").left == ()
