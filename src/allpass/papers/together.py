"""Measurements of many seeds that are made side by side, each kept as a run of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from allpass.papers.measuring import Measured, measure
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run


def measure_together(
    task: Task,
    keys: Sequence[Key],
    device: str,
    how: Callable[[Key, Sequence[int]], Mapping[int, Measured]],
) -> Iterator[Sequence[Run]]:
    """Measure the seeds that are wanted of a task in one call; its time is shared out.

    Args:
        task: The task.
        keys: The keys of all its runs, which differ in the seed alone.
        device: Where it is done, for the record.
        how: Measures some seeds, given any of the keys.
    """
    wanted = [key.seed for key in keys if not task.left or key.identity in task.left]
    found: dict[int, Measured] = {}

    def one_of(key: Key) -> Measured:
        if not found:
            found.update(how(key, wanted))
        return found[key.seed]

    runs = [run for batch in measure(task, keys, device, one_of) for run in batch]
    shared = sum(run.seconds for run in runs) / max(len(runs), 1)
    yield [dataclasses.replace(run, seconds=shared) for run in runs]
