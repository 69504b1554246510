"""Two rows of a table against each other, on the splits that both were run on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from allpass.experiments.tables.spec import Cell
from allpass.experiments.tables.study import Kind
from allpass.report.results.tables.cells import Results, number, signed
from allpass.train.statistics import paired

Version: TypeAlias = Literal["published", "same", "honest"]
VERSIONS: dict[Version, str] = {
    "published": "published",
    "same": "ours, same settings",
    "honest": "ours, honest",
}
"""Whose numbers, and how they are told."""


@dataclass(frozen=True)
class Mean:
    """One number of a table.

    Args:
        row: Whose it is.
        mean: The mean, in percent.
        deviation: Its deviation; 0 where none is known.
        scores: The score of each split; empty where they were not printed.
    """

    row: str
    mean: float
    deviation: float = 0.0
    scores: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ahead:
    """One number minus another.

    Args:
        points: The difference.
        interval: Its 95% interval over the splits, taken as independent; nothing where it is not known.
    """

    points: float
    interval: tuple[float, float] | None = None

    @property
    def side(self) -> Literal[-1, 0, 1]:
        """On which side of 0 the interval lies; 0 where it holds it, or is not known."""
        low, high = self.interval or (0.0, 0.0)
        return 1 if low > 0 else -1 if high < 0 else 0

    def __str__(self) -> str:
        text = signed(self.points)
        return f"{text} [{', '.join(map(signed, self.interval))}]" if self.interval else text


def kind_of(version: Version) -> Kind:
    """Whose columns the numbers stand in: published ones are of the data as they were."""
    return "honest" if version == "honest" else "same"


def mean_of(results: Results, cell: Cell | None, version: Version) -> Mean | None:
    """The number in a place, if there is one.

    Args:
        results: The rows of the table.
        cell: The place.
        version: Whose number.
    """
    if cell is None:
        return None
    if version == "published":
        return Mean(cell.row, cell.published[0], sum(cell.published[1:])) if cell.published else None
    row = results.get(cell, version)
    average = number(row, "mean")
    if row is None or average is None:
        return None
    scores = tuple(map(float, str(row["scores"]).split()))
    return Mean(cell.row, average, number(row, "deviation") or 0.0, scores)


def difference(first: Mean, second: Mean) -> Ahead:
    """The first mean minus the second, with its interval where both were run on the same splits.

    Args:
        first: One of them.
        second: The other.
    """
    points = first.mean - second.mean
    if len(first.scores) < 2 or len(first.scores) != len(second.scores):
        return Ahead(points)
    found = paired(first.scores, second.scores)
    return Ahead(points, (found.low, found.high)) if math.isfinite(found.low) else Ahead(points)
