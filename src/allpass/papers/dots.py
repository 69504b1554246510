"""A picture of dots: one line for each group of rows, two of their numbers on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from allpass.report.canvas import SHEET, canvas, in_style, legend
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from allpass.papers.result import Result

_WAYS = (("high", "o", -0.13), ("low", "s", 0.13))


@in_style
def dots(lines: Mapping[str, Sequence[Result]], ways: Mapping[str, str], below: str, mark: float) -> Figure:
    """Draw numbers as dots.

    Args:
        lines: The rows of each line, by its name.
        ways: What the legend calls the numbers, with the field of a row that holds them.
        below: What the axis says.
        mark: Where a vertical line stands.
    """
    names = list(lines)
    figure, axes = canvas(1.0 + 0.33 * len(names), SHEET)
    for (label, name), (role, marker, shift) in zip(ways.items(), _WAYS, strict=True):
        found = [[getattr(one, name) for one in rows] for rows in lines.values()]
        points = [(x, place + shift) for place, row in enumerate(found) for x in row if x is not None]
        x, y = zip(*points, strict=True) if points else ((), ())
        axes.plot(x, y, marker, color=light(role), label=label, markersize=4, alpha=0.8)
    axes.axvline(mark, color=light("muted"), linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel=below, ylim=(len(names) - 0.5, -0.5))
    axes.grid(axis="x")
    legend(figure, [[axes]])
    return figure
