"""Runs of jobs from wherever they come: a store, this process, or an executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from allpass.errors import AllpassError
from allpass.train.executors.cores import threads_for
from allpass.train.executors.executor import Executor
from allpass.train.job import Job, ProgressCallback, TrainingProgress
from allpass.train.kept import PAUSE, fill, runs_of
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.travelling import JobWork

_CLAIM = 86_400.0  # seconds; claims end with this process anyway


@dataclass(frozen=True)
class Wish:
    """Some runs of a job.

    Args:
        job: The job.
        numbers: Which of its runs.
    """

    job: Job
    numbers: Sequence[int]


def obtain(
    wishes: Sequence[Wish],
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    on_progress: ProgressCallback | None = None,
) -> list[list[Run]]:
    """The runs that are wished for, in their order: read from the store where it has them, else trained.

    Only this process writes the store, the moment a run ends. The numbers are the same whatever does the runs.

    Args:
        wishes: What is wanted.
        store: Where runs are kept; without one they are kept in memory.
        executor: What does the runs; by default this process.
        on_progress: Called every few epochs, or with an executor whenever runs have ended.
    """
    keys = [{number: wish.job.key(number) for number in wish.numbers} for wish in wishes]
    if executor is not None:
        found = _elsewhere(wishes, keys, store, executor, on_progress)
    else:
        found = _here(wishes, keys, store, on_progress)
    return [[found[key.identity] for key in of_wish.values()] for of_wish in keys]


def counted(
    on_progress: ProgressCallback | None, before: int, each: int, runs: int
) -> ProgressCallback | None:
    """Reports on one part of the runs, told as reports on all of them.

    Args:
        on_progress: Is told.
        before: Runs of the parts before.
        each: Runs of this part; those that a store held count as ended.
        runs: Runs of all parts.
    """
    if on_progress is None:
        return None

    def told(reached: TrainingProgress) -> None:
        on_progress(replace(reached, ended=before + each - reached.runs + reached.ended, runs=runs))

    return told


def _here(
    wishes: Sequence[Wish],
    keys: Sequence[dict[int, Key]],
    store: Store | None,
    on_progress: ProgressCallback | None,
) -> dict[str, Run]:
    found: dict[str, Run] = {}
    total, before = sum(map(len, keys)), 0
    for wish, of_wish in zip(wishes, keys, strict=True):
        told = counted(on_progress, before, len(of_wish), total)
        with threads_for(wish.job):
            if store is None:
                for ended in runs_of(wish.job, of_wish, list(of_wish), told):
                    found.update((run.key.identity, run) for run in ended)
            else:
                fill(store, wish.job, of_wish, told)
        before += len(of_wish)
    return found if store is None else _stored(store, keys)


def _stored(store: Store, keys: Sequence[dict[int, Key]]) -> dict[str, Run]:
    return {run.key.identity: run for of_wish in keys for run in store.find(of_wish.values())}


def _elsewhere(
    wishes: Sequence[Wish],
    keys: Sequence[dict[int, Key]],
    store: Store | None,
    executor: Executor,
    on_progress: ProgressCallback | None,
) -> dict[str, Run]:
    found: dict[str, Run] = {}
    every = {key.identity: key for of_wish in keys for key in of_wish.values()}
    keep: Callable[[Sequence[Run]], object] = lambda runs: found.update(  # noqa: E731
        (run.key.identity, run) for run in runs
    )
    missing = list(every.values()) if store is None else store.missing(every.values())
    while missing:
        mine = missing if store is None else store.claim(missing, seconds=_CLAIM)
        try:
            _do(wishes, keys, mine, executor, keep if store is None else store.add_many, on_progress)
        finally:
            if store is not None:
                store.release(mine)
        if store is None:
            break
        missing = store.missing(every.values())
        if not mine:  # others are training all that is missing
            time.sleep(PAUSE)
    return found if store is None else _stored(store, keys)


def _do(
    wishes: Sequence[Wish],
    keys: Sequence[dict[int, Key]],
    mine: Sequence[Key],
    executor: Executor,
    keep: Callable[[Sequence[Run]], object],
    on_progress: ProgressCallback | None,
) -> None:
    """Have runs done, and keep each the moment it ends."""
    left = {key.identity for key in mine}
    total = sum(map(len, keys))
    tasks = []
    for wish, of_wish in zip(wishes, keys, strict=True):
        numbers = list(
            {key.identity: number for number, key in of_wish.items() if key.identity in left}.values()
        )
        if numbers:
            tasks.append(JobWork.of(wish.job).task(wish.job.model, numbers))
    if not tasks:
        return
    with closing(executor.run(tasks)) as events:  # so that workers end when this does
        for event in events:
            if event.error:
                raise AllpassError(event.error)
            keep(event.runs)
            left -= {run.key.identity for run in event.runs}
            if on_progress is not None and event.runs:
                on_progress(TrainingProgress(None, total - len(left), total))
    if left:
        raise AllpassError(f"{len(left)} runs ended without a result.", "Run the same again for the rest.")
