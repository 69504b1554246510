"""A table of accuracies as a map of colours: ours minus what was published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from allpass.papers.tables.report import Results, signed
from allpass.papers.tables.result import Accuracy
from allpass.papers.tables.spec import Spec
from allpass.papers.tables.verdicts import INCOMPARABLE
from allpass.report.canvas import SHEET, in_style
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FULL = 10.0
"""The points at which a colour is full."""


@in_style
def heat_map(spec: Spec, results: Sequence[Accuracy]) -> Figure:
    """Ours minus the published mean: orange is lower, purple higher, hatched no better than the majority class.

    Args:
        spec: The table.
        results: Its rows.
    """
    import matplotlib as mpl
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle

    found = Results(spec, results)
    ours = {
        (cell.name, cell.column.name): one
        for cell in found.cells
        if (one := found.of(cell, found.main)) is not None
    }
    rows = [name for name in spec.rows if any(row == name for row, _ in ours)]
    columns = [column.name for column in spec.columns if any(place == column.name for _, place in ours)]
    colours, scale = mpl.colormaps["PuOr"], Normalize(-FULL, FULL)
    wide = len(columns) > 2
    figure = Figure(figsize=(SHEET if wide else SHEET / 2, 1.2 + 0.21 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for (row, column), one in ours.items():
        place = columns.index(column), rows.index(row)
        other_data = one.kind == "tuned" and one.published.verdict == INCOMPARABLE
        points = None if other_data else one.published.difference
        colour = light("track") if points is None else colours(scale(points))
        axes.add_patch(Rectangle(place, 1, 1, facecolor=colour, edgecolor=light("panel"), linewidth=1.2))
        if not one.learns:
            axes.add_patch(
                Rectangle(place, 1, 1, fill=False, hatch="////", edgecolor=light("muted"), linewidth=0)
            )
        if points is not None:
            red, green, blue, _ = colours(scale(points))
            dark = one.learns and 0.3 * red + 0.59 * green + 0.11 * blue < 0.5  # the brightness of the colour
            axes.text(
                place[0] + 0.5,
                place[1] + 0.5,
                signed([points], 1),
                ha="center",
                va="center",
                fontsize=6.5,
                color=light("panel" if dark else "ink"),
                bbox=None if one.learns else {"facecolor": light("panel"), "edgecolor": "none", "pad": 0.8},
            )
    axes.set(xlim=(0, max(len(columns), 1)), ylim=(max(len(rows), 1), 0))  # there may be no row that is shown
    axes.set_xticks([place + 0.5 for place in range(len(columns))], columns)
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
    axes.tick_params(length=0, labelcolor=light("ink"), labelsize=7.5, labeltop=True, labelbottom=False)
    if len(columns) > 8:
        axes.set_xticks(axes.get_xticks(), columns, rotation=40, ha="left", rotation_mode="anchor")
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.colorbar(
        ScalarMappable(scale, colours), ax=axes, shrink=0.6, label="ours − published, points", extend="both"
    )
    idle = "no better than the majority class"
    keys = [
        Patch(facecolor=light("track"), label="nothing published, or other data"),
        Patch(facecolor="none", hatch="////", edgecolor=light("muted"), label=idle),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=2 if wide else 1)
    return figure
