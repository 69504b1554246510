"""The figures of a diagnosis. Each function draws one and returns it; :func:`save` writes it for a paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from allpass.diagnosis import DegreeHistogram, Facts, Frequencies, Mixing, Separation, Smoothing
from allpass.report.canvas import WIDTH, canvas, in_style, save
from allpass.report.theme import HEAT_TURN, light
from allpass.report.wording import compact, count, percent, short, shorten
from allpass.train.compare import Comparison, Contender
from allpass.train.statistics import TELLING
from allpass.train.written import possible, score_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "class_sizes",
    "comparison",
    "degree_histogram",
    "filter_separation",
    "mixing_matrix",
    "neighbour_means",
    "save",
    "smoothing_curves",
    "spectrum",
]

NUMBERED = 12  # classes up to which a heat map carries its numbers
STACK = (
    ("low-pass only", "low", "on-low"),
    ("both", "both", "on-low"),
    ("high-pass only", "high", "on-high"),
    ("neither", "neither", "ink"),
)  # "both" stands between the two filters it belongs to


@in_style
def mixing_matrix(mixing: Mixing, classes: Sequence[int] | None = None) -> Figure:
    """Heat map of which classes meet: row k shows where the neighbours of class k belong.

    Args:
        mixing: The shares.
        classes: Positions of the classes to draw; by default all.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    classes = range(len(mixing.class_names)) if classes is None else classes
    size = len(classes)
    long = size > NUMBERED
    names = [shorten(mixing.class_names[k], 12 if long else 18) for k in classes]
    figure, axes = canvas(height=min(WIDTH, 1.3 + 0.42 * size))
    cells, strengths = [], []
    for row, k in enumerate(classes):
        for column, l in enumerate(classes):
            share = mixing.shares[k][l]
            if share > 0:  # neither nothing nor undefined
                cells.append([(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)])
                strengths.append(to_rgba(light("heat"), min(share, 1.0)))
            if not long:
                text = "–" if math.isnan(share) else f"{100 * share:.0f}"
                colour = light("on-heat" if share > HEAT_TURN else "under-heat")
                axes.text(column + 0.5, row + 0.5, text, color=colour, ha="center", va="center", fontsize=8.5)
    axes.add_collection(PolyCollection(cells, facecolors=strengths, linewidths=0), autolim=False)
    step = math.ceil(size / 20)
    ticks = [place + 0.5 for place in range(0, size, step)]
    slanted = any(len(name) > 3 for name in names) or long
    axes.set(xlim=(0, size), ylim=(size, 0), xlabel="class of the neighbour", ylabel="class of the node")
    axes.set_xticks(ticks, names[::step], rotation=40 if slanted else 0, ha="right" if slanted else "center")
    axes.set_yticks(ticks, names[::step])
    axes.tick_params(length=0, labelcolor=light("ink"), labelsize=6.5 if long else 8)
    for spine in axes.spines.values():
        spine.set(visible=True, color=light("line"))
    if slanted:
        for label in axes.get_xticklabels():
            label.set_rotation_mode("anchor")
    return figure


@in_style
def class_sizes(facts: Facts, classes: Sequence[int] | None = None) -> Figure:
    """Nodes of each class as bars; ``classes`` as in :func:`mixing_matrix`."""
    classes = range(len(facts.class_sizes)) if classes is None else classes
    sizes = [facts.class_sizes[k] for k in classes]
    pitch = min(0.42, max(0.17, 3.9 / len(sizes)))  # as tall as the mixing matrix beside it
    figure, axes = _rows([shorten(facts.class_names[k], 22) for k in classes], pitch)
    axes.barh(range(len(sizes)), sizes, height=0.62, color=light("low"), clip_on=False)
    for place, size in enumerate(sizes):
        share = size / max(facts.labelled, 1)
        text = f"{count(size)} · {percent(share)}"
        _beside(axes, text, (size, place), (5, 0), va="center", fontsize=8)
    axes.set_xlim(0, max(sizes) * 1.38 or 1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return figure


@in_style
def degree_histogram(degrees: DegreeHistogram) -> Figure:
    """Nodes by their number of neighbours, in bins that double."""
    figure, axes = canvas(height=2.9)
    places = range(len(degrees.counts))
    axes.bar(places, degrees.counts, width=0.82, color=light("low"), clip_on=False)
    for place, nodes in zip(places, degrees.counts, strict=True):
        if nodes:
            _beside(axes, compact(nodes), (place, nodes), (0, 3), ha="center", fontsize=7.5)
    names = [name.replace("-", "–") for name in degrees.bins]
    slanted = len(names) > 7
    axes.set_xticks(places, names, rotation=40 if slanted else 0, ha="right" if slanted else "center")
    if slanted:
        for label in axes.get_xticklabels():
            label.set_rotation_mode("anchor")
    axes.set(xlabel="neighbours of a node", ylabel="nodes", xlim=(-0.6, max(len(names), 6) - 0.4))
    axes.set_yticks([])
    axes.set_ylim(0, max(degrees.counts) * 1.1 or 1)
    axes.tick_params(axis="x", length=0)
    axes.spines["left"].set_visible(False)
    return figure


@in_style
def spectrum(frequencies: Frequencies) -> Figure:
    """The graph's frequencies and the labels' energy over them, in three bands."""
    figure, axes = canvas(height=2.9)
    edges = frequencies.edges
    whole = edges[-1] - edges[0]
    shares = [100 * share for share in frequencies.spectrum]
    labels = [100 * share for share in frequencies.labels]
    top = 1.08 * max(*shares, *labels, 1e-9)
    axes.stairs(shares, edges, fill=True, color=light("neither"), label="a random signal")
    if labels:
        axes.stairs(labels, edges, color=light("high"), linewidth=2, label="the labels")
    for place, band in enumerate(("low", "middle", "high")):
        start = edges[0] + whole * place / 3
        if place:
            axes.axvline(start, color=light("muted"), linewidth=0.8, linestyle=(0, (2, 3)))
        energy = f" {percent(frequencies.bands[band])}" if frequencies.bands else ""
        axes.annotate(
            band + energy,
            (start + whole / 6, 1.0),
            (0, 4),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    axes.set(
        xlim=(edges[0], edges[-1]), ylim=(0, top), xlabel="frequency (eigenvalue of L̂)", ylabel="energy, %"
    )
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


@in_style
def smoothing_curves(smoothing: Smoothing) -> Figure:
    """What repeated averaging leaves, each measure relative to its start."""
    figure, axes = canvas(height=2.9)
    measures = (
        ("variance over nodes", smoothing.variance, "low", "-", "o"),
        ("distance of neighbours", smoothing.distance, "high", "--", "s"),
        ("Dirichlet energy", smoothing.energy, "both", ":", "^"),
    )
    depth = len(smoothing.variance) - 1
    for name, values, role, line, marker in measures:
        left = remaining(values)
        if left:
            axes.plot(
                left,
                line,
                color=light(role),
                marker=marker,
                markersize=3,
                linewidth=1.6,
                label=name,
                clip_on=False,
            )
    axes.axhline(50, color=light("muted"), linewidth=0.8, linestyle=(0, (2, 3)))
    axes.set(xlim=(0, max(depth, 1)), xlabel="rounds of averaging", ylabel="left, %")
    axes.set_ylim(0, max(100.0, axes.get_ylim()[1]))
    axes.set_xticks(range(0, depth + 1, max(1, depth // 8)))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside upper center", ncols=3, handlelength=1.8, columnspacing=1.0, fontsize=7.5)
    else:
        axes.text(max(depth, 1) / 2, 25, "the nodes do not differ: nothing to smooth", ha="center")
    return figure


def remaining(values: Sequence[float]) -> list[float]:
    """Values in percent of the first; nothing where there is no first one to compare with."""
    if not values or not math.isfinite(values[0]) or values[0] <= 0:
        return []
    return [100 * value / values[0] for value in values]


@in_style
def filter_separation(
    separation: Separation, class_names: Sequence[str], classes: Sequence[int] | None = None
) -> Figure:
    """Stacked bars of the filters that set nodes apart: all nodes, then each class.

    Args:
        separation: The shares.
        class_names: Name of each class.
        classes: Positions of the classes to draw; by default all.
    """
    classes = range(len(class_names)) if classes is None else classes
    rows = [separation.shares, *(separation.by_class[k] for k in classes)]
    figure, axes = _rows(
        ["all nodes", *(shorten(class_names[k], 22) for k in classes)],
        0.27 if len(rows) <= 16 else 0.17,
        0.45,
    )
    start = [0.0] * len(rows)
    for group, role, over in STACK:
        widths = [100 * row[group] if math.isfinite(row[group]) else 0.0 for row in rows]
        axes.barh(range(len(rows)), widths, left=start, height=0.7, color=light(role), label=group)
        for place, width in enumerate(widths):
            if width >= 8:
                axes.text(
                    start[place] + width / 2,
                    place,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8 if len(rows) <= 16 else 6.5,
                    color=light(over),
                )
        start = [left + width for left, width in zip(start, widths, strict=True)]
    axes.axhline(0.5, color=light("muted"), linewidth=0.8)
    axes.set(xlim=(0, 100), xlabel="nodes, %")
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.get_yticklabels()[0].set_fontweight("bold")
    figure.legend(
        loc="outside upper center",
        ncols=4,
        handlelength=0.9,
        handleheight=0.9,
        columnspacing=1.0,
        fontsize=7.5,
    )
    return figure


@in_style
def neighbour_means(points: Sequence[tuple[float, float]]) -> Figure:
    """The number of a node against the mean of its neighbours' numbers, as a map of how many nodes lie where."""
    from matplotlib.colors import to_rgba
    from matplotlib.ticker import MaxNLocator

    figure, axes = canvas(height=2.9)
    own, means = ([point[side] for point in points] for side in (0, 1))
    cells = axes.hexbin(own, means, gridsize=24, mincnt=1, linewidths=0)
    counts: list[float] = cells.get_array().tolist()  # type: ignore[union-attr]  # set by hexbin
    cells.set_array(None)  # so that each cell keeps the colour that follows the reader's theme
    cells.set_facecolor(
        [to_rgba(light("heat"), 0.25 + 0.75 * math.log(n) / math.log(max(*counts, 2))) for n in counts]
    )
    low, high = min(own), max(own)
    axes.plot([low, high], [low, high], color=light("high"), linewidth=1.2, label="equal")
    axes.set(xlabel="number of a node", ylabel="mean of its neighbours' numbers")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6))
        axis.set_major_formatter(lambda value, _: short(value))
    axes.grid(axis="both")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center")
    return figure


@in_style
def comparison(
    compared: Comparison, baseline: Contender | None = None, *, highlighted: str | None = None
) -> Figure:
    """Test scores of every model: its mean with the 95% interval, and a thin line for each split.

    Shares are drawn on the whole axis from 0 to 100%.

    Args:
        compared: The scores.
        baseline: The majority class or the mean, drawn in grey as the first row.
        highlighted: The model drawn in another colour; by default the best on the validation nodes.
    """
    factor = 100 if compared.in_percent else 1
    contenders = [*([] if baseline is None else [baseline]), *compared.contenders]
    chosen = compared.best if highlighted is None else highlighted
    figure, axes = _rows([shorten(one.model, 22) for one in contenders], 0.42, 0.3)
    places = [place + 0.16 for place in range(len(contenders))]
    for scores in zip(*(one.scores for one in contenders), strict=True):
        line = [factor * score for score in scores]
        axes.plot(line, places, color=light("neither"), linewidth=0.9, marker="o", markersize=2.6, zorder=1)
    for place, one in enumerate(contenders):
        mean, low, high = (
            factor * end for end in (one.estimate.mean, *possible(compared.score, one.estimate))
        )
        role = "muted" if one is baseline else "high" if one.model == chosen else "low"
        height = place - 0.12
        if one.estimate.count >= TELLING:
            axes.plot([low, high], [height, height], color=light(role), linewidth=2.4, solid_capstyle="round")
        axes.plot([mean], [height], color=light(role), marker="o", markersize=6.5)
        if math.isfinite(mean):
            text = f"{mean:.1f}" if compared.in_percent else f"{mean:.3f}"
            _beside(axes, text.replace("-", "−"), (mean, height), (0, 6), ha="center", fontsize=7.5)
    axes.set_xlabel(f"{score_name(compared.score)} on the test nodes" + ", %" * compared.in_percent)
    if compared.in_percent:
        axes.set_xlim(0, 102)  # a marker at 100 is drawn whole
        axes.set_xticks(range(0, 101, 20))
    else:
        axes.set_xlim(min(0, axes.get_xlim()[0]), max(0, axes.get_xlim()[1]))
    axes.set_ylim(len(contenders) - 0.45, -0.7)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", length=0)
    return figure


def _beside(
    axes: Axes, text: str, point: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """A number beside the end of a bar."""
    axes.annotate(text, point, offset, textcoords="offset points", color=light("muted"), **style)


def _rows(names: Sequence[str], pitch: float, extra: float = 0.0) -> tuple[Figure, Axes]:
    """Axes for horizontal bars, one named row each, the first on top; sizes in inches."""
    figure, axes = canvas(height=max(1.1, 0.35 + extra + pitch * len(names)))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0, labelcolor=light("ink"), labelsize=8 if len(names) <= 16 else 6.5)
    axes.spines["left"].set_visible(False)
    return figure, axes
