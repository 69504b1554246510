"""A study of made-up runs, whose tasks may fail, kill or wait; other processes find it here by name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from matplotlib.figure import Figure
from pandas import DataFrame, Index

from allpass.errors import DeviceError, InputError
from allpass.papers.result import Result, made
from allpass.papers.study import Plan, Words
from allpass.papers.tables.trainings import Trainings
from allpass.train.executors import Event, Executor, Task
from allpass.train.executors.task import Work
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store


def acts(title: str, *, runs: int = 2, gpu: float = 1.0, **about: object) -> Task:
    """A task that is acted.

    Args:
        title: What it is.
        runs: How many it makes.
        gpu: The share of a GPU that it takes.
        about: ``pause`` in seconds before each run; ``meet``, a folder where it waits for another one that meets
            there; ``end``, what happens after the first run.
    """
    return Task(perform, title, {"runs": runs, **about}, gpu=gpu)


def trains(title: str, trainings: Trainings) -> Task:
    """A task that trains."""
    return Task(perform, title, {"trainings": trainings.to_dict()})


def keys(task: Task) -> list[Key]:
    if "trainings" in task.about:
        return Trainings.from_dict(task.about["trainings"]).keys()
    return [
        Key(dataset="tiny", fingerprint="", model=task.title, split="", split_hash="", seed=seed)
        for seed in range(task.about["runs"])
    ]


def perform(task: Task, device: str) -> Iterator[Sequence[Run]]:
    """Act, or train; runs tell who made them, when and with what."""
    if "trainings" in task.about:
        yield from Trainings.from_dict(task.about["trainings"]).runs(task.left, device)
        return
    for key in keys(task):
        if task.left and key.identity not in task.left:
            continue
        began = time.time()
        time.sleep(task.about.get("pause", 0))
        if "meet" in task.about:
            _meet(Path(task.about["meet"]), task.title)
        versions = {
            "process": str(os.getpid()),
            "device": device,
            "threads": str(torch.get_num_threads()),
            "machine": os.environ.get("MACHINE", ""),
            "data": os.environ.get("ALLPASS_DATA", ""),
        }
        yield [Run(key=key, scores={"began": began, "ended": time.time()}, versions=versions)]
        _end(task)


def _meet(folder: Path, name: str) -> None:
    (folder / name).touch()
    deadline = time.monotonic() + 200
    while len(list(folder.iterdir())) < 2:
        if time.monotonic() > deadline:
            raise TimeoutError("nobody came")
        time.sleep(0.01)


def _end(task: Task) -> None:
    match task.about.get("end"):
        case "refusal":
            raise InputError("Got 3.", "Expected 4.")
        case "error":
            raise ZeroDivisionError("division by zero")
        case "death":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "one death" if _first(task):
            os.kill(os.getpid(), signal.SIGKILL)
        case "one loss" if _first(task):
            raise DeviceError("The device does nothing more.")
        case "one fault" if _first(task):
            torch.zeros(1, device="cuda")[torch.full((1,), 7, device="cuda")].item()


def _first(task: Task) -> bool:
    """Whether a task ends here for the first time."""
    mark = Path(task.about["mark"])
    known = mark.exists()
    mark.touch()
    return not known


@dataclass(frozen=True, kw_only=True)
class Made(Result):
    """All that two runs of the same key have in common: their numbers, to the last bit."""

    place: ClassVar[tuple[str, ...]] = ("identity",)

    identity: str
    status: str
    epoch: int | None
    epochs: int
    scores: str


WORDS = Words(title="Tiny", source="", claim="", verdict="", advice="", picture="", table="All runs.")


@dataclass(frozen=True)
class Doomed:
    """Work that on the machine named ``doomed`` leaves the number of its process in a folder and hangs in mid-run."""

    work: Work
    folder: str

    def __call__(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        for runs in self.work(task, device):
            if os.environ.get("MACHINE") == "doomed":
                (Path(self.folder) / str(os.getpid())).touch()
                time.sleep(300)
            yield runs


@dataclass(frozen=True)
class Tiny:
    """Some tasks as a study."""

    given: Sequence[Task]
    id: str = "tiny"
    words: Words = WORDS
    result = Made

    def axes(self) -> Mapping[str, Sequence[str]]:
        return {}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Made] = ()) -> list[Task]:
        return list(self.given)

    def keys(self, task: Task) -> list[Key]:
        return keys(task)

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return perform(task, device)

    def results(self, plan: Plan, store: Store) -> list[Made]:
        found = [store.get(key) for task in self.given for key in keys(task)]
        return [
            Made(
                identity=run.key.identity,
                status=run.status,
                epoch=run.epoch,
                epochs=run.epochs,
                scores=" ".join(f"{name} {value.hex()}" for name, value in run.scores.items()),
                **made([run]),
            )
            for run in found
            if run is not None
        ]

    def facts(self, results: Sequence[Made]) -> Mapping[str, object]:
        return {}

    def matrix(self, results: Sequence[Made]) -> DataFrame:
        return DataFrame(
            {"status": [one.status for one in results]},
            index=Index([one.identity for one in results], name="run"),
        )

    def picture(self, results: Sequence[Made]) -> Figure:
        return Figure()


def numbers_of(results: Sequence[Made]) -> list[tuple[object, ...]]:
    """Rows without when and where they were made."""
    return [(one.identity, one.status, one.epoch, one.epochs, one.scores) for one in results]


def check_events(executor: Executor, folder: Path) -> list[Event]:
    """What every executor owes: all runs, an end for each task, and an error for those alone that have one."""
    tasks = [
        acts("fine"),
        acts("refused", end="refusal"),
        acts("failed", end="error"),
        acts("struck", end="one death", mark=str(folder / "struck")),
        acts("robbed", end="one loss", mark=str(folder / "robbed")),
        acts("deadly", end="death"),
        acts("long", runs=4),
    ]
    found = list(executor.run(tasks))
    ends = {tasks[event.number].title: event.error for event in found if event.ended}
    assert sum(event.ended for event in found) == len(tasks)
    made = {
        title: {run.key.seed for event in found for run in event.runs if run.key.model == title}
        for title in ends
    }
    assert made.pop("deadly") <= {0}  # a run may die on its way
    assert made == {
        "fine": {0, 1},
        "refused": {0},
        "failed": {0},
        "struck": {0, 1},
        "robbed": {0, 1},
        "long": {0, 1, 2, 3},
    }
    assert ends["refused"] == "Got 3. Expected 4."
    assert ends["failed"] == "ZeroDivisionError: division by zero"
    assert ends["deadly"].startswith("It was begun 3 times, and its worker died each time.")
    assert {ends[title] for title in ("fine", "struck", "robbed", "long")} == {""}
    return found
