r"""How much a neighbour's label tells: measures corrected for class sizes.

With P the mixing matrix divided by its sum (made symmetric), and :math:`\bar p_k` its row sums:

.. math::
    h_{adj} = \frac{H_{edge} - \sum_k \bar p_k^2}{1 - \sum_k \bar p_k^2}, \qquad
    LI = 2 - \frac{\sum_{kl} P_{kl} \log P_{kl}}{\sum_k \bar p_k \log \bar p_k}.

Neighbourhood identifiability stacks, for each class k, the neighbour-label distributions of its nodes; the entropy
of that matrix's singular values (divided by their sum), over log C, is averaged with the weights of the classes.
"""

from __future__ import annotations

import math
from typing import Unpack

import torch
from torch import Tensor

from allpass.metrics.base import Measurement
from allpass.metrics.homophily import NO_EDGES
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph, Loops


def adjusted_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """Edge homophily minus its expectation at random, rescaled so that 1 is perfect and 0 is random.

    Arguments of :func:`~allpass.metrics.edge_homophily`.
    """
    return measure_adjusted(LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops).value


def label_informativeness(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """Share of a label's uncertainty that one neighbour's label removes.

    Arguments of :func:`~allpass.metrics.edge_homophily`.
    """
    return measure_informativeness(
        LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops
    ).value


def neighbourhood_identifiability(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    self_loops: Loops = "drop",
    **options: Unpack[GraphOptions],
) -> float:
    """How varied the neighbourhoods within a class are: 0 when they all have the same label distribution.

    Arguments of :func:`~allpass.metrics.edge_homophily`. Nodes without labelled neighbours are left out.
    """
    return measure_identifiability(
        LabelledGraph.build(edge_index, y, None, num_nodes, **options), self_loops
    ).value


def _joint(graph: LabelledGraph, self_loops: Loops) -> Tensor | None:
    """Probability of the classes at the two ends of a random entry, ``[C, C]``, symmetric."""
    mixing = graph.mixing(self_loops)
    total = mixing.sum()
    return (mixing + mixing.mT) / (2 * total) if total > 0 else None


def measure_adjusted(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """h_adj of a prepared graph."""
    P = _joint(graph, self_loops)
    if P is None:
        return Measurement.undefined(NO_EDGES)
    if int((P.sum(1) > 0).sum()) < 2:
        return Measurement.undefined("all edges lie within one class")
    chance = float(P.sum(1).square().sum())
    return Measurement((float(P.diagonal().sum()) - chance) / (1 - chance))


def measure_informativeness(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """LI of a prepared graph."""
    P = _joint(graph, self_loops)
    if P is None:
        return Measurement.undefined(NO_EDGES)
    if int((P.sum(1) > 0).sum()) < 2:
        return Measurement.undefined("all edges lie within one class")
    entropy = -torch.special.xlogy(P.sum(1), P.sum(1)).sum()
    joint = -torch.special.xlogy(P, P).sum()
    return Measurement(max(float(2 - joint / entropy), 0.0))  # rounding leaves -4e-16 of nothing


def measure_identifiability(graph: LabelledGraph, self_loops: Loops = "drop") -> Measurement:
    """Neighbourhood identifiability of a prepared graph."""
    if graph.num_classes < 2:
        return Measurement.undefined("fewer than two classes")
    B = graph.neighbour_classes(self_loops)
    degrees = B.sum(1)
    counted = graph.known & (degrees > 0)
    if not bool(counted.any()):
        return Measurement.undefined(NO_EDGES)
    total = 0.0
    for k in range(graph.num_classes):
        members = ((graph.labels == k) & counted).nonzero().squeeze(1)
        if len(members):
            sizes = torch.linalg.svdvals(B[members] / degrees[members].unsqueeze(1))
            p = sizes / sizes.sum()
            total += len(members) * float(-torch.special.xlogy(p, p).sum())
    return Measurement(total / (int(counted.sum()) * math.log(graph.num_classes)))
