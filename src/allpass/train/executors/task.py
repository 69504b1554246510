"""A piece of work that travels to another process or machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from allpass.train.runs.run import Key, Run

PIECE = 48
"""Runs of a piece: enough that what a worker does before the first one does not matter."""

Work: TypeAlias = Callable[["Task", str], Iterator[Sequence[Run]]]
"""Does a task on a device and gives its runs as they end. It is pickled: a function at the top of a module, or an
object with ``__call__``."""


@dataclass(frozen=True)
class Task:
    """A piece of work as plain data, and the function that does it.

    Args:
        work: Does the task.
        title: What it is, for people.
        about: What the work needs to know, in the types of JSON.
        left: The identities of the runs that are wanted of it; all of them where it is empty.
        gpu: The share of a GPU that it takes, where there is one.
        piece: How many runs a worker does at a time on a CPU.
    """

    work: Work
    title: str
    about: Mapping[str, Any] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    gpu: float = 1.0
    piece: int = PIECE

    def only(self, keys: Sequence[Key]) -> Task:
        """The same for some of its runs."""
        return replace(self, left=tuple(key.identity for key in keys))
