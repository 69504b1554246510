"""Signals on the states of a process, drawn on its grid or on its graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.report.canvas import canvas, in_style, panels
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from allpass.rl import TabularMDP

Array = NDArray[np.float64]

_CELLS = 60  # a grid with more rows or columns is drawn in blocks
_STATES = 3000  # a graph of more states is drawn by a sample
_ARROWS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


@in_style
def value_map(mdp: TabularMDP, values: Array, policy: Any = None) -> Figure:
    """Values on the grid, or on the drawn graph, with arrows of the policy where actions are directions."""
    places = _places(mdp)
    wide = places is None or np.ptp(places[:, 1]) >= np.ptp(places[:, 0])
    figure, axes = canvas(3.6 if wide else 4.6, 4.8)
    drawn = _draw(axes, mdp, values, places, _sequential())
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
    places = _places(mdp)
    figure, grid = panels(rows, columns, 2.3 * rows + 0.2)
    flat = [panel for row in grid for panel in row]
    most = np.abs(functions).max(axis=0)
    reaches = np.maximum(most.max() if one_scale else most, 1e-300) * np.ones(functions.shape[1])
    for panel, name, function, reach in zip(flat, names, functions.T, reaches, strict=False):
        _draw(panel, mdp, function / reach, places, _diverging(), limits=(-1, 1))
        panel.set_title(name, fontsize=8)
    for panel in flat[count:]:
        panel.axis("off")
    return figure


def _places(mdp: TabularMDP) -> Array | None:
    """Whole rows and columns of the states that have a place; None where no state has one."""
    if mdp.positions is None or np.isnan(mdp.positions).all():
        return None
    return mdp.positions[~np.isnan(mdp.positions).any(axis=1)]


def _draw(
    axes: Axes, mdp: TabularMDP, values: Array, places: Array | None, colours: Any, limits: Any = (None, None)
) -> Any:
    axes.set_aspect("equal")
    axes.axis("off")
    if places is not None:
        return _draw_grid(axes, mdp, values, colours, limits)
    return _draw_graph(axes, mdp, values, colours, limits)


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


def _draw_graph(axes: Axes, mdp: TabularMDP, values: Array, colours: Any, limits: Any) -> Any:
    """States at their second and third eigenfunctions, moves as thin lines."""
    from matplotlib.collections import LineCollection

    place, kept, edges = _layout(mdp)
    axes.add_collection(LineCollection(place[edges], colors=light("line"), linewidths=0.4, zorder=1))  # type: ignore[arg-type]
    return axes.scatter(
        place[:, 0],
        place[:, 1],
        c=values[kept],
        s=max(3.0, min(26.0, 2600 / len(kept))),
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        linewidths=0,
        zorder=2,
    )


def _layout(mdp: TabularMDP) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Positions ``[K, 2]`` of the states that are drawn, their numbers, and edges ``[E, 2]`` between them."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    from allpass.rl import proto_value_functions, visited_graph

    graph = visited_graph(mdp.state_chain("uniform"))
    alive = np.flatnonzero(~mdp.terminal)
    if len(alive) > _STATES:
        alive = np.sort(np.random.default_rng(0).choice(alive, _STATES, replace=False))
    part = connected_components(graph[alive][:, alive], directed=False)[1]
    kept = alive[part == np.bincount(part).argmax()]  # the largest piece; terminal states join everything
    own = graph[kept][:, kept]
    if len(kept) < 4:
        place = np.column_stack([np.arange(len(kept)), np.zeros(len(kept))]).astype(np.float64)
    else:
        place = proto_value_functions(own, 3, laplacian="random-walk")[:, 1:]
    upper = sp.triu(own, 1).tocoo()
    edges = np.column_stack([upper.row, upper.col]).astype(np.int64)
    if len(edges) > 4000:
        edges = edges[np.random.default_rng(0).choice(len(edges), 4000, replace=False)]
    return place / np.maximum(np.ptp(place, axis=0), 1e-12), kept, edges


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


def _sequential() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    colours = ["#eef4fa", "#9cc3e4", "#2671b3", "#0a3a6e"]
    return LinearSegmentedColormap.from_list("values", colours, N=48)


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    colours = [light("low"), "#a9cbe8", "#f3f4f6", "#f3cd9c", light("high")]
    return LinearSegmentedColormap.from_list("functions", colours)
