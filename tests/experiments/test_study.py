"""Tasks and plans as plain data."""

from __future__ import annotations

import pickle

from tests.train.writers import key

from allpass.experiments.study import Plan, Task


def test_a_task_for_some_of_its_runs() -> None:
    task = Task("rank", "GCN", {"layers": 3}, gpu=0.5)
    some = task.only([key(4), key(2)])
    assert some.left == (key(4).identity, key(2).identity)
    assert task.left == ()
    assert (some.study, some.title, some.about, some.gpu) == ("rank", "GCN", {"layers": 3}, 0.5)


def test_a_task_travels_to_other_processes() -> None:
    task = Task("rank", "GCN", {"layers": [1, 2]}).only([key(1)])
    assert pickle.loads(pickle.dumps(task)) == task


def test_by_default_everything_is_asked_for_and_whole() -> None:
    assert Plan() == Plan(cells=(), quick=False)
    assert Task("rank", "GCN").left == ()
