"""Where the states of a process are drawn when they have no place of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from allpass.graph import Operator
from allpass.graph.embeddings.isomap import isomap_embedding

if TYPE_CHECKING:
    from allpass.rl import TabularMDP

STATES = 3000
"""A graph of more states is drawn by a sample."""
PARTS = 12
"""The most parts that are drawn next to each other."""
EDGES = 4000
"""The most lines."""


@dataclass(frozen=True)
class Layout:
    """A drawn graph of states.

    Args:
        places: Positions ``[K, 2]`` of the states that are drawn.
        states: Their numbers ``[K]``.
        edges: Pairs ``[E, 2]`` of rows of ``places``.
        parts: How many parts are drawn, of how many that no move connects.
    """

    places: NDArray[np.float64]
    states: NDArray[np.int64]
    edges: NDArray[np.int64]
    parts: tuple[int, int]


def layout(mdp: TabularMDP) -> Layout:
    """Draw the parts of the graph side by side, largest first; distances follow shortest paths.

    States that end an episode are left out, as they would join everything.
    """
    from allpass.rl import visited_graph

    graph = visited_graph(mdp.state_chain("uniform"))
    alive = np.flatnonzero(~mdp.terminal)
    if len(alive) > STATES:
        alive = np.sort(np.random.default_rng(0).choice(alive, STATES, replace=False))
    count, part = connected_components(graph[alive][:, alive], directed=False)
    order = np.argsort(-np.bincount(part, minlength=count), kind="stable")[:PARTS]
    members = [alive[part == number] for number in order]
    states = np.concatenate(members) if members else alive
    own = graph[states][:, states]
    places = _packed([_shape(graph[nodes][:, nodes]) for nodes in members])
    upper = sp.triu(own, 1).tocoo()
    edges = np.column_stack([upper.row, upper.col]).astype(np.int64)
    if len(edges) > EDGES:
        edges = edges[np.random.default_rng(0).choice(len(edges), EDGES, replace=False)]
    return Layout(places, states, edges, (len(members), count))


def _shape(graph: Any) -> NDArray[np.float64]:
    """Positions of one connected part ``[n, 2]``, from 0 on."""
    place = isomap_embedding(Operator.from_scipy(graph)).numpy()
    return place - place.min(axis=0)


def _packed(shapes: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """All parts in rows, from left to right, largest first."""
    if not shapes:
        return np.zeros((0, 2))
    sizes = np.array([np.ptp(shape, axis=0) for shape in shapes])
    gap = max(1.0, 0.12 * float(sizes.max()))
    width = max(
        float(sizes[:, 0].max()), float(np.sqrt(1.6 * ((sizes[:, 0] + gap) * (sizes[:, 1] + gap)).sum()))
    )
    x = y = height = 0.0
    placed = []
    for shape, (wide, high) in zip(shapes, sizes, strict=True):
        if x and x + wide > width:
            x, y, height = 0.0, y - height - gap, 0.0
        placed.append(shape + np.array([x, y - high]))
        x, height = x + wide + gap, max(height, high)
    return np.concatenate(placed)
