from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest
from tests.train.executors.tiny import acts, keys

from allpass.train.executors import Event, Local, Task
from allpass.train.executors.executor import events
from allpass.train.executors.pieces import Pieces
from allpass.train.executors.task import PIECE


def long(title: str, runs: int, **about: object) -> Task:
    """A task that names its runs, as the driver gives it."""
    task = acts(title, runs=runs, **about)
    return task.only(keys(task))


def done(tasks: Sequence[Task]) -> Generator[Event]:
    for number, task in enumerate(tasks):
        yield from events(number, task, "cpu")


@pytest.mark.parametrize(
    ("runs", "sizes"), [(1, [1]), (PIECE, [PIECE]), (PIECE + 1, [PIECE, 1]), (2 * PIECE, [PIECE] * 2)]
)
def test_every_run_is_in_one_piece(runs: int, sizes: list[int]) -> None:
    whole = [long("a", runs), acts("names none"), long("b", 3)]
    pieces = Pieces.cut(whole)
    assert [len(piece.left) for piece in pieces.tasks] == [*sizes, 0, 3]
    assert list(pieces.of) == [*[0] * len(sizes), 1, 2]
    assert sum((piece.left for piece in pieces.tasks[: len(sizes)]), ()) == whole[0].left
    assert {piece.title for piece in pieces.tasks} == {"a", "names none", "b"}


def test_a_task_ends_once_and_with_its_last_piece() -> None:
    pieces = Pieces.cut([long("a", 2 * PIECE + 1), long("b", 2)])
    found = list(pieces.joined(done(pieces.tasks)))
    assert [place for place, event in enumerate(found) if event.ended] == [2 * PIECE + 3, 2 * PIECE + 6]
    made = [(event.number, run.key.seed) for event in found for run in event.runs]
    assert made == [*((0, seed) for seed in range(2 * PIECE + 1)), (1, 0), (1, 1)]


def test_the_error_of_a_piece_is_one_of_its_task_and_the_others_go_on() -> None:
    pieces = Pieces.cut([long("a", PIECE + 2, end="refusal")])  # each ends after its first run
    found = list(pieces.joined(done(pieces.tasks)))
    assert [(event.error, event.ended) for event in found if event.error] == [
        ("Got 3. Expected 4.", False),
        ("Got 3. Expected 4.", True),
    ]
    assert [run.key.seed for event in found for run in event.runs] == [0, PIECE]


def test_who_listens_no_longer_ends_the_pieces_too() -> None:
    ended = []

    def going(tasks: Sequence[Task]) -> Generator[Event]:
        try:
            yield from done(tasks)
        finally:
            ended.append(True)

    pieces = Pieces.cut([long("a", 5)])
    joined = pieces.joined(going(pieces.tasks))
    next(joined)
    joined.close()
    assert ended


def test_several_processes_do_one_task() -> None:
    found = list(Local(workers=2).run([long("a", 3 * PIECE, pause=0.01)]))
    made = [run for event in found for run in event.runs]
    assert sorted(run.key.seed for run in made) == list(range(3 * PIECE))
    assert len({run.versions["process"] for run in made}) == 2
    assert [event.number for event in found if event.ended] == [0]
