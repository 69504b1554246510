"""Signals on the states of a process, drawn on its grid or on its graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.report.canvas import canvas, in_style, panels
from allpass.report.rl.layout import Layout, layout
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from allpass.rl import TabularMDP

Array = NDArray[np.float64]

_CELLS = 60  # a grid with more rows or columns is drawn in blocks
_ARROWS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


@in_style
def value_map(mdp: TabularMDP, values: Array, policy: Any = None) -> Figure:
    """Values on the grid, or on the drawn graph, with arrows of the policy where actions are directions."""
    places, graph = _places(mdp), _graph(mdp)
    wide = places is None or np.ptp(places[:, 1]) >= np.ptp(places[:, 0])
    figure, axes = canvas(3.6 if wide else 4.6, 4.8)
    drawn = _draw(axes, mdp, values, graph, sequential())
    bar = figure.colorbar(drawn, ax=axes, shrink=0.75, aspect=24)
    bar.outline.set_visible(False)
    if bar.solids is not None:
        bar.solids.set_rasterized(False)  # a page shows no pictures within pictures
        bar.solids.set_edgecolor("face")
    if mdp.grid is not None and max(mdp.grid.shape) <= _CELLS:
        corner = mdp.grid.cells.min(axis=0)
        for row, column in np.argwhere(mdp.grid.ends):
            symbol = str(mdp.grid.symbols[row, column])
            axes.text(column - corner[1], row - corner[0], symbol, ha="center", va="center", fontsize=7)
    if policy is not None and places is not None and max(np.ptp(places, axis=0)) < 26:
        _arrows(axes, mdp, places, policy)
    return figure


@in_style
def function_maps(
    mdp: TabularMDP, functions: Array, names: Sequence[str], *, one_scale: bool = False
) -> Figure:
    """Functions of the states next to each other, each on its own scale around 0, or all on one."""
    count = min(functions.shape[1], len(names))
    columns = min(count, 4)
    rows = -(-count // columns)
    graph = _graph(mdp)
    figure, grid = panels(rows, columns, 2.3 * rows + 0.2)
    flat = [panel for row in grid for panel in row]
    most = np.abs(functions).max(axis=0)
    reaches = np.maximum(most.max() if one_scale else most, 1e-300) * np.ones(functions.shape[1])
    for panel, name, function, reach in zip(flat, names, functions.T, reaches, strict=False):
        _draw(panel, mdp, function / reach, graph, _diverging(), limits=(-1, 1))
        panel.set_title(name, fontsize=8)
    for panel in flat[count:]:
        panel.axis("off")
    return figure


def _places(mdp: TabularMDP) -> Array | None:
    """Whole rows and columns of the states that have a place; None where no state has one."""
    if mdp.positions is None or np.isnan(mdp.positions).all():
        return None
    return mdp.positions[~np.isnan(mdp.positions).any(axis=1)]


def _graph(mdp: TabularMDP) -> Layout | None:
    """Where the graph of states is drawn; None where states have places on a grid."""
    return layout(mdp) if _places(mdp) is None else None


def _draw(
    axes: Axes, mdp: TabularMDP, values: Array, drawn: Layout | None, colours: Any, limits: Any = (None, None)
) -> Any:
    axes.set_aspect("equal")
    axes.axis("off")
    if drawn is None:
        return _draw_grid(axes, mdp, values, colours, limits)
    return _draw_graph(axes, drawn, values, colours, limits)


def _draw_grid(axes: Axes, mdp: TabularMDP, values: Array, colours: Any, limits: Any) -> Any:
    positions = mdp.positions
    assert positions is not None
    there = ~np.isnan(positions).any(axis=1)
    cells = positions[there].astype(np.int64)
    cells, shown = cells - cells.min(axis=0), values[there]
    block = -(-int(cells.max() + 1) // _CELLS)
    cells = cells // block
    height, width = cells.max(axis=0) + 1
    total, count = np.zeros((height, width)), np.zeros((height, width))
    np.add.at(total, tuple(cells.T), shown)
    np.add.at(count, tuple(cells.T), 1)
    picture = np.ma.masked_array(total / np.maximum(count, 1), count == 0)
    axes.set_facecolor(light("track"))
    axes.invert_yaxis()
    return axes.pcolormesh(
        np.arange(width + 1) - 0.5,
        np.arange(height + 1) - 0.5,
        picture,
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="face",
        linewidth=0.3,
    )


def _draw_graph(axes: Axes, drawn: Layout, values: Array, colours: Any, limits: Any) -> Any:
    """States at their places, moves as thin lines."""
    from matplotlib.collections import LineCollection

    place = drawn.places
    lines = LineCollection(place[drawn.edges], colors=light("line"), linewidths=0.4, zorder=1)  # type: ignore[arg-type]
    axes.add_collection(lines)
    return axes.scatter(
        place[:, 0],
        place[:, 1],
        c=values[drawn.states],
        s=max(3.0, min(26.0, 2600 / max(len(place), 1))),
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        linewidths=0,
        zorder=2,
    )


def _arrows(axes: Axes, mdp: TabularMDP, places: Array, policy: Any) -> None:
    if mdp.actions is None or not set(mdp.actions) <= set(_ARROWS) or mdp.positions is None:
        return
    there = np.flatnonzero(~np.isnan(mdp.positions).any(axis=1) & ~mdp.terminal)
    step = np.array([_ARROWS[mdp.actions[action]] for action in np.asarray(policy)[there]])
    at = mdp.positions[there] - places.min(axis=0)
    axes.quiver(
        at[:, 1],
        at[:, 0],
        step[:, 0],
        step[:, 1],
        angles="xy",
        scale_units="xy",
        scale=1.8,
        pivot="mid",
        width=0.004,
        color=light("ink"),
        alpha=0.75,
    )


def sequential() -> Any:
    """Colours of values, the larger the darker."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = ["#eef4fa", "#9cc3e4", "#2671b3", "#0a3a6e"]
    return LinearSegmentedColormap.from_list("values", colours, N=48)


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    colours = [light("low"), "#a9cbe8", "#f3f4f6", "#f3cd9c", light("high")]
    return LinearSegmentedColormap.from_list("functions", colours)
