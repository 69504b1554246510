"""Measurements as runs: they are stored, resumed and merged as trainings are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions

if TYPE_CHECKING:
    from allpass.papers.study import Plan, Study


@dataclass(frozen=True)
class Measured:
    """What a measurement gives.

    Args:
        scores: Numbers by name.
        curves: Small arrays by name, kept as float32.
    """

    scores: Mapping[str, float]
    curves: Mapping[str, NDArray[np.floating]] = field(default_factory=dict)


def measure(
    task: Task, keys: Sequence[Key], device: str, how: Callable[[Key], Measured]
) -> Iterator[Sequence[Run]]:
    """Measure what is left of a task, one key after the other, each with its time.

    Args:
        task: The task.
        keys: The keys of all its measurements.
        device: Where it is done, for the record.
        how: Measures what a key names.
    """
    made_with = versions(device)
    for key in keys:
        if task.left and key.identity not in task.left:
            continue
        started, begin = datetime.now(UTC), time.perf_counter()
        found = how(key)
        yield [
            Run(
                key=key,
                scores=found.scores,
                curves={name: values.astype(np.float32) for name, values in found.curves.items()},
                seconds=time.perf_counter() - begin,
                versions=made_with,
                started=started,
            )
        ]


def key_of(study: str, method: int, *, dataset: str, seed: int = 0, **more: Any) -> Key:
    """The key of a measurement, which has no split.

    Args:
        study: The ID of the study.
        method: Raised when the same key would give other numbers.
        dataset: The graph.
        seed: Of what is drawn.
        more: ``fingerprint``, ``model`` and ``settings`` of a key; everything else goes into its protocol.
    """
    parts = {"fingerprint": "", "model": "", "settings": {}}
    given = {name: more.pop(name, default) for name, default in parts.items()}
    protocol = {"study": study, "method": method, **more}
    return Key(dataset=dataset, split="", split_hash="", seed=seed, protocol=protocol, **given)


def finished(study: Study[Any], plan: Plan, store: Store) -> Iterator[tuple[Mapping[str, Any], list[Run]]]:
    """What each task of a study is about, and its runs, where a store has all of them."""
    for task in study.tasks(plan, store):
        runs = stored(study.keys(task), store)
        if runs is not None:
            yield task.about, runs


def stored(keys: Sequence[Key], store: Store) -> list[Run] | None:
    """The runs of keys with their curves, in order; None where one is missing."""
    runs = [store.get(key) for key in keys]
    found = [run for run in runs if run is not None]
    return found if len(found) == len(runs) else None
