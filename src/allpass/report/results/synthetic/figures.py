"""The curves as pictures: accuracy against the metrics of the source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from allpass.experiments.synthetic.ranking import Floats, in_order
from allpass.experiments.synthetic.study import SyntheticStudy
from allpass.report.canvas import in_style, legend, panels
from allpass.report.results.page import Picture
from allpass.report.results.synthetic.curves import Curves, symbol
from allpass.report.results.tables.cells import number
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
        "and, where that is the same, of accuracy; shades are one deviation over graphs. Hollow marks are the "
        "published means, where there are some.",
        partial(_draw, found, tuple(study.spec.models), shown),
    )


@in_style
def _draw(found: Curves, models: Sequence[str], shown: Sequence[str]) -> Figure:
    lines = (len(shown) + 1) // 2
    figure, grid = panels(lines, 2, 2.9 * lines, sharey=True)
    for axes, metric in zip((panel for row in grid for panel in row), shown, strict=False):
        for model, (role, line, marker) in zip(models, _LINES, strict=True):
            if model in found.networks:
                _curve(axes, found.metrics[metric], found.networks[model], light(role), line, marker, model)
                printed = [number(found.rows[model][level], "published") for level in found.levels]
                _marks(axes, found.metrics[metric], printed, light(role), marker)
            elif model in found.flat:
                axes.axhline(
                    cast(float, found.flat[model]["mean"]), color=light(role), ls=line, lw=1.3, label=model
                )
        _finish(axes, metric)
    legend(figure, grid, len(models))
    return figure


def _curve(
    axes: Axes, metric: Floats, accuracy: Floats, colour: str, line: str, marker: str, name: str
) -> None:
    order = in_order(metric, accuracy)
    x, mean, deviation = metric.mean(1)[order], accuracy.mean(1)[order], accuracy.std(1)[order]
    axes.plot(x, mean, line, marker=marker, color=colour, markersize=3, linewidth=1.3, label=name)
    axes.fill_between(x, mean - deviation, mean + deviation, color=colour, alpha=0.15, linewidth=0)


def _marks(axes: Axes, metric: Floats, published: Sequence[float | None], colour: str, marker: str) -> None:
    """What was published of each level."""
    known = [(x, y) for x, y in zip(metric.mean(1), published, strict=True) if y is not None]
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
    axes.set(xlabel=f"{words(metric)}, {symbol(metric)}", ylabel="test accuracy, %", ylim=(0, 103))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
