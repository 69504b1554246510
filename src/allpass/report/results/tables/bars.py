"""The page of the report's six bar charts: the best rival, three networks, and their ACM and ACMII versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from allpass.experiments.study import Row, Study
from allpass.experiments.tables.bars import CHARTS
from allpass.experiments.tables.spec import Column
from allpass.experiments.tables.study import Kind
from allpass.report.canvas import in_style
from allpass.report.results.head import head, notes
from allpass.report.results.page import Block, Heading, Page, Picture, Table, Text
from allpass.report.results.tables.accepted import accepted
from allpass.report.results.tables.cells import NOT_YET, Results, signed, title_of
from allpass.report.results.tables.changes import MARKED, Change
from allpass.report.results.tables.pairs import (
    INTERVALS,
    VERSIONS,
    Mean,
    Version,
    difference,
    kind_of,
    mean_of,
)
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
_SIZE = (9.2, 5.6)
_PLACES = (0.0, *(1.5 + 3.5 * family + bar for family in range(3) for bar in range(3)))


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


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``acm-bars``.

    Args:
        study: The study.
        rows: Its rows.
    """
    results = Results(study, rows)
    known: dict[Version, dict[str, Chart]] = {
        version: {column.name: chart_of(results, column, version) for column in results.spec.columns}
        for version in VERSIONS
    }
    shown: list[Block] = [
        Picture(
            "acm-bars-published",
            "Bars: published accuracy with its deviation; dots: ours with the same settings, where they were run, with "
            f"theirs, on the same {_splits(results)} splits for all networks; dotted line: what the most frequent "
            "class gives on those. The axes do not begin at 0. The arrow is the gain of the best ACM or ACMII network "
            "over the best rival, in points.",
            partial(_figure, known["published"], known["same"], _names(results, "same")),
        )
    ]
    if _any(known["honest"]):
        shown.append(
            Picture(
                "acm-bars-honest",
                "The same charts of our honest numbers: settings chosen on validation nodes alone, corrected data "
                "where a name stands in brackets. Missing bars are not run yet, and a rival “so far” is the best of "
                "those that are. Dotted line: what the most frequent class gives.",
                partial(_figure, known["honest"], {}, _names(results, "honest")),
            )
        )
    return Page(
        study.title,
        (
            *head(study, rows),
            *shown,
            Heading("The gain over the best rival"),
            _gains(results, known),
            *_rivals(results, known["same"]),
            *_ahead_already(known["honest"]),
            Heading("The gain over the network itself"),
            Text(f"{INTERVALS} {MARKED}"),
            *(_own(results, version, known[version]) for version in VERSIONS if _any(known[version])),
            *notes(study, rows),
        ),
        _findings(known) if rows else (),
    )


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


def _names(results: Results, kind: Kind) -> dict[str, str]:
    """The title of every chart."""
    return {column.name: title_of(column, kind) for column in results.spec.columns}


def _splits(results: Results) -> str:
    """On how many splits a network of the table is run."""
    counts = {int(column.protocol.splits["count"]) for column in results.spec.columns}
    return " or ".join(map(str, sorted(counts)))


def _gains(results: Results, known: Mapping[Version, Mapping[str, Chart]]) -> Table:
    lines = []
    for column in results.spec.columns:
        charts = {version: known[version][column.name] for version in VERSIONS}
        lines.append(
            (
                column.name,
                f"+{CHARTS.gains[column.name]:.2f}",
                *(_told(chart, version, charts["published"]) for version, chart in charts.items()),
            )
        )
    return Table(
        f"The best ACM or ACMII network minus the best rival, in points. {INTERVALS} The choice of the best is not "
        f"corrected for. There are {len(CHARTS.rivals)} rivals; ours with the same settings has those whose settings "
        "were published. Nothing is said before all that can be are run; where the best published rival is not among "
        "them, its published mean stands beside, since a gain over the others alone may say little.",
        ("graph", "gain in the caption", *VERSIONS.values()),
        tuple(lines),
    )


def _rivals(results: Results, charts: Mapping[str, Chart]) -> tuple[Block, ...]:
    """What our rivals are worth: a gain over networks that are not as good as published is easy."""
    rows = [
        (cell, row)
        for cell in results.spec.cells
        if cell.row in CHARTS.rivals and (row := results.get(cell, "same")) is not None
    ]
    if not rows:
        return ()
    verdicts = [accepted(cell, row) for cell, row in rows]
    idle = [
        f"{bar.row} on {column}"
        for column, chart in charts.items()
        for bar in chart.bars.values()
        if bar.row in CHARTS.rivals and not bar.learns
    ]
    text = (
        f"With the same settings {verdicts.count(True)} of {len(verdicts) - verdicts.count(None)} rivals agree with or "
        "exceed what was published of them; a gain over the others says little."
    )
    if idle:
        text += f" No better than the most frequent class: {', '.join(idle)}."
    return (Text(text),)


def _ahead_already(charts: Mapping[str, Chart]) -> tuple[Block, ...]:
    """Where a rival that is run, though others wait, is ahead of all ACM and ACMII networks that are."""
    found = []
    for column, chart in charts.items():
        rival, best = chart.best(CHARTS.rivals), chart.best(CHARTS.augmented)
        if chart.waiting and rival and best and rival.mean >= best.mean:
            found.append(f"{column} ({rival.row} over {best.row}: {difference(rival, best)})")
    if not found:
        return ()
    return (
        Text(f"Honest, a rival has a higher mean than all ACM and ACMII networks on: {', '.join(found)}."),
    )


def _findings(known: Mapping[Version, Mapping[str, Chart]]) -> tuple[str, ...]:
    parts = []
    for version, title in VERSIONS.items():
        gains = [gain for chart in known[version].values() if (gain := gain_of(chart)) is not None]
        if not gains:
            continue
        ahead = sum(gain.best.mean > gain.rival.mean for gain in gains)
        clear = sum(difference(gain.best, gain.rival).side == 1 for gain in gains)
        waiting = len(known[version]) - len(gains)
        parts.append(
            f"{title}, on {ahead} of {len(gains)} (by 95% intervals on {clear}){_of_rivals(gains)}"
            + f" ({waiting} not known yet)" * bool(waiting)
        )
    return (
        f"Graphs on which the best ACM or ACMII network is ahead of the best rival: {'; '.join(parts)}.",
        *_with_left_out(known),
    )


def _with_left_out(known: Mapping[Version, Mapping[str, Chart]]) -> tuple[str, ...]:
    """What is left of the gains over all rivals that the table prints, those too that the charts leave out."""
    told = []
    for version, title in VERSIONS.items():
        over = []
        for column, chart in known[version].items():
            printed, gain = gain_of(known["published"][column]), gain_of(chart)
            if version != "honest" and printed is not None and gain is not None:
                mean, row = max((printed.rival.mean, printed.rival.row), CHARTS.left_out[column])
                over.append(f"{column} {signed(gain.best.mean - mean)} ({row})")
        if over:
            told.append(f"{title}: {', '.join(over)}")
    names = ", ".join(sorted({row for _, row in CHARTS.left_out.values()}))
    text = f"The charts leave out rivals of the same table ({names} are the best of them)."
    return (f"{text} Over the best published rival of all, {'; '.join(told)}.",) if told else ()


def _of_rivals(gains: Sequence[Gain]) -> str:
    """How many rivals these are gains over, where it is not all of them."""
    few, many = (choose(gain.rivals for gain in gains) for choose in (min, max))
    if few == len(CHARTS.rivals):
        return ""
    return f" over {few if few == many else f'{few} to {many}'} of {len(CHARTS.rivals)} rivals"


def _told(chart: Chart, version: Version, published: Chart) -> str:
    gain = gain_of(chart)
    if gain is None:
        return (
            f"{chart.waiting} of {len(CHARTS.rivals)} rivals not run yet" if chart.waiting else "not run yet"
        )
    if version == "published":
        return str(gain)
    first = gain_of(published)
    absent = (
        f"; {signed(gain.best.mean - first.rival.mean)} over the published {first.rival.row}, not among them"
        if first is not None and first.rival.row not in chart.bars
        else ""
    )
    return f"{gain}, {gain.rivals} of {len(CHARTS.rivals)} rivals{absent}"


def _any(charts: Mapping[str, Chart]) -> bool:
    return any(chart.bars for chart in charts.values())


def _own(results: Results, version: Version, known: Mapping[str, Chart]) -> Table:
    lines = []
    for base, versions in CHARTS.families.items():
        for name in versions:
            found = [
                str(Change.between(bars[name], bars[base])) if {name, base} <= bars.keys() else "not run yet"
                for bars in (known[column.name].bars for column in results.spec.columns)
            ]
            lines.append((f"{name} minus {base}", *found))
    names = _names(results, kind_of(version))
    return Table(f"In points, {VERSIONS[version]}.", ("networks", *names.values()), tuple(lines))


@in_style
def _figure(bars: Mapping[str, Chart], dots: Mapping[str, Chart], names: Mapping[str, str]) -> Figure:
    """Six charts on one sheet."""
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
    if _any(dots):
        keys.append(Line2D([], [], linestyle="none", label="ours, same settings", **_DOT))
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys))
    figure.supylabel("accuracy on test nodes, in percent", fontsize=8.5, color=light("muted"))
    return figure


def _chart(axes: Axes, shown: Chart, beside: Chart) -> None:
    bars, dots = shown.bars, beside.bars
    best = shown.best(CHARTS.rivals)
    rival = best.row if best else ""
    rows = [rival, *(row for base, versions in CHARTS.families.items() for row in (base, *versions))]
    roles = [
        _ROLES["best rival"],
        *(_ROLES[name] for _ in CHARTS.families for name in ("baseline", "ACM", "ACMII")),
    ]
    ends = []
    for place, row, role in zip(_PLACES, rows, roles, strict=True):
        if row in bars:
            bar = bars[row]
            axes.bar(place, bar.mean, width=0.86, color=light(role))
            axes.errorbar(place, bar.mean, bar.deviation, color=light("ink"), linewidth=0.9, capsize=2)
            ends += [bar.mean - bar.deviation, bar.mean + bar.deviation]
        if row in dots:
            dot = dots[row]
            for colour, width in (("panel", 2.6), ("muted", 0.9)):  # to be seen on dark bars too
                axes.errorbar(
                    place + 0.24, dot.mean, dot.deviation, color=light(colour), elinewidth=width, **_DOT
                )
            ends += [dot.mean - dot.deviation, dot.mean + dot.deviation]
    share = shown.share if beside.share is None else beside.share
    if share is not None:
        axes.axhline(share, color=light("muted"), linewidth=0.9, linestyle=(0, (2, 3)))
        ends.append(share)
    low, high = min(ends, default=0.0), max(ends, default=100.0)
    room = 0.08 * (high - low) or 1.0
    axes.set_ylim(max(low - 2 * room, 0), high + room)
    so_far = "\n(so far)" if rival and shown.waiting else ""
    axes.set_xticks([0.0, *_PLACES[2::3]], [f"{rival}{so_far}" or "none yet", *CHARTS.families])
    axes.set_xlim(_PLACES[0] - 0.7, _PLACES[-1] + 0.7)  # also where bars are not run yet
    axes.tick_params(axis="x", length=0, labelcolor=light("ink"), labelsize=7.5)
    axes.grid(axis="y", linewidth=0.6)
    axes.set_axisbelow(True)
