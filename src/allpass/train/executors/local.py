"""Tasks done on this machine."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from allpass.errors import InputError
from allpass.train.executors.executor import Event, events
from allpass.train.executors.pieces import Pieces
from allpass.train.executors.processes import in_processes
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
        device = device_of(self.device)
        if self.workers == 1:
            for number, task in enumerate(tasks):
                yield from events(number, task, str(device))
        elif device.type == "cpu":
            pieces = Pieces.cut(tasks)
            yield from pieces.joined(in_processes(pieces.tasks, str(device), self.workers))
        else:
            yield from in_processes(tasks, str(device), self.workers)
