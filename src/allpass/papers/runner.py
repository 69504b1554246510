"""The driver: asks a study what there is to do, has it done, and keeps every run the moment it ends."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass

from allpass.errors import AllpassError
from allpass.papers.study import Plan, Study
from allpass.train.executors.executor import Executor
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key
from allpass.train.runs.store import Store


@dataclass(frozen=True)
class Progress:
    """How far a reproduction is.

    Args:
        wanted: Runs that are known to be needed so far.
        stored: Those of them that are there.
        title: The task that something came of last.
    """

    wanted: int
    stored: int
    title: str = ""


@dataclass(frozen=True)
class Failure:
    """A task that could not be done.

    Args:
        title: What it was.
        error: Why.
    """

    title: str
    error: str


ProgressCallback = Callable[[Progress], None]


def reproduce(
    study: Study,
    store: Store,
    executor: Executor,
    plan: Plan | None = None,
    on_progress: ProgressCallback | None = None,
    known: Collection[str] = (),
) -> list[Failure]:
    """Do everything of a plan that a store does not hold yet; gives what could not be done.

    Args:
        study: What is reproduced.
        store: Where runs are kept; only this process writes it.
        executor: What does the tasks.
        plan: How much is asked for; by default all.
        on_progress: Told how far it is, for a progress bar; may raise to stop early.
        known: Titles of tasks that are left out, whatever the store holds.
    """
    plan, failed = plan or Plan(), dict[str, Failure]()
    on_progress = on_progress or (lambda _: None)
    while True:
        needed = dict[str, tuple[Task, list[Key]]]()
        for task in study.tasks(plan, store):
            if task.title in known:
                continue
            try:
                needed[task.title] = task, study.keys(task)
            except AllpassError as error:  # such as data that is not at hand
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
        failed |= _silent(tasks, store, study, failed)


def _silent(tasks: list[Task], store: Store, study: Study, failed: dict[str, Failure]) -> dict[str, Failure]:
    """Tasks that ended without an error and left something out: to begin them again would not end."""
    return {
        task.title: Failure(task.title, "It ended without all of its runs.")
        for task in tasks
        if task.title not in failed and store.missing(study.keys(task))
    }
