"""What the report's six bar charts show of each graph, and by how much the best ACM or ACMII network is ahead there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple, TypeAlias

from allpass.papers.pages.tables.cells import NOT_YET, Results
from allpass.papers.pages.tables.pairs import Mean, Version, difference, mean_of
from allpass.papers.tables.bars import CHARTS
from allpass.papers.tables.cell import Column

Bars: TypeAlias = Mapping[str, Mean]
"""What is known of a column, by row."""


@dataclass(frozen=True)
class Chart:
    """What is known of a column.

    Args:
        bars: Its numbers.
        waiting: How many of its rivals are not run yet.
    """

    bars: Bars
    waiting: int = 0

    @property
    def share(self) -> float | None:
        """What the most frequent class gives, the mean over its numbers; nothing where that is not known."""
        known = [bar.share for bar in self.bars.values() if bar.share is not None]
        return fmean(known) if known else None

    def best(self, rows: Iterable[str]) -> Mean | None:
        """The number with the highest mean among some rows; nothing where none of them is known.

        Args:
            rows: The rows.
        """
        return max((self.bars[row] for row in rows if row in self.bars), key=_mean, default=None)


@dataclass(frozen=True)
class Gain:
    """By how much the best ACM or ACMII network is ahead of the best rival.

    Args:
        rival: The best rival.
        best: The best ACM or ACMII network.
        rivals: How many rivals there were.
    """

    rival: Mean
    best: Mean
    rivals: int

    def __str__(self) -> str:
        return f"{difference(self.best, self.rival)} ({self.best.row} over {self.rival.row})"


class OverAll(NamedTuple):
    """The best ACM or ACMII network against the best published rival of the whole table, in points.

    Args:
        column: The graph.
        rival: The rival.
        mean: What was published of it.
        published: The gain of the published network.
        ours: That of ours with the same settings; nothing where it is not known.
    """

    column: str
    rival: str
    mean: float
    published: float
    ours: float | None


def chart_of(results: Results, column: Column, version: Version) -> Chart:
    """What is known of a column.

    Args:
        results: The rows of the table.
        column: The column.
        version: Whose numbers.
    """
    numbers = {name: mean_of(results, results.cell(name, column), version) for name in CHARTS.rows}
    found = {name: bar for name, bar in numbers.items() if bar is not None}
    waiting = [
        name
        for name in CHARTS.rivals
        if version != "published"
        and name not in found
        and results.missing(results.cell(name, column), version) == NOT_YET
    ]
    return Chart(found, len(waiting))


def gain_of(chart: Chart) -> Gain | None:
    """The gain in a column; nothing where a rival waits, or there is none, or no ACM network.

    Args:
        chart: What is known of the column.
    """
    rival, best = chart.best(CHARTS.rivals), chart.best(CHARTS.augmented)
    if chart.waiting or rival is None or best is None:
        return None
    return Gain(rival, best, len(chart.bars.keys() & set(CHARTS.rivals)))


def _mean(bar: Mean) -> float:
    return bar.mean


def over_all(known: Mapping[Version, Mapping[str, Chart]]) -> list[OverAll]:
    """What is left of the gains over all rivals that the table prints, those too that the charts leave out.

    Args:
        known: The charts of each version, by column.
    """
    found = []
    for column, chart in known["published"].items():
        printed, own = gain_of(chart), gain_of(known["same"][column])
        if printed is not None:
            mean, row = max((printed.rival.mean, printed.rival.row), CHARTS.left_out[column])
            ours = None if own is None else own.best.mean - mean
            found.append(OverAll(column, row, mean, printed.best.mean - mean, ours))
    return found
