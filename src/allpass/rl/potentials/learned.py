"""Potentials of graph networks, on states that are numbers or vectors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from allpass.rl.potentials.interface import Steps
from allpass.rl.potentials.network import PotentialNetwork
from allpass.rl.potentials.visited import VisitedGraph

Array = NDArray[np.float64]


class LearnedPotential:
    """The potential of a graph network on the visited states.

    States that are numbers get one column each, and the network reads the graph whenever it is asked; states that are
    vectors are its features, and it reads each alone, so that it knows states that were never visited.

    Args:
        network: Any :class:`~allpass.rl.potentials.network.PotentialNetwork`, or the name of its model.
        num_states: Number of states, where they are numbers.
        radius: Join vectors at most this far apart too, as columns scaled to deviation 1 measure it.
    """

    def __init__(
        self,
        network: PotentialNetwork | str = "gcn",
        *,
        num_states: int | None = None,
        radius: float | None = None,
    ) -> None:
        self.network = PotentialNetwork(network) if isinstance(network, str) else network
        self.num_states, self.radius = num_states, radius
        self._graph: Any = None
        self._vectors = False
        self._centre: Array = np.zeros(1)
        self._scale: Array = np.ones(1)

    def fit(self, steps: Steps) -> Self:
        visited = VisitedGraph.of(steps)
        nodes, labels = self._labels(steps, visited)
        self._vectors = visited.states.ndim == 2
        if not len(nodes):
            return self
        if self._vectors:
            self._centre = visited.states.mean(axis=0)
            self._scale = np.where(visited.states.std(axis=0) > 0, visited.states.std(axis=0), 1)
            X = (visited.states - self._centre) / self._scale
            graph = visited.undirected if self.radius is None else visited.undirected + _near(X, self.radius)
        else:
            S = self.num_states or int(visited.states.max()) + 1
            if self.num_states is None and self._graph is not None:
                S = max(S, self._graph.shape[0])
            nodes = visited.states[nodes]
            edges = visited.undirected.tocoo()
            place = visited.states[edges.row], visited.states[edges.col]
            graph, X = sp.csr_array((edges.data, place), shape=(S, S)), sp.eye_array(S).tocsr()
        self.network.fit(X, graph, nodes, labels)
        self._graph = graph
        return self

    def _labels(self, steps: Steps, visited: VisitedGraph) -> tuple[NDArray[np.int64], Array]:  # noqa: ARG002
        """Labelled nodes and their labels from 0 to 1; none where no reward was met, so that nothing is learned."""
        if not len(visited.labelled):
            return visited.labelled, visited.labels
        nodes = np.concatenate([visited.starts, visited.labelled])
        return nodes, np.concatenate([np.full(len(visited.starts), 0.5), (1 + visited.labels) / 2])

    def potential(self, states: Any) -> Array:
        asked = np.asarray(states)
        if self._graph is None:
            return np.zeros(len(asked))
        if self._vectors:
            return self.network.potential((asked - self._centre) / self._scale)
        S = self._graph.shape[0]
        phi = self.network.potential(sp.eye_array(S).tocsr(), self._graph)
        return np.where(asked < S, phi[np.minimum(asked, S - 1)], 0.0)


def _near(X: Array, radius: float) -> Any:
    pairs = cKDTree(X).query_pairs(radius, output_type="ndarray")
    row, column = np.concatenate([pairs, pairs[:, ::-1]]).T
    return sp.csr_array((np.ones(len(row)), (row, column)), shape=(len(X), len(X)))
