r"""Homophily of labels and edges: the three classical measures.

With :math:`\mathcal N_v` the neighbours of v and :math:`d_v` their number:

.. math::
    H_{edge} &= \frac{|\{e_{uv} : y_u = y_v\}|}{|\mathcal E|}, \qquad
    H_{node} = \frac{1}{|\mathcal V|} \sum_v \frac{|\{u \in \mathcal N_v : y_u = y_v\}|}{d_v}, \\
    H_{class} &= \frac{1}{C-1} \sum_k \Big[ h_k - \frac{n_k}{N} \Big]_+, \qquad
    h_k = \frac{\sum_{v: y_v = k} |\{u \in \mathcal N_v : y_u = k\}|}{\sum_{v: y_v = k} d_v}.

Nodes without neighbours are left out of H_node. A node whose label is unknown is left out of every count, as a node
and as a neighbour. Every stored entry counts once: an undirected edge twice, a kept self-loop once.

The published statistics of the heterophilous sets (ACM paper, Table 2) use other conventions than its text: H_edge
there is ``directed=True, self_loops="add"``, H_node and H_class are ``directed=True``, with ``empty_class="zero"``.
"""

from __future__ import annotations

from typing import Literal, Unpack

import torch
from torch import Tensor

from allpass.metrics.base import Measurement
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph, Loops, check_choice

EmptyClass = Literal["undefined", "zero"]
NO_EDGES = "no edge joins two labelled nodes"


def edge_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """Share of the edges that join two nodes of one class.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as it is.
        y: Class of every node; negative where unknown.
        num_nodes: Number of nodes; by default the number of labels.
        self_loops: Leave the graph's own loops out, keep them, or count one for every node.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.

    Example:
        >>> edge_homophily(torch.tensor([[0, 1, 2], [1, 2, 3]]), torch.tensor([0, 0, 1, 1]))
        0.6666666666666666
    """
    return measure_edge(LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops).value


def node_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """Mean over nodes of the share of their neighbours in their own class; arguments of :func:`edge_homophily`."""
    return measure_node(LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops).value


def class_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    empty_class: EmptyClass = "undefined",
    **options: Unpack[GraphOptions],
) -> float:
    """Excess of each class's homophily over its share of the nodes.

    Arguments of :func:`edge_homophily`, and ``empty_class``: a class without edges has no h_k, which leaves the whole
    ``"undefined"`` (NaN); the published values let it count as ``"zero"``. A class without nodes has no excess, but is
    one of the C classes: labels 0 and 2 alone are of three.
    """
    graph = LabelledGraph.build(edge_index, y, None, num_nodes, **options)
    return measure_class(graph, self_loops, empty_class).value


def classwise_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> Tensor:
    """h_k for every class that occurs, ``[C]``; NaN for a class without edges. Arguments of :func:`edge_homophily`."""
    return per_class(LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops)


def label_smoothness(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """Share of the edges that join different classes, 1 - H_edge; arguments of :func:`edge_homophily`."""
    return measure_label_smoothness(
        LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops
    ).value


def measure_edge(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """H_edge of a prepared graph."""
    mixing = graph.mixing(self_loops)
    total = float(mixing.sum())
    return Measurement(float(mixing.diagonal().sum()) / total) if total else Measurement.undefined(NO_EDGES)


def measure_node(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """H_node of a prepared graph."""
    B = graph.neighbour_classes(self_loops)
    degrees = graph.labelled(B.sum(1))
    shares = graph.take_own(B)[degrees > 0] / degrees[degrees > 0]
    return Measurement(float(shares.mean())) if len(shares) else Measurement.undefined(NO_EDGES)


def per_class(graph: LabelledGraph, self_loops: Loops = "drop") -> Tensor:
    """h_k of a prepared graph, ``[C]``."""
    mixing = graph.mixing(self_loops)
    return mixing.diagonal() / mixing.sum(1)


def measure_class(
    graph: LabelledGraph, self_loops: Loops = "drop", empty_class: EmptyClass = "undefined"
) -> Measurement:
    """H_class of a prepared graph."""
    check_choice("empty_class", empty_class, EmptyClass)
    if graph.num_classes < 2:
        return Measurement.undefined("fewer than two classes")
    h = per_class(graph, self_loops)
    if empty_class == "zero":
        h = h.nan_to_num(0.0)
    if bool(torch.isnan(h).any()):
        return Measurement.undefined(f"{int(torch.isnan(h).sum())} of the classes have no edges")
    share = graph.class_sizes / graph.class_sizes.sum()
    return Measurement(float((h - share).clamp_min(0).sum()) / (graph.all_classes - 1))


def measure_label_smoothness(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """1 - H_edge of a prepared graph."""
    edge = measure_edge(graph, self_loops)
    return Measurement(1 - edge.value) if edge.defined else edge
