"""What does tasks, whatever machines it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from allpass.experiments.study import Task
from allpass.train.run import Run


@dataclass(frozen=True)
class Event:
    """Something that came of a task.

    Args:
        number: The place of the task among those that were given.
        runs: Runs that have ended.
        ended: Whether nothing more will come of it.
        error: Why it ended before its end; or empty.
    """

    number: int
    runs: Sequence[Run] = ()
    ended: bool = False
    error: str = ""


class Executor(Protocol):
    """Does tasks and tells what came of them. It writes nothing: only who asked keeps the runs.

    A run may come twice where a worker died and its task was begun again; the two are equal.
    """

    def run(self, tasks: Sequence[Task]) -> Iterator[Event]:
        """Do all tasks, in any order; every one of them has an event that ends it."""
        ...
