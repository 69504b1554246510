"""The curves as pictures: accuracy against the metrics of the source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from allpass.papers.pages.page import Picture
from allpass.papers.pages.synthetic.curves import Curves, symbol
from allpass.papers.pages.tables.cells import number
from allpass.papers.synthetic.ranking import Floats, in_order
from allpass.papers.synthetic.study import SyntheticStudy
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.report.wording import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = (
    ("low", "-", "o"),
    ("high", "-", "s"),
    ("muted", ":", ""),
    ("both", "--", "^"),
    ("bad", "-.", "v"),
)
"""Colour, line and marker of every network, in the order of the spec."""

_MANY = 4
"""So many levels of one value, at an end of the axis, are a column."""
_STEP = 0.02
"""From the column of one network to that of the next, as a share of the axis."""


def picture(study: SyntheticStudy, found: Curves) -> Picture:
    """Accuracy against each metric of the source, a panel each.

    Args:
        study: The study.
        found: Its curves on one list of levels with the features of one dataset.
    """
    shown = found.shown
    return Picture(
        f"synthetic-{found.series}-{found.base}",
        f"Accuracy against {', '.join(map(symbol, shown))} on {study.spec.titles[found.series]}, features of "
        f"{found.base}: a point is the mean over the graphs of a level, points are joined in the order of the metric "
        "and, where that is the same, of accuracy; shades are one deviation over graphs. Where a metric gives one "
        "value to many levels at an end of its axis, they are a column beyond it, for each network its own. Hollow "
        "marks are the published means, where there are some.",
        partial(_draw, found, tuple(study.spec.models), shown),
    )


@in_style
def _draw(found: Curves, models: Sequence[str], shown: Sequence[str]) -> Figure:
    lines = (len(shown) + 1) // 2
    figure, grid = panels(lines, 2, 2.9 * lines, sharey=True)
    for axes, metric in zip((panel for row in grid for panel in row), shown, strict=False):
        for place, (model, (role, line, marker)) in enumerate(zip(models, _LINES, strict=True)):
            if model in found.networks:
                values, accuracy = found.metrics[metric], found.networks[model]
                x = _apart(values.mean(1), place)
                _curve(axes, x, in_order(values, accuracy), accuracy, light(role), line, marker, model)
                printed = [number(found.rows[model][level], "published") for level in found.levels]
                _marks(axes, x, printed, light(role), marker)
            elif model in found.flat:
                axes.axhline(
                    cast(float, found.flat[model]["mean"]), color=light(role), ls=line, lw=1.3, label=model
                )
        _finish(axes, metric)
    for row in grid:
        row[0].set_ylabel("test accuracy, %")
    legend(figure, grid, len(models))
    return figure


def _apart(values: Floats, place: int) -> Floats:
    """The values of levels; at an end of the axis those that many share are moved beyond it, by network.

    All networks would stand on one another there.

    Args:
        values: Of each level.
        place: The number of the network.
    """
    low, high, step = values.min(), values.max(), _STEP * np.ptp(values) * (place + 1)
    many = {end: (values == end).sum() >= _MANY for end in (low, high)}
    return np.asarray(values - (values == low) * many[low] * step + (values == high) * many[high] * step)


def _curve(
    axes: Axes,
    metric: Floats,
    order: NDArray[np.intp],
    accuracy: Floats,
    colour: str,
    line: str,
    marker: str,
    name: str,
) -> None:
    x, mean, deviation = metric[order], accuracy.mean(1)[order], accuracy.std(1)[order]
    axes.plot(x, mean, line, marker=marker, color=colour, markersize=3, linewidth=1.3, label=name)
    axes.fill_between(x, mean - deviation, mean + deviation, color=colour, alpha=0.15, linewidth=0)


def _marks(axes: Axes, metric: Floats, published: Sequence[float | None], colour: str, marker: str) -> None:
    """What was published of each level."""
    known = [(x, y) for x, y in zip(metric, published, strict=True) if y is not None]
    if not known:
        return
    axes.plot(
        [x for x, _ in known],
        [y for _, y in known],
        linestyle="none",
        marker=marker,
        markersize=6,
        markerfacecolor="none",
        markeredgecolor=colour,
        markeredgewidth=0.7,
        alpha=0.7,
    )


def _finish(axes: Axes, metric: str) -> None:
    axes.set(xlabel=f"{words(metric)}, {symbol(metric)}", ylim=(0, 103))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
