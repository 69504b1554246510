"""Bootstrap intervals of a saving and of a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95% interval."""

    value: float
    low: float
    high: float


def saving(ours: Any, base: Any) -> Interval:
    """By which share the mean is below that of a baseline with the same seeds; seeds are drawn in pairs."""
    ours, base = np.asarray(ours, dtype=float), np.asarray(base, dtype=float)
    return _bootstrap(lambda rows: 1 - ours[rows].mean(axis=-1) / base[rows].mean(axis=-1), len(base))


def difference(ours: Any, base: Any) -> Interval:
    """By how much the mean is above that of a baseline with the same seeds; seeds are drawn in pairs."""
    ours, base = np.asarray(ours, dtype=float), np.asarray(base, dtype=float)
    return _bootstrap(lambda rows: (ours[rows] - base[rows]).mean(axis=-1), len(base))


def mean(values: Any) -> Interval:
    """The mean."""
    values = np.asarray(values, dtype=float)
    return _bootstrap(lambda rows: values[rows].mean(axis=-1), len(values))


def _bootstrap(statistic: Callable[[NDArray[np.int64]], Array], count: int, draws: int = 10_000) -> Interval:
    rows = np.random.default_rng(0).integers(count, size=(draws, count))
    low, high = np.percentile(statistic(rows), [2.5, 97.5])
    return Interval(float(statistic(np.arange(count))), float(low), float(high))
