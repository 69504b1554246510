"""A picture of dots: one line for each name, two kinds of numbers on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from allpass.report.canvas import SHEET, canvas, in_style, legend
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WAYS = (("high", "o", -0.13), ("low", "s", 0.13))


@in_style
def dots(numbers: Mapping[str, Mapping[str, Sequence[float]]], below: str, mark: float) -> Figure:
    """Draw numbers as dots.

    Args:
        numbers: By what they are (two of them, for the legend) and by the name of their line.
        below: What the axis says.
        mark: Where a vertical line stands.
    """
    names = list(next(iter(numbers.values())))
    figure, axes = canvas(1.0 + 0.33 * len(names), SHEET)
    for (label, by_name), (role, marker, shift) in zip(numbers.items(), _WAYS, strict=True):
        points = [(x, place + shift) for place, name in enumerate(names) for x in by_name[name]]
        x, y = zip(*points, strict=True) if points else ((), ())
        axes.plot(x, y, marker, color=light(role), label=label, markersize=4, alpha=0.8)
    axes.axvline(mark, color=light("muted"), linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel=below, ylim=(len(names) - 0.5, -0.5))
    axes.grid(axis="x")
    legend(figure, [[axes]])
    return figure
