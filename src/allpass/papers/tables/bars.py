"""The six bar charts of the report: some rows and columns of the table of random splits, and what ACM gains there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from allpass.papers.specs import read_spec
from allpass.papers.tables.report import Results
from allpass.papers.tables.result import Accuracy
from allpass.papers.tables.spec import Cell, read_table
from allpass.papers.tables.study import TableStudy
from allpass.report.canvas import SHEET, in_style
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

_ROLES = ("neither", "high", "low", "both")
_NAMES = ("best rival", "network", "its ACM version", "its ACMII version")


@dataclass(frozen=True)
class Charts:
    """What the charts show.

    Args:
        rivals: The rows the best of which the source calls the state of the art.
        left_out: By column the best published mean of rows without channels that the charts leave out.
        families: A network, and the rows of its ACM and ACMII versions.
        gains: The printed gain of each column, in points.
    """

    rivals: Sequence[str]
    left_out: Mapping[str, float]
    families: Mapping[str, Sequence[str]]
    gains: Mapping[str, float]

    @property
    def augmented(self) -> list[str]:
        """The rows of all ACM and ACMII versions."""
        return [row for pair in self.families.values() for row in pair]


@dataclass(frozen=True)
class BarStudy(TableStudy):
    """A part of a table, drawn as bars; it has the rows of that table.

    Args:
        charts: What the charts show.
    """

    charts: Charts = field(kw_only=True)

    def facts(self, results: Sequence[Accuracy]) -> Mapping[str, object]:
        gains = [self._gains(results, column) for column in self.charts.gains]
        return {
            "graphs": len(gains),
            "ahead_ours": f"{sum(gain > 0 for _, gain, _ in gains)} of {len(gains)}",
            "ahead_all": sum(gain > 0 for *_, gain in gains),
        }

    def matrix(self, results: Sequence[Accuracy]) -> DataFrame:
        """The gain of the best ACM network over the best rival, by graph."""
        from pandas import DataFrame, Index

        gains = {column: self._gains(results, column) for column in self.charts.gains}
        lines = [
            (f"{printed:+.2f}", gains[column][0], _signed(gains[column][1]), _signed(gains[column][2]))
            for column, printed in self.charts.gains.items()
        ]
        names = ["published gain", "our best networks", "our gain", "ours over the best published rival"]
        return DataFrame(lines, columns=Index(names), index=Index(list(gains), name="graph"))

    @in_style
    def picture(self, results: Sequence[Accuracy]) -> Figure:
        """Bars as published, dots of ours."""
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        figure = Figure(figsize=(SHEET, 5.4), layout="constrained")
        panels = figure.subplots(2, 3, sharey=True).flat
        for axes, column in zip(panels, self.charts.gains, strict=True):
            axes.set_title(column, fontsize=9, loc="left")
            self._chart(axes, results, column)
        keys: list[Patch | Line2D] = [
            Patch(color=light(role), label=name) for role, name in zip(_ROLES, _NAMES, strict=True)
        ]
        keys.append(Line2D([], [], linestyle="none", marker="o", color=light("ink"), label="ours"))
        keys.append(Line2D([], [], linestyle=":", color=light("muted"), label="majority class"))
        figure.legend(handles=keys, loc="outside upper center", ncols=3)
        figure.supylabel("accuracy on test nodes, %", fontsize=8.5, color=light("muted"))
        return figure

    def _chart(self, axes: Axes, results: Sequence[Accuracy], column: str) -> None:
        published, ours = self._printed(column), self._measured(results, column)
        rival = self._best(published, self.charts.rivals) or ""
        groups = [[(rival, "neither")]]
        groups += [
            list(zip((base, *pair), _ROLES[1:], strict=True)) for base, pair in self.charts.families.items()
        ]
        place, ticks = 0.0, []
        for group in groups:
            ticks.append(place + (len(group) - 1) / 2)
            for row, role in group:
                axes.bar(place, published.get(row, 0.0), width=0.86, color=light(role))
                if row in ours:
                    axes.plot(place, ours[row], "o", color=light("ink"), markersize=5)
                place += 1
            place += 0.7
        known = [one.majority for one in results if one.column == column and one.majority is not None]
        if known:
            axes.axhline(sum(known) / len(known), linestyle=":", color=light("muted"))
        axes.set_xticks(ticks, [rival, *self.charts.families])
        axes.tick_params(axis="x", length=0, labelcolor=light("ink"), labelsize=7)
        axes.set_ylim(0, 100)
        axes.grid(axis="y", linewidth=0.6)
        axes.set_axisbelow(True)

    def _in_column(self, column: str) -> list[Cell]:
        return [cell for cell in self.spec.cells if cell.column.name == column and not cell.variant]

    def _printed(self, column: str) -> dict[str, float]:
        return {cell.row: cell.published[0] for cell in self._in_column(column) if cell.published}

    def _measured(self, results: Sequence[Accuracy], column: str) -> dict[str, float]:
        """Our means: on fresh splits where the published ones are those that chose the settings."""
        found = Results(self.spec, results)
        pairs = (
            (cell.row, found.of(cell, "fresh") or found.of(cell, "same")) for cell in self._in_column(column)
        )
        return {row: one.mean for row, one in pairs if one is not None and one.mean is not None}

    def _best(self, means: Mapping[str, float], rows: Iterable[str]) -> str | None:
        return max((row for row in rows if row in means), key=lambda row: means[row], default=None)

    def _gains(self, results: Sequence[Accuracy], column: str) -> tuple[str, float, float]:
        """Our best networks, the gain of one over the other, and over the best published rival of the whole table."""
        published, ours = self._printed(column), self._measured(results, column)
        rival, best = (self._best(ours, rows) for rows in (self.charts.rivals, self.charts.augmented))
        if best is None:
            return "–", math.nan, math.nan
        highest = max(published[row] for row in self.charts.rivals if row in published)
        over_all = ours[best] - max(highest, self.charts.left_out[column])
        return f"{best} over {rival or '–'}", ours[best] - ours.get(rival or "", math.nan), over_all


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.2f}".replace("-", "−")


def _read() -> BarStudy:
    words, content = read_spec("acm-bars")
    whole = read_table(content["table"])
    columns = [column for name in content["columns"] for column in whole.columns if column.name == name]
    cells = [cell for cell in whole.cells if cell.column in columns]
    left_out: dict[str, float] = {}
    for cell in cells:
        if cell.name in content["left_out"] and cell.published:
            left_out[cell.column.name] = max(cell.published[0], left_out.get(cell.column.name, 0.0))
    charts = Charts(content["rivals"], left_out, content["families"], content["gains"])
    rows = {*charts.rivals, *charts.families, *charts.augmented}
    # the charts compare published settings, so no row is run with defaults
    shown = [replace(cell, defaults=False) for cell in cells if cell.name in rows]
    part = replace(whole, id="acm-bars", words=words, columns=tuple(columns), cells=tuple(shown))
    return BarStudy(part, charts=charts)


STUDY = _read()
"""The study ``acm-bars``: its runs are those of the table it is a part of."""
