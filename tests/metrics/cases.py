"""Small labelled graphs with every difficulty: direction, weights, loops, copies, isolated nodes, unknown labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

LABELS = (  # which classes a graph may have; negative is unknown
    (0,),
    (0, 1),
    (0, 1, 2),
    (0, 1, 2, 3),
    (-1,),
    (-1, 0),
    (-1, 0, 1),
    (-3, -1, 0, 4, 9),
    (2, 5),
    (1, 2, 7, 10**12),
)


@dataclass(frozen=True)
class Case:
    """A graph as plain Python numbers, and as the arguments the metrics take."""

    num_nodes: int
    edges: tuple[tuple[int, int], ...]
    weights: tuple[int, ...] | None
    labels: tuple[int, ...]
    features: tuple[tuple[int, ...], ...]
    num_features: int
    directed: bool
    neighbours: str

    @property
    def edge_index(self) -> Tensor:
        return torch.tensor(self.edges, dtype=torch.int64).reshape(-1, 2).T

    @property
    def y(self) -> Tensor:
        return torch.tensor(self.labels, dtype=torch.int64)

    @property
    def x(self) -> Tensor:
        return torch.tensor(self.features, dtype=torch.float64).reshape(self.num_nodes, self.num_features)

    @property
    def options(self) -> dict[str, Any]:
        weight = None if self.weights is None else torch.tensor(self.weights, dtype=torch.float64)
        return {"edge_weight": weight, "directed": self.directed, "neighbours": self.neighbours}


@st.composite
def cases(draw: st.DrawFn, *, undirected: bool = False, labels: tuple[tuple[int, ...], ...] = LABELS) -> Case:
    N, F = draw(st.integers(0, 9)), draw(st.integers(0, 3))
    places = draw(st.lists(st.integers(0, N * N - 1), max_size=22)) if N else []  # row by row in N x N
    low, high = draw(st.sampled_from([(0, 1), (0, 3), (-3, 3)]))
    numbers = draw(_list(st.integers(low, high), N * F))
    weighted = draw(st.booleans())
    return Case(
        num_nodes=N,
        edges=tuple(divmod(place, N) for place in places),
        weights=tuple(draw(_list(st.integers(0, 3), len(places)))) if weighted else None,
        labels=tuple(draw(_list(st.sampled_from(draw(st.sampled_from(labels))), N))),
        features=tuple(tuple(numbers[v * F : (v + 1) * F]) for v in range(N)),
        num_features=F,
        directed=not undirected and draw(st.booleans()),
        neighbours=draw(st.sampled_from(["out", "in"])),
    )


def _list(value: st.SearchStrategy[int], size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(value, min_size=size, max_size=size)
