"""One candidate on one split of a race, in this process or another one, until its time is up."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.errors import AllpassError
from allpass.train.config import TrainingConfig
from allpass.train.engine.batch import Outcome
from allpass.train.executors.cores import one_thread
from allpass.train.executors.executor import Event, Executor, held
from allpass.train.executors.task import Task
from allpass.train.fit import job_of
from allpass.train.job import Job, TrainingProgress

FEWEST_EPOCHS = 30
"""Epochs below which a network that is cut short says nothing."""

_FEWEST_ROUNDS = 10
_KNOWN: dict[str, Track] = {}


class _OutOfTimeError(Exception):
    """The time of a run is up before it came to anything."""


@dataclass(frozen=True)
class Lap:
    """A run that is wanted.

    Args:
        model: The name of the model.
        settings: Its settings.
        split: The number of the split.
        deadline: When it has to end, on the clock ``time.perf_counter``, which all processes of a machine share.
        share: The share of the time left that it may take.
        least: The least seconds that it takes; it is not begun where it may take fewer.
    """

    model: str
    settings: Mapping[str, object]
    split: int
    deadline: float
    share: float = 1.0
    least: float = 0.0


@dataclass(frozen=True)
class Ended:
    """A run that has ended.

    Args:
        outcome: Its result; ``seconds`` is all that it took.
        cut: Whether it ended because time was up, at its best epoch so far.
    """

    outcome: Outcome
    cut: bool


class Track:
    """Does laps on the splits of one graph.

    Args:
        data: The graph.
        folds: The splits.
        config: How networks are trained.
        weights: Keep what was learnt.
        alone: Train on one thread, so that numbers do not depend on how many processes there are.
    """

    def __init__(
        self, data: Data, folds: Sequence[Split], config: TrainingConfig, *, weights: bool, alone: bool
    ) -> None:
        self.data, self.folds, self.config, self.weights, self.alone = data, folds, config, weights, alone
        self._jobs: dict[str, Job] = {}
        self._prepared: dict[torch.device, Job] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process prepares its own jobs."""
        return _track, (self.data, self.folds, self.config, self.weights, self.alone)

    def job(self, model: str, settings: Mapping[str, object]) -> Job:
        """The runs of a model, one a split."""
        name = repr((model, sorted(settings.items())))
        if name not in self._jobs:
            self._jobs[name] = job_of(model, self.data, self.folds, settings, 0, self.config)
        return self._jobs[name]

    def run(self, lap: Lap) -> Ended | None:
        """Do a lap; None where the time is too short for it."""
        start = time.perf_counter()
        allowed = lap.share * (lap.deadline - start)
        if allowed <= 0 or lap.least > allowed:
            return None
        job, cut = self._ready(self.job(lap.model, lap.settings)), False
        is_network = bool(not job.entry.traits & {"fitted-directly", "parameter-free"})

        def on_progress(reached: TrainingProgress) -> None:
            nonlocal cut
            if time.perf_counter() <= start + allowed:
                return
            if is_network and reached.epoch < FEWEST_EPOCHS:
                raise _OutOfTimeError
            if reached.epoch >= _FEWEST_ROUNDS:  # what direct models need before the first is spent already
                reached.stop()
                cut = True

        try:
            with one_thread() if self.alone else nullcontext():
                (found,) = job.run([lap.split], on_progress, weights=self.weights)
        except _OutOfTimeError:
            return None
        return Ended(replace(found[lap.split], seconds=time.perf_counter() - start), cut)

    def laps(self, wanted: Sequence[Lap]) -> Iterator[tuple[int, Ended | None]]:
        """Do laps in their order; gives each with its number as it ends."""
        yield from ((number, self.run(lap)) for number, lap in enumerate(wanted))

    def _ready(self, job: Job) -> Job:
        """The job with the features and the graph that others have prepared."""
        prepared = self._prepared.setdefault(job.device, job)
        if prepared is not job:
            job.share(prepared)
        return job


def _track(data: Data, folds: Sequence[Split], config: TrainingConfig, weights: bool, alone: bool) -> Track:
    return Track(data, folds, config, weights=weights, alone=alone)


Laps = Callable[[Sequence[Lap]], Iterator[tuple[int, Ended | None]]]
"""Does laps and gives each with its number as it ends, in any order."""


@contextmanager
def team(track: Track, executor: Executor | None) -> Iterator[Laps]:
    """What does the laps of a track: processes that each have a copy of it, or this one without an executor.

    Args:
        track: The track.
        executor: Processes of this machine.
    """
    if executor is None:
        yield track.laps
        return
    with TemporaryDirectory(prefix="allpass-") as folder, held(executor) as ready:
        path = Path(folder, "track")
        path.write_bytes(pickle.dumps(track))
        yield partial(_elsewhere, cast("Executor", ready), str(path))


def _elsewhere(executor: Executor, path: str, wanted: Sequence[Lap]) -> Generator[tuple[int, Ended | None]]:
    tasks = [Task(_work, lap.model, {"track": path, "lap": vars(lap)}) for lap in wanted]
    with closing(executor.run(tasks)) as events:  # so that processes end when this does
        for event in events:
            if event.error:
                raise AllpassError(event.error)
            yield from ((event.number, pickle.loads(ended)) for ended in _bytes(event))  # noqa: S301 - ours


def _bytes(event: Event) -> Sequence[Any]:
    """What :func:`_work` gave: not runs, but laps as bytes, because tensors would travel as open files."""
    return event.runs


def _work(task: Task, _device: str) -> Iterator[Sequence[Any]]:
    """Do a lap in a process of its own; the track is read once."""
    path = task.about["track"]
    if path not in _KNOWN:
        _KNOWN.clear()
        _KNOWN[path] = pickle.loads(Path(path).read_bytes())  # noqa: S301 - the process that asks wrote it
    yield [pickle.dumps(_KNOWN[path].run(Lap(**task.about["lap"])))]
