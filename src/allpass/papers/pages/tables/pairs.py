"""Two rows of a table against each other: on the splits that both were run on, or as two samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import t

from allpass.papers.pages.tables.cells import Results, number, scores_of, signed
from allpass.papers.study import Row
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell
from allpass.train.statistics import paired, welch

Version: TypeAlias = Literal["published", "same", "honest"]
VERSIONS: dict[Version, str] = {
    "published": "published",
    "same": "ours, same settings",
    "honest": "ours, honest",
}
"""Whose numbers, and how they are told."""

INTERVALS = (
    "95% intervals go split by split where both networks were run on the same splits, widened for the nodes that "
    "splits share (Nadeau and Bengio, 2003); else they are Welch's."
)
"""What is said of the intervals of :func:`difference`."""


@dataclass(frozen=True)
class Mean:
    """One number of a table.

    Args:
        row: Whose it is.
        mean: The mean, in percent.
        deviation: Its deviation as the source has it; 0 where none is known.
        error: Its standard error; NaN where none is known.
        runs: How many runs it is of.
        splits: Which splits these were.
        scores: The score of each; empty where they were not printed.
        overlap: How much the splits share, see :func:`~allpass.train.statistics.overlap_of`.
        share: What the most frequent class gives there, if known.
    """

    row: str
    mean: float
    deviation: float = 0.0
    error: float = math.nan
    runs: int = 0
    splits: str = ""
    scores: tuple[float, ...] = ()
    overlap: float = 0.0
    share: float | None = None

    @property
    def learns(self) -> bool:
        """Whether it is above the most frequent class, as far as that is known."""
        return self.share is None or self.mean > self.share


@dataclass(frozen=True)
class Ahead:
    """One number minus another.

    Args:
        points: The difference.
        interval: Its 95% interval; nothing where it is not known.
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


def mean_of(results: Results, cell: Cell | None, version: Version, *, fresh: bool = True) -> Mean | None:
    """The number in a place, if there is one.

    Where settings were run both on the splits that the source chose them by and on others, it is that on the others:
    those are the same for all rows.

    Args:
        results: The rows of the table.
        cell: The place.
        version: Whose number.
        fresh: Whether it may be that on the others.
    """
    if cell is None:
        return None
    if version == "published":
        return _published(cell)
    if version == "honest":
        return _ours(
            cell, results.get(cell, "honest"), f"{cell.column.honest.dataset} {cell.honest_protocol.splits}"
        )
    others = results.get(cell, "fresh") if fresh else None
    splits = cell.protocol.splits if others is None else cell.fresh_protocol.splits
    return _ours(cell, others or results.get(cell, "same"), f"{cell.column.dataset} {splits}")


def difference(first: Mean, second: Mean) -> Ahead:
    """The first mean minus the second, with its interval: split by split where both have the same ones, else Welch's.

    Args:
        first: One of them.
        second: The other.
    """
    points = first.mean - second.mean
    if first.splits and first.splits == second.splits and len(first.scores) == len(second.scores) > 1:
        found = paired(first.scores, second.scores, overlap=first.overlap)
        return Ahead(points, (found.low, found.high)) if math.isfinite(found.low) else Ahead(points)
    own, other = first.error**2, second.error**2
    if min(first.runs, second.runs) < 2 or not own + other > 0:
        return Ahead(points)
    freedom = welch(own, first.runs, other, second.runs)
    margin = float(t.isf(0.025, freedom)) * math.sqrt(own + other)
    return Ahead(points, (points - margin, points + margin))


def _published(cell: Cell) -> Mean | None:
    if not cell.published:
        return None
    mean, *rest = cell.published
    return Mean(cell.row, mean, sum(rest), cell.error_of(cell.published), cell.runs)


def _ours(cell: Cell, row: Row | None, splits: str) -> Mean | None:
    average = number(row, "mean")
    if row is None or average is None:
        return None
    scores = scores_of(row)
    error = float(np.std(scores, ddof=1)) / math.sqrt(len(scores)) if len(scores) > 1 else math.nan
    return Mean(
        cell.row,
        average,
        number(row, "deviation") or 0.0,
        error,
        len(scores),
        splits,
        scores,
        overlap=number(row, "overlap") or 0.0,
        share=number(row, "majority"),
    )
