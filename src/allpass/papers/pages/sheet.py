"""A table as a picture: every number in its cell, which is red for the worst of a column and green for the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from allpass.papers.pages.page import Value
from allpass.papers.pages.shades import tint
from allpass.report.canvas import SHEET, in_style
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW = 0.21  # inches
_SIGN = 0.071  # inches that a sign of a name is wide
_LEFT = 1.6  # inches that the names of the rows have at least


@in_style
def sheet(names: Sequence[str], groups: Mapping[str, Mapping[str, Sequence[Value]]]) -> Figure:
    """The picture.

    Args:
        names: The rows.
        groups: The columns by their name, under the name that some of them share.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    columns = [(name, values) for group in groups.values() for name, values in group.items()]
    broken = any(" (" in name for name, _ in columns)
    above = 1 + bool(any(groups)) + 0.7 * broken
    height = len(names) + above
    left = max(_LEFT, _SIGN * max(map(len, names), default=0) + 0.1)
    cells = left * len(columns) / (SHEET - left)  # that the names of the rows are wide
    figure = Figure(figsize=(SHEET, height * _ROW))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-cells, len(columns)), ylim=(height, 0))
    axes.set_axis_off()
    place = 0
    for title, group in groups.items():
        middle = place + len(group) / 2
        axes.text(middle, 0.5, title, ha="center", va="center", fontsize=8.5, color=light("ink"))
        place += len(group)
    for row, name in enumerate(names):
        axes.text(-0.15, row + above + 0.5, name, ha="right", va="center", fontsize=7.5, color=light("ink"))
    for column, (name, values) in enumerate(columns):
        title = name.replace(" (", "\n(")
        axes.text(
            column + 0.5, above - 0.2, title, ha="center", va="bottom", fontsize=7.5, color=light("muted")
        )
        for row, value in enumerate(values):
            role, strength = tint(value.shade) if value.shade is not None else ("best", 0)
            if strength:
                axes.add_patch(
                    Rectangle(
                        (column + 0.02, row + above + 0.02),
                        0.96,
                        0.96,
                        color=light(role),
                        alpha=strength / 100,
                        linewidth=0,
                    )
                )
            weight = "bold" if value.best else "normal"
            axes.text(
                column + 0.5,
                row + above + 0.5,
                value.text,
                ha="center",
                va="center",
                fontsize=7,
                weight=weight,
            )
    return figure
