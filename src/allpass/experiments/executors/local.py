"""Tasks done in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from allpass.errors import AllpassError
from allpass.experiments.executors.executor import Event
from allpass.experiments.study import Task


@dataclass(frozen=True)
class Local:
    """This process.

    Args:
        device: Where to compute.
    """

    device: str = "cpu"

    def run(self, tasks: Sequence[Task]) -> Iterator[Event]:
        """Do all tasks in their order."""
        from allpass.experiments.catalogue import STUDIES

        for number, task in enumerate(tasks):
            try:
                for runs in STUDIES[task.study].perform(task, self.device):
                    yield Event(number, runs)
            except AllpassError as error:
                yield Event(number, ended=True, error=str(error))
            else:
                yield Event(number, ended=True)
