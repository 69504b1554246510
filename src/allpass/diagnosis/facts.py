"""Plain facts about a dataset: sizes, degrees, components, classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from allpass.data.repairs.edges import count_directions, stored_once
from allpass.graph import components
from allpass.metrics import LabelledGraph


@dataclass(frozen=True)
class Range:
    """The least, the middle and the greatest of some numbers."""

    minimum: float
    median: float
    maximum: float


@dataclass(frozen=True)
class Facts:
    """What a graph is made of.

    Args:
        nodes: Number of nodes.
        edges: Undirected edges between different nodes.
        stored_entries: Columns of ``edge_index`` as it was stored.
        directed: Whether edges have a direction: some are stored with their reverse, others without it.
        stored_once: Whether hardly any edge is stored with its reverse, so that nothing says whether direction matters.
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
        numbers: What the labels range over where they are numbers; nothing where they are classes.
    """

    nodes: int
    edges: int
    stored_entries: int
    directed: bool
    stored_once: bool
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
    numbers: Range | None = None


@dataclass(frozen=True)
class DegreeHistogram:
    """Nodes by number of neighbours, in bins that double: 0, 1, 2-3, 4-7, ..."""

    bins: tuple[str, ...]
    counts: tuple[int, ...]


def gather_facts(data: Any, graph: LabelledGraph) -> Facts:
    """The facts of ``data``; ``graph`` is its undirected form, whose features may be scaled."""
    degrees = neighbour_counts(graph)
    pieces = components(graph.adjacency)
    labelled = graph.y is not None
    numbers = _known_numbers(data)
    one_way, both_ways = count_directions(data.edge_index.cpu().numpy(), graph.num_nodes)
    once = stored_once(one_way, both_ways)
    x = getattr(data, "x", None)
    return Facts(
        nodes=graph.num_nodes,
        edges=int(degrees.sum()) // 2,
        stored_entries=int(data.edge_index.shape[1]),
        directed=one_way > 0 and not once,
        stored_once=once,
        weighted=getattr(data, "edge_weight", None) is not None,
        self_loops=int((graph.adjacency.diagonal > 0).sum()),
        isolated=int((degrees == 0).sum()),
        mean_degree=float(degrees.double().mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max()) if len(degrees) else 0,
        components=pieces.count,
        largest_component=float(pieces.sizes.max()) / graph.num_nodes if pieces.count else 0.0,
        bipartite_components=int((pieces.bipartite & (pieces.sizes > 1)).sum()),
        features=0 if x is None else int(x.shape[1]),
        feature_density=_density(x),
        zero_feature_rows=_zero_rows(x),
        classes=graph.num_classes if labelled else 0,
        labelled=int(graph.known.sum()) if labelled else len(numbers),
        class_names=_class_names(data) if labelled else (),
        class_sizes=tuple(int(n) for n in graph.class_sizes) if labelled else (),
        numbers=_range(numbers),
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


def _known_numbers(data: Any) -> Tensor:
    """The numbers of nodes that have one, as many as there are in a row; none where labels are classes."""
    y = getattr(data, "y", None)
    if y is None or not y.is_floating_point():
        return torch.empty(0)
    rows = y.reshape(len(y), -1)
    return rows[~rows.isnan().any(1)]


def _range(numbers: Tensor) -> Range | None:
    if not numbers.numel() or numbers.shape[1] > 1:
        return None
    values = numbers.double().cpu().numpy()
    return Range(float(values.min()), float(np.median(values)), float(values.max()))


def _density(x: Tensor | None) -> float:
    if x is None or not x.shape[0] * x.shape[1]:
        return 0.0
    numbers = x if x.layout == torch.strided else x.to_sparse_csr().values()
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
