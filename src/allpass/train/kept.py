"""Trainings whose runs are kept: what a store holds is read, the rest is trained and stored the moment it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.early import warn_if_early
from allpass.train.engine.batch import Outcome
from allpass.train.fit import job_of
from allpass.train.job import Job, ProgressCallback, TrainingProgress
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions

PAUSE = 0.5
"""Seconds between two looks at a store while other processes finish what they have begun."""

_RENEWAL = 60.0  # seconds after which the claims on what is being trained are renewed


def fit_into(
    store: Store,
    model: str,
    data: Data,
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] = ({},),
    *,
    seeds: int | Sequence[int] = 0,
    on_progress: ProgressCallback | None = None,
    curves: bool = True,
    **options: Unpack[TrainingOptions],
) -> list[Run]:
    """Like :func:`~allpass.train.fit.fit`, with every run kept in a store, and none done twice.

    Runs that the store holds are read. The others are trained and stored in the moment they end, so one may stop at
    any time and call again to go on. Several processes may do this on one store: each takes a part of the runs, and
    all of them return when all runs are there. Weights are not kept.

    Args:
        store: Where runs are kept.
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        splits: One split or several.
        settings: One choice of settings or several.
        seeds: One seed or several.
        on_progress: Called every few epochs, for a progress bar.
        curves: Keep the losses and scores of every epoch.
        **options: Fields of :class:`~allpass.train.config.TrainingConfig`.

    Example:
        >>> import torch
        >>> from tempfile import TemporaryDirectory
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> with TemporaryDirectory() as folder, Store(f"{folder}/runs.db") as store:
        ...     for count in 2, 3:
        ...         runs = fit_into(store, "gcn", data, splits(data, "random", count=count))
        ...         print(len(runs), "runs, stored:", len(store))
        2 runs, stored: 2
        3 runs, stored: 3
    """
    job = job_of(model, data, splits, settings, seeds, TrainingConfig.of(**options), curves=curves)
    keys = {number: job.key(number) for number in range(len(job.wanted))}
    fill(store, job, keys, on_progress)
    runs = [run for key in keys.values() if (run := store.get(key)) is not None]
    if isinstance(settings, Mapping) or len(settings) == 1:
        warn_if_early(model, runs)
    return runs


def fill(
    store: Store, job: Job, keys: Mapping[int, Key], on_progress: ProgressCallback | None = None
) -> None:
    """Train those runs of a job that a store lacks, and store each the moment it ends.

    Args:
        store: Where runs are kept.
        job: The job.
        keys: The keys of the wanted runs, by their number.
        on_progress: Called every few epochs.
    """
    while missing := store.missing(keys.values()):
        worker = _Worker(store, keys, on_progress)
        try:
            for ended in runs_of(job, keys, worker.numbers(missing), worker.on_progress, take=worker.take):
                store.add_many(ended)
        finally:
            store.release(worker.taken)
        if not worker.taken:  # others are at work on all that is missing
            time.sleep(PAUSE)


def runs_of(
    job: Job,
    keys: Sequence[Key] | Mapping[int, Key],
    numbers: Sequence[int],
    on_progress: ProgressCallback | None = None,
    **more: Any,
) -> Iterator[list[Run]]:
    """Train some of the runs of a job and give them as they end, ready to be stored; weights are not kept."""
    made_with = versions(job.device)
    for ended in job.run(numbers, on_progress, weights=False, **more):
        yield [run_of(keys[number], outcome, made_with) for number, outcome in ended.items()]


class _Worker:
    """Takes runs for this process, and keeps its claims on them alive while they are trained."""

    def __init__(self, store: Store, keys: Mapping[int, Key], on_progress: ProgressCallback | None) -> None:
        self.store, self.keys, self.told = store, keys, on_progress
        self.places = {key.identity: number for number, key in reversed(list(keys.items()))}
        self.taken: list[Key] = []
        self.training: list[Key] = []
        self.renewed = time.monotonic()

    def numbers(self, keys: Sequence[Key]) -> list[int]:
        return [self.places[key.identity] for key in keys]

    def take(self, part: Sequence[int]) -> list[int]:
        self.training = self.store.claim([self.keys[number] for number in part])
        self.taken += self.training
        return self.numbers(self.training)

    def on_progress(self, reached: TrainingProgress) -> None:
        if time.monotonic() - self.renewed > _RENEWAL:
            self.store.claim(self.training)
            self.renewed = time.monotonic()
        if self.told is not None:
            self.told(reached)


def run_of(key: Key, outcome: Outcome, made_with: Mapping[str, str]) -> Run:
    """What came of a training, as a record."""
    return Run(
        key=key,
        status="diverged" if outcome.diverged else "done",
        epoch=outcome.epoch,
        epochs=outcome.epochs,
        scores=outcome.scores,
        seconds=outcome.seconds,
        curves={name: values.numpy() for name, values in outcome.curves.items()},
        versions=made_with,
    )
