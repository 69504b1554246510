"""Tasks done on this machine."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import torch

from allpass.errors import InputError
from allpass.train.executors.executor import Event, Executor, events
from allpass.train.executors.pieces import Pieces
from allpass.train.executors.processes import Pool
from allpass.train.executors.task import Task
from allpass.train.job import device_of


@dataclass(frozen=True)
class Local:
    """This machine.

    Args:
        device: Where to compute.
        workers: How many processes do tasks; with one it is this process, and tasks are done in their order. On a CPU
            several may do pieces of one task.
    """

    device: str = "cpu"
    workers: int = 1

    def __post_init__(self) -> None:
        if type(self.workers) is not int or self.workers < 1:
            raise InputError(f"Got workers = {self.workers!r}.", "Expected a whole number, 1 or more.")
        device_of(self.device)  # known before anything is begun

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do all tasks."""
        with self.held() as executor:
            yield from executor.run(tasks)

    @contextmanager
    def held(self) -> Iterator[Executor]:
        """The same for several rounds of tasks, with processes that stay."""
        device = str(device_of(self.device))
        if self.workers == 1:
            yield Alone(device)
            return
        with closing(Pool(device, self.workers)) as pool:
            yield Pooled(device, pool)


@dataclass(frozen=True)
class Alone:
    """This process.

    Args:
        device: Where it computes.
    """

    device: str

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do all tasks in their order."""
        for number, task in enumerate(tasks):
            yield from events(number, task, self.device)


@dataclass(frozen=True)
class Pooled:
    """Processes of this machine that have been started.

    Args:
        device: Where they compute.
        pool: The processes.
    """

    device: str
    pool: Pool

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do all tasks; on a CPU several processes may do pieces of one."""
        if torch.device(self.device).type != "cpu":
            yield from self.pool.run(tasks)
            return
        pieces = Pieces.cut(tasks)
        yield from pieces.joined(self.pool.run(pieces.tasks))
