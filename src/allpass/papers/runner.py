"""The driver: asks a study what there is to do, has it done, and stores every run the moment it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from allpass.errors import AllpassError, InputError
from allpass.papers.result import R
from allpass.papers.study import Plan, Study
from allpass.train.executors.executor import Executor
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key
from allpass.train.runs.store import Store

CLAIM = 30 * 24 * 3600.0
"""Seconds that a process may claim a study in a store; the claim ends with the process."""


@dataclass(frozen=True)
class Progress:
    """How far a reproduction is.

    Args:
        wanted: Runs that are known to be needed so far.
        stored: How many of them are stored.
        title: The task that made the last run.
    """

    wanted: int
    stored: int
    title: str = ""


@dataclass(frozen=True)
class Failure:
    """A task that failed.

    Args:
        title: What it was.
        error: Why.
    """

    title: str
    error: str


ProgressCallback = Callable[[Progress], None]


def reproduce(
    study: Study[R],
    store: Store,
    executor: Executor,
    plan: Plan | None = None,
    on_progress: ProgressCallback | None = None,
    known: Sequence[R] = (),
) -> list[Failure]:
    """Run everything of a plan that a store does not hold yet; returns the tasks that failed.

    Args:
        study: What is reproduced.
        store: Where runs are kept; only this process writes it.
        executor: Does the tasks.
        plan: Which part is wanted; by default all.
        on_progress: Called with the progress, for a progress bar; may raise to stop early.
        known: Rows of an earlier run; what they hold is not run again.
    """
    plan = plan or Plan()
    unnamed: dict[str, Any] = dict.fromkeys(("dataset", "fingerprint", "model", "split", "split_hash"), "")
    claim = [Key(**unnamed, seed=0, protocol={"driver": study.id})]
    if not store.claim(claim, seconds=CLAIM):
        raise InputError(
            f"Another process is running {study.id!r} in the store {str(store.path)!r}.",
            "Wait until it ends, or give another --store; allpass store merge joins two.",
        )
    try:
        return _run(study, store, executor, plan, on_progress or (lambda _: None), known)
    finally:
        store.release(claim)


def _run(
    study: Study[R],
    store: Store,
    executor: Executor,
    plan: Plan,
    on_progress: ProgressCallback,
    known: Sequence[R],
) -> list[Failure]:
    failed = dict[str, Failure]()
    while True:
        needed = dict[str, tuple[Task, Sequence[Key]]]()
        for task in study.tasks(plan, store, known):
            try:
                needed[task.title] = task, study.keys(task)
            except AllpassError as error:  # such as a dataset that cannot be read
                failed[task.title] = Failure(task.title, str(error))
        missing = {title: store.missing(keys) for title, (_, keys) in needed.items()}
        tasks = [
            task.only(missing[title])
            for title, (task, _) in needed.items()
            if missing[title] and title not in failed
        ]
        wanted = len({key.identity for _, keys in needed.values() for key in keys})
        left = {key.identity for keys in missing.values() for key in keys}
        on_progress(Progress(wanted, wanted - len(left)))
        if not tasks:
            return list(failed.values())
        with closing(executor.run(tasks)) as events:  # so that workers end when this does
            for event in events:
                task = tasks[event.number]
                store.add_many(event.runs)
                left -= {run.key.identity for run in event.runs}
                on_progress(Progress(wanted, wanted - len(left), task.title))
                if event.error:
                    failed[task.title] = Failure(task.title, event.error)
        for task in tasks:  # a task that left runs out would be begun for ever
            if task.title not in failed and store.missing(study.keys(task)):
                failed[task.title] = Failure(task.title, "It ended without all of its runs.")
