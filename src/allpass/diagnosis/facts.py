"""Plain facts about a dataset: sizes, degrees, components, classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from allpass.graph import components
from allpass.metrics import LabelledGraph


@dataclass(frozen=True)
class Facts:
    """What a graph is made of.

    Args:
        nodes: Number of nodes.
        edges: Undirected edges between different nodes.
        stored_entries: Columns of ``edge_index`` as it was stored.
        directed: Whether some stored edge lacks its reverse.
        weighted: Whether edges carry weights.
        self_loops: Nodes with an edge to themselves.
        isolated: Nodes without any neighbour.
        mean_degree: Neighbours of a node, on average.
        max_degree: Neighbours of the busiest node.
        components: Connected pieces.
        largest_component: Share of the nodes in the largest piece.
        bipartite_components: Pieces of two or more nodes without an odd cycle.
        features: Columns of x.
        feature_density: Share of non-zero feature values.
        zero_feature_rows: Nodes whose features are all zero.
        classes: Classes that occur.
        labelled: Nodes with a label.
        class_names: Name of each class.
        class_sizes: Nodes of each class.
    """

    nodes: int
    edges: int
    stored_entries: int
    directed: bool
    weighted: bool
    self_loops: int
    isolated: int
    mean_degree: float
    max_degree: int
    components: int
    largest_component: float
    bipartite_components: int
    features: int
    feature_density: float
    zero_feature_rows: int
    classes: int
    labelled: int
    class_names: tuple[str, ...]
    class_sizes: tuple[int, ...]


@dataclass(frozen=True)
class DegreeHistogram:
    """Nodes by number of neighbours, in bins that double: 0, 1, 2-3, 4-7, ..."""

    bins: tuple[str, ...]
    counts: tuple[int, ...]


def gather_facts(data: Any, graph: LabelledGraph) -> Facts:
    """The facts of ``data``; ``graph`` is its undirected form."""
    degrees = neighbour_counts(graph)
    pieces = components(graph.adjacency)
    labelled = graph.y is not None
    return Facts(
        nodes=graph.num_nodes,
        edges=int(degrees.sum()) // 2,
        stored_entries=int(data.edge_index.shape[1]),
        directed=_is_directed(data.edge_index, graph.num_nodes),
        weighted=getattr(data, "edge_weight", None) is not None,
        self_loops=int((graph.adjacency.diagonal > 0).sum()),
        isolated=int((degrees == 0).sum()),
        mean_degree=float(degrees.double().mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max()) if len(degrees) else 0,
        components=pieces.count,
        largest_component=float(pieces.sizes.max()) / graph.num_nodes if pieces.count else 0.0,
        bipartite_components=int((pieces.bipartite & (pieces.sizes > 1)).sum()),
        features=0 if graph.x is None else int(graph.x.shape[1]),
        feature_density=_density(graph.x),
        zero_feature_rows=_zero_rows(graph.x),
        classes=graph.num_classes if labelled else 0,
        labelled=int(graph.known.sum()) if labelled else 0,
        class_names=_class_names(data) if labelled else (),
        class_sizes=tuple(int(n) for n in graph.class_sizes) if labelled else (),
    )


def neighbour_counts(graph: LabelledGraph) -> Tensor:
    """Number of neighbours of each node, itself not counted, ``[N]``."""
    stored = graph.adjacency.pattern.crow.diff().long()
    return stored - (graph.adjacency.diagonal != 0).long()


def degree_histogram(graph: LabelledGraph) -> DegreeHistogram:
    """Neighbour counts in doubling bins."""
    degrees = neighbour_counts(graph)
    place = torch.where(degrees > 0, degrees.clamp_min(1).double().log2().floor().long() + 1, 0)
    counts = torch.bincount(place) if len(place) else torch.zeros(1, dtype=torch.long)
    names = ["0", "1"] + [f"{2**k}-{2 ** (k + 1) - 1}" for k in range(1, len(counts))]
    return DegreeHistogram(tuple(names[: len(counts)]), tuple(int(c) for c in counts))


def _is_directed(edge_index: Tensor, num_nodes: int) -> bool:
    source, target = edge_index.long()
    forward, backward = torch.unique(source * num_nodes + target), torch.unique(target * num_nodes + source)
    return not torch.equal(forward, backward)


def _density(x: Tensor | None) -> float:
    if x is None or not x.shape[0] * x.shape[1]:
        return 0.0
    numbers = x if x.layout == torch.strided else x.values()
    return int(torch.count_nonzero(numbers)) / (x.shape[0] * x.shape[1])


def _zero_rows(x: Tensor | None) -> int:
    if x is None:
        return 0
    if x.layout == torch.strided:
        return int((~(x != 0).any(1)).sum())
    return int((x.to_sparse_csr().crow_indices().diff() == 0).sum())


def _class_names(data: Any) -> tuple[str, ...]:
    """The data's own names where it has them, for the classes that occur; their numbers otherwise."""
    occurring = torch.unique(data.y[data.y >= 0]).tolist()
    names = getattr(data, "class_names", None)
    return tuple(str(names[k]) if names and k < len(names) else str(k) for k in occurring)
