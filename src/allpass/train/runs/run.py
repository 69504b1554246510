"""One training as a record: what identifies it, how it ended, its curves, where and when it ran."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.canonical import plain
from allpass.errors import InputError, did_you_mean
from allpass.train.runs.identity import identity
from allpass.train.shown import training_table, training_text

STATUSES = ("done", "diverged")
"""How a run may end: with scores, or with a loss that is no number."""

CURVE_LIMIT = 2**24
"""The most values of one curve: 64 MiB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Key:
    """What decides the numbers of a run; two keys are equal when their identities are.

    Args:
        dataset: The name of the graph, for people: the fingerprint identifies it, this does not.
        fingerprint: The hash of the graph's content, of :func:`allpass.data.fingerprint`.
        model: The name of the model.
        settings: The settings of model and training that vary between runs.
        split: The name of the split, such as ``"geom-gcn/3"``.
        split_hash: A hash of the split's masks.
        seed: The seed of initial weights and dropout.
        protocol: What is the same for all runs of one comparison: optimiser, stopping, selection, epochs, precision.

    Notes:
        Settings and protocol are kept as copies in the types of JSON. ``0`` and ``0.0`` are one setting.
    """

    dataset: str
    fingerprint: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    split: str
    split_hash: str
    seed: int
    protocol: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("dataset", "fingerprint", "model", "split", "split_hash"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"{name} is {getattr(self, name)!r}; it has to be a text.")
        for name in ("settings", "protocol"):
            if not isinstance(getattr(self, name), Mapping):
                raise InputError(
                    f"{name} is {getattr(self, name)!r}; it has to be a dict.", f"Pass {name}={{}}."
                )
        for part in fields(self):
            object.__setattr__(self, part.name, plain(getattr(self, part.name), part.name))
        if type(self.seed) is not int or not -(2**63) <= self.seed < 2**63:
            raise InputError(f"seed is {self.seed!r}; it has to be a whole number of at most 64 bits.")

    @cached_property
    def identity(self) -> str:
        """The hash that names the run: equal keys have it in common, on every machine."""
        content = self.to_dict()
        del content["dataset"]
        return identity(content)

    def to_dict(self) -> dict[str, Any]:
        """The key as plain data."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, Key) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """One training that came to an end.

    Args:
        key: What identifies it.
        status: ``"done"`` or ``"diverged"``.
        epoch: The epoch that is reported; nothing when there is none to report.
        epochs: How many epochs ran.
        scores: Numbers by name, such as ``"val_loss"`` or ``"test_score"``; infinite and NaN are numbers too.
        seconds: The time it took; its share, where it was trained together with others.
        curves: Small arrays by name, kept as float32.
        versions: Versions and machine by name, of :func:`allpass.train.runs.versions.versions`.
        started: When it began.
        ended: When it ended, by default now.
    """

    key: Key
    status: str = "done"
    epoch: int | None = None
    epochs: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    curves: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    started: datetime | None = None
    ended: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        checked = {
            "status": check_status(self.status),
            "epoch": None if self.epoch is None else _count("epoch", self.epoch),
            "epochs": _count("epochs", self.epochs),
            "scores": {name: _score(name, value) for name, value in self.scores.items()},
            "seconds": _seconds(self.seconds),
            "curves": {name: _curve(name, values) for name, values in self.curves.items()},
            "versions": {str(name): str(value) for name, value in self.versions.items()},
            "started": None if self.started is None else _moment("started", self.started),
            "ended": _moment("ended", self.ended),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return training_text(self)

    def _repr_html_(self) -> str:
        return training_table(self)

    def agrees(self, other: Run) -> bool:
        """Whether two runs ended with the same numbers; time, place and curves may differ."""
        mine, theirs = ((run.status, run.epoch, run.epochs, _exact(run.scores)) for run in (self, other))
        return mine == theirs

    def to_dict(self) -> dict[str, Any]:
        """The run as plain data, without its curves; a number that JSON lacks is None."""
        return {
            "identity": self.key.identity,
            **self.key.to_dict(),
            "status": self.status,
            "epoch": self.epoch,
            "epochs": self.epochs,
            "scores": {name: value if math.isfinite(value) else None for name, value in self.scores.items()},
            "seconds": self.seconds,
            "versions": dict(self.versions),
            "started": None if self.started is None else self.started.isoformat(),
            "ended": self.ended.isoformat(),
        }


def check_status(status: str) -> str:
    """The status itself, or an error that lists the known ones."""
    if status not in STATUSES:
        raise InputError(f"A run has no status {status!r}.", did_you_mean(str(status), STATUSES))
    return status


def _exact(scores: Mapping[str, float]) -> dict[str, str]:
    return {name: repr(value) for name, value in scores.items()}  # so that NaN equals NaN


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 2**63:
        raise InputError(f"{name} is {value!r}; it has to be a whole number, 0 or more.")
    return int(value)


def _score(name: object, value: Any) -> float:
    if not isinstance(name, str):
        raise InputError(f"A score is named {name!r}; a name has to be a text.")
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"The score {name!r} is {value!r}; it has to be one number.") from error


def _seconds(value: Any) -> float:
    seconds = _score("seconds", value)
    if not 0 <= seconds < math.inf:
        raise InputError(f"seconds is {seconds!r}; it has to be finite and not negative.")
    return seconds


def _curve(name: object, values: Any) -> NDArray[np.float32]:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"The curve {name!r} is no array: {error}", "Pass a NumPy array or a tensor of the CPU."
        ) from error
    if not isinstance(name, str) or array.dtype.kind not in "fiub":
        raise InputError(f"The curve {name!r} is of type {array.dtype}.", "Name it by a text, pass numbers.")
    if array.size > CURVE_LIMIT:
        raise InputError(
            f"The curve {name!r} has {array.size:,} values; {CURVE_LIMIT:,} are the most.",
            "Store curves here, and tensors in a checkpoint.",
        )
    with np.errstate(over="ignore"):  # a loss beyond float32 is infinite there
        return np.array(array, dtype=np.float32)


def _moment(name: str, value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InputError(f"{name} is {value!r}; it has to be a time with its zone.", "Use datetime.now(UTC).")
    return value.astimezone(UTC)
