"""Random graphs for hypothesis: directed or not, weighted or not, with loops, duplicates, isolated nodes, or empty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from allpass.graph import Operator


@dataclass(frozen=True)
class Graph:
    """What a strategy draws: edges as PyG stores them, labels (-1 for a missing one) and small integer features."""

    num_nodes: int
    edge_index: Tensor  # [2, E], int64
    edge_weight: Tensor | None  # [E], float64, multiples of 1/4 above 0
    y: Tensor  # [N], int64
    x: Tensor  # [N, F], float64

    @property
    def dense(self) -> np.ndarray:
        """The adjacency entry by entry: an edge u -> v of weight w adds w to A[v, u]."""
        A = np.zeros((self.num_nodes, self.num_nodes))
        weights = [1.0] * self.edge_index.shape[1] if self.edge_weight is None else self.edge_weight.tolist()
        for (u, v), w in zip(self.edge_index.T.tolist(), weights, strict=True):
            A[v, u] += w
        return A

    def operator(self, dtype: torch.dtype = torch.float64) -> Operator:
        """The same graph as an Operator."""
        return Operator.from_edge_index(self.edge_index, self.edge_weight, self.num_nodes, dtype=dtype)


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    directed: bool | None = None,
    weighted: bool | None = None,
    self_loops: bool = True,
    duplicates: bool = True,
    classes: int = 3,
    missing: bool = True,
    max_features: int = 3,
) -> Graph:
    """A small random graph; ``directed`` and ``weighted`` are drawn too when they are None.

    Args:
        draw: Given by hypothesis.
        min_nodes: Fewest nodes; 0 admits the empty graph.
        max_nodes: Most nodes.
        directed: Keep edges one-way, or store both directions (a loop once, with one weight each).
        weighted: Draw weights, or have none.
        self_loops: Admit u -> u.
        duplicates: Admit an edge stored twice.
        classes: Labels run from 0 to classes - 1.
        missing: Admit the label -1.
        max_features: Most columns of x; 0 is always admitted.
    """
    n = draw(st.integers(min_nodes, max_nodes))
    nodes = st.integers(0, max(n - 1, 0))
    pairs = st.tuples(nodes, nodes).filter(lambda pair: self_loops or pair[0] != pair[1])
    one_way = draw(st.booleans()) if directed is None else directed
    key = None if duplicates else (tuple if one_way else lambda pair: tuple(sorted(pair)))
    edges = draw(st.lists(pairs, max_size=3 * n, unique_by=key)) if n > 1 or (n and self_loops) else []
    weights = draw(st.lists(st.integers(1, 12), min_size=len(edges), max_size=len(edges)))
    has_weights = draw(st.booleans()) if weighted is None else weighted
    stored = [(u, v, w) for (u, v), w in zip(edges, weights, strict=True)]
    if not one_way:
        stored += [(v, u, w) for u, v, w in stored if u != v]
    entries = torch.tensor(stored, dtype=torch.int64).reshape(-1, 3)
    labels = st.integers(-1 if missing else 0, classes - 1)
    y = draw(st.lists(labels, min_size=n, max_size=n))
    width = draw(st.integers(0, max_features))
    x = draw(st.lists(st.integers(-3, 3), min_size=n * width, max_size=n * width))
    return Graph(
        num_nodes=n,
        edge_index=entries[:, :2].T.contiguous(),
        edge_weight=entries[:, 2].double() / 4 if has_weights else None,
        y=torch.tensor(y, dtype=torch.int64),
        x=torch.tensor(x, dtype=torch.float64).reshape(n, width),
    )
