"""Tasks and plans as plain data."""

from __future__ import annotations

import pickle

import pytest
from tests.train.writers import key

from allpass.errors import InputError
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


def test_single_cells_are_offered_to_whoever_asks_for_one() -> None:
    known = ["Row", "Column", "Row/Column"]
    with pytest.raises(InputError) as caught:
        Plan(("zzz",)).check("tiny", known)
    assert caught.value.cure == "Known names: Column, Row."
    with pytest.raises(InputError, match="Did you mean 'Row/Column'"):
        Plan(("Row/Colum",)).check("tiny", known)


@pytest.mark.parametrize("cell", ["Row/Column/Kind", "row/kind"])
def test_a_kind_behind_a_stroke_is_told_to_stand_behind_a_comma(cell: str) -> None:
    known = ["Row", "Other", "Column", "Kind", "Row/Column"]
    with pytest.raises(InputError) as caught:
        Plan((cell,)).check("tiny", known)
    assert caught.value.cure == f"Write {','.join(cell.rsplit('/', 1))!r}, with a comma."
    with pytest.raises(InputError, match="Did you mean 'Other'"):
        Plan(("Other/Column",)).check("tiny", known)  # a row and a column that do not meet


def test_a_name_is_not_taken_letter_by_letter() -> None:
    with pytest.raises(
        InputError, match=r"Got cells = 'bipartite'. Expected a tuple: cells=\('bipartite',\)"
    ):
        Plan(cells="bipartite")  # type: ignore[arg-type]
