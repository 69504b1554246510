"""The report's six bar charts, drawn: bars of what is compared, and dots of ours beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from allpass.papers.pages.tables.cells import NOT_YET
from allpass.papers.pages.tables.gains import Chart, gain_of
from allpass.papers.pages.tables.pairs import Mean
from allpass.papers.tables.bars import CHARTS
from allpass.report.canvas import in_style
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROLES = {"best rival": "neither", "baseline": "high", "ACM": "low", "ACMII": "both"}
_DOT: dict[str, Any] = {
    "marker": "o",
    "markersize": 5,
    "markerfacecolor": light("ink"),
    "markeredgecolor": light("panel"),
}
_LINE: dict[str, Any] = {"color": light("muted"), "linewidth": 0.9, "linestyle": (0, (2, 3))}
_SIZE = (9.2, 5.6)
_GAP = 0.5
_LEAST = 2.2  # bars that the name of a group has room for


@in_style
def bar_charts(bars: Mapping[str, Chart], dots: Mapping[str, Chart], names: Mapping[str, str]) -> Figure:
    """Six charts on one sheet; a group of bars none of which is known is left out.

    Args:
        bars: What the bars show, by column.
        dots: What the dots show, by column; empty where there are none.
        names: The title of each chart, by column.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure = Figure(figsize=_SIZE, layout="constrained")
    panels = figure.subplots(2, 3).flat
    for axes, (column, name) in zip(panels, names.items(), strict=True):
        _chart(axes, bars[column], dots[column] if dots else Chart({}))
        gain = gain_of(bars[column])
        ahead = 0.0 if gain is None else gain.best.mean - gain.rival.mean
        arrow = "" if gain is None else f"   {'↑' if ahead >= 0 else '↓'} {abs(ahead):.2f}"
        axes.set_title(f"{name}{arrow}", fontsize=9, color=light("ink"), loc="left")
    keys: list[Patch | Line2D] = [Patch(color=light(role), label=name) for name, role in _ROLES.items()]
    if any(chart.bars for chart in dots.values()):
        keys.append(Line2D([], [], linestyle="none", label="ours, same settings", **_DOT))
    if any(chart.share is not None for chart in (*bars.values(), *dots.values())):
        keys.append(Line2D([], [], label="most frequent class", **_LINE))
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys))
    figure.supylabel("accuracy on test nodes, in percent", fontsize=8.5, color=light("muted"))
    return figure


def _chart(axes: Axes, shown: Chart, beside: Chart) -> None:
    bars, dots = shown.bars, beside.bars
    best = shown.best(CHARTS.rivals)
    rival = [] if best is None else [(best.row, _ROLES["best rival"])]
    so_far = "\n(so far)" if rival and shown.waiting else ""
    groups = {f"{best.row}{so_far}" if best else "": rival}
    for base, versions in CHARTS.families.items():
        roles = zip((base, *versions), ("baseline", "ACM", "ACMII"), strict=True)
        groups[base] = [(row, _ROLES[role]) for row, role in roles if row in bars]
    ends, ticks, place = list[float](), dict[str, float](), 0.0
    for name, group in groups.items():
        if not group:
            continue
        width = max(len(group), _LEAST)
        ticks[name] = place + width / 2
        for number, (row, role) in enumerate(group):
            middle = ticks[name] + number - (len(group) - 1) / 2
            ends += _bar(axes, middle, bars[row], light(role))
            if row in dots:
                ends += _dot(axes, middle + 0.24, dots[row])
        place += width + _GAP
    share = shown.share if beside.share is None else beside.share
    if share is not None:
        axes.axhline(share, **_LINE)
        ends.append(share)
    low, high = min(ends, default=0.0), max(ends, default=100.0)
    room = 0.08 * (high - low) or 1.0
    axes.set_ylim(max(low - 2 * room, 0), high + room)
    ticks = ticks or {NOT_YET: 0.0}
    axes.set_xticks(list(ticks.values()), list(ticks))
    axes.tick_params(axis="x", length=0, labelcolor=light("ink"), labelsize=7.5)
    axes.grid(axis="y", linewidth=0.6)
    axes.set_axisbelow(True)


def _bar(axes: Axes, place: float, bar: Mean, colour: str) -> tuple[float, float]:
    """A bar with its deviation, and where that ends."""
    axes.bar(place, bar.mean, width=0.86, color=colour)
    axes.errorbar(place, bar.mean, bar.deviation, color=light("ink"), linewidth=0.9, capsize=2)
    return bar.mean - bar.deviation, bar.mean + bar.deviation


def _dot(axes: Axes, place: float, dot: Mean) -> tuple[float, float]:
    """A dot with its deviation, and where that ends."""
    for colour, width in (("panel", 1.7), ("muted", 0.9)):  # a thin rim, to be seen on dark bars too
        axes.errorbar(place, dot.mean, dot.deviation, color=light(colour), elinewidth=width, **_DOT)
    return dot.mean - dot.deviation, dot.mean + dot.deviation
