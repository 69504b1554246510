"""Potentials with one value for each visited state."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.potentials import propagation
from allpass.rl.potentials.interface import Steps
from allpass.rl.potentials.messages import messages
from allpass.rl.potentials.visited import VisitedGraph

Array = NDArray[np.float64]


class _OnVisited:
    """A potential with one value for each visited state, and 0 elsewhere."""

    discount = 0.99

    def __init__(self) -> None:
        self._graph: VisitedGraph | None = None
        self._phi = np.empty(0)

    def fit(self, steps: Steps) -> Self:
        self._graph = VisitedGraph.of(steps, discount=min(self.discount, 0.999))
        self._phi = self._values(self._graph)
        return self

    def potential(self, states: Any) -> Array:
        if self._graph is None:
            return np.zeros(len(np.asarray(states)))
        node = self._graph.find(states)
        return np.where(node >= 0, self._phi[node], 0.0)

    def _values(self, graph: VisitedGraph) -> Array:
        raise NotImplementedError


class HarmonicPotential(_OnVisited):
    """The discounted label that a random walk on the visited states meets first.

    Args:
        discount: Factor of each step of the walk.
        directed: Walk along the recorded moves, by how often each was made; else along undirected edges of weight 1.
    """

    def __init__(self, discount: float = 0.99, *, directed: bool = False) -> None:
        super().__init__()
        self.discount, self.directed = discount, directed

    def _values(self, graph: VisitedGraph) -> Array:
        W = graph.counts if self.directed else graph.undirected
        return propagation.harmonic(W, graph.labelled, graph.labels, discount=self.discount)


class SoftPotential(_OnVisited):
    """Labels softly clamped and spread by the normalised adjacency, divided by the largest absolute value.

    Args:
        spread: How far labels travel, from 0 to below 1.
    """

    def __init__(self, spread: float = 0.99) -> None:
        super().__init__()
        self.spread = spread

    def _values(self, graph: VisitedGraph) -> Array:
        phi = propagation.soft_clamping(graph.undirected, graph.labelled, graph.labels, spread=self.spread)
        return phi / (np.abs(phi).max() or 1.0)


class BestPathPotential(_OnVisited):
    """The best label, discounted by the number of moves to it: optimal values of the visited, deterministic graph.

    Args:
        discount: Factor of each move.
        directed: Follow the recorded moves alone; else each can be undone.
    """

    def __init__(self, discount: float = 0.99, *, directed: bool = True) -> None:
        super().__init__()
        self.discount, self.directed = discount, directed

    def _values(self, graph: VisitedGraph) -> Array:
        W = graph.counts if self.directed else graph.undirected
        good = graph.labels > 0
        return propagation.best_path(W, graph.labelled[good], graph.labels[good], discount=self.discount)


class MessagePotential(_OnVisited):
    r"""Mean over time of the messages :math:`\alpha_t \beta_t` on the visited states, divided by its largest value.

    It is how often a walk is in each state, given that all of its steps are optimal. A state that every walk passes
    gets no more than its neighbours, however near the goal: for shaping ``backward=True`` is the better choice.

    Args:
        horizon: Number of steps; by default twice the number of visited states, at most 1000.
        temperature: Of the probability that a step is optimal, for labels from -1 to 1.
        backward: Use beta alone: how good the future of a state is, however likely it is reached.
    """

    def __init__(
        self, horizon: int | None = None, *, temperature: float = 1.0, backward: bool = False
    ) -> None:
        super().__init__()
        if temperature <= 0 or (horizon is not None and horizon < 1):
            raise InputError(
                f"Got horizon = {horizon} and temperature = {temperature}.",
                "Expected at least one step and a temperature above 0.",
            )
        self.horizon, self.temperature, self.backward = horizon, temperature, backward

    def _values(self, graph: VisitedGraph) -> Array:
        S = len(graph.states)
        label = np.zeros(S)
        label[graph.labelled] = graph.labels
        moves = graph.counts.tocsr()
        total = np.asarray(moves.sum(axis=1)).ravel()
        ends = sp.diags_array((total == 0).astype(float))  # a state without a recorded move stays
        P = sp.diags_array(1 / np.where(total > 0, total, 1)) @ moves + ends
        arrival = np.exp((label - max(label.max(), 0.0)) / self.temperature)
        start = np.zeros(S)
        start[graph.starts] = 1 / len(graph.starts)
        found = messages(P @ sp.diags_array(arrival), start, self.horizon or min(2 * S, 1000))
        mean = (found.backward if self.backward else found.posterior()).mean(axis=0)
        return np.asarray(mean / mean.max())
