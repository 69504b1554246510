r"""Aggregation similarity and aggregation homophily: does averaging keep a node nearer to its own class?

.. math::
    S_{agg} = \frac{1}{|\mathcal V|} \Big| \Big\{ v : \operatorname{mean}_{u: y_u = y_v} S(\hat A, X)_{vu} \ge
    \operatorname{mean}_{u: y_u \ne y_v} S(\hat A, X)_{vu} \Big\} \Big|, \qquad S_{agg}^M = [2 S_{agg} - 1]_+

with :math:`S(\hat A, X) = \hat A X (\hat A X)^\top`; :math:`H_{agg}` is :math:`S_{agg}` with X = Z, the one-hot labels.
"""

from __future__ import annotations

from typing import Unpack

from torch import Tensor

from allpass.metrics.base import Measurement
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph
from allpass.metrics.similarity import (
    RTOL,
    Comparison,
    ZeroOverZero,
    feature_similarity,
    incomparable,
    label_similarity,
    share_of_nodes,
)


def aggregation_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    normalization: str | None = "A_hat_rw",
    comparison: Comparison = "mean",
    rtol: float = RTOL,
    **options: Unpack[GraphOptions],
) -> float:
    """H_agg: share of the nodes whose aggregated label vector is nearer to their own class than to the others.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency (loops it has stay).
        y: Class of every node; negative where unknown (those aggregate nothing and are compared with nobody).
        num_nodes: Number of nodes; by default the number of labels.
        normalization: Name of the aggregation matrix (``allpass.graph.MATRICES``); nothing to use an Operator as is.
        comparison: ``"mean"`` as defined; ``"argmax"``, the authors' synthetic-graph code: the own class has the
            largest mean of all classes.
        rtol: Relative tolerance of comparisons.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.

    Example:
        >>> import torch
        >>> bipartite = torch.tensor([[0, 0, 1, 1], [2, 3, 2, 3]])
        >>> aggregation_homophily(bipartite, torch.tensor([0, 0, 1, 1]))
        1.0
    """
    graph = LabelledGraph.build(edge_index, y, None, num_nodes, **options)
    return measure_aggregation_homophily(graph, normalization, comparison, rtol).value


def modified_aggregation_homophily(
    edge_index: Graph,
    y: Tensor,
    num_nodes: int | None = None,
    *,
    normalization: str | None = "A_hat_rw",
    comparison: Comparison = "mean",
    rtol: float = RTOL,
    **options: Unpack[GraphOptions],
) -> float:
    """H_agg^M = [2 H_agg - 1]_+; arguments of :func:`aggregation_homophily`."""
    graph = LabelledGraph.build(edge_index, y, None, num_nodes, **options)
    return modified(measure_aggregation_homophily(graph, normalization, comparison, rtol)).value


def aggregation_similarity(
    edge_index: Graph,
    x: Tensor,
    y: Tensor,
    *,
    normalization: str | None = "A_hat_rw",
    row_normalize: bool = False,
    comparison: Comparison = "mean",
    zero_over_zero: ZeroOverZero = "pass",
    rtol: float = RTOL,
    **options: Unpack[GraphOptions],
) -> float:
    """S_agg of the features.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        x: Features ``[N, F]``, dense or sparse.
        y: Class of every node; negative where unknown.
        normalization: Name of the aggregation matrix; ``"I"`` for the features alone.
        row_normalize: Divide each feature row by the sum of its absolute values first. The definition takes x as given;
            the published values are of divided rows (Cora: 0.9439, by the definition 0.9405).
        comparison: ``"mean"`` as defined, or ``"argmax"``.
        zero_over_zero: A node with both means 0 (its features are zero) fulfils >= and passes; the authors' code
            divides them, gets 0/0 and lets it ``"fail"``.
        rtol: Relative tolerance of comparisons.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.
    """
    graph = LabelledGraph.build(edge_index, y, x, **options)
    return measure_aggregation_similarity(
        graph, normalization, row_normalize, comparison, zero_over_zero, rtol
    ).value


def modified_aggregation_similarity(
    edge_index: Graph,
    x: Tensor,
    y: Tensor,
    *,
    normalization: str | None = "A_hat_rw",
    row_normalize: bool = False,
    comparison: Comparison = "mean",
    zero_over_zero: ZeroOverZero = "pass",
    rtol: float = RTOL,
    **options: Unpack[GraphOptions],
) -> float:
    """S_agg^M = [2 S_agg - 1]_+; arguments of :func:`aggregation_similarity`."""
    graph = LabelledGraph.build(edge_index, y, x, **options)
    plain = measure_aggregation_similarity(
        graph, normalization, row_normalize, comparison, zero_over_zero, rtol
    )
    return modified(plain).value


def measure_aggregation_homophily(
    graph: LabelledGraph,
    normalization: str | None = "A_hat_rw",
    comparison: Comparison = "mean",
    rtol: float = RTOL,
) -> Measurement:
    """H_agg of a prepared graph."""
    if reason := incomparable(graph):
        return Measurement.undefined(reason)
    return share_of_nodes(label_similarity(graph, normalization).aggregates(comparison, rtol=rtol))


def measure_aggregation_similarity(
    graph: LabelledGraph,
    normalization: str | None = "A_hat_rw",
    row_normalize: bool = False,
    comparison: Comparison = "mean",
    zero_over_zero: ZeroOverZero = "pass",
    rtol: float = RTOL,
) -> Measurement:
    """S_agg of a prepared graph."""
    if reason := incomparable(graph):
        return Measurement.undefined(reason)
    similarity = feature_similarity(graph, normalization, row_normalize=row_normalize)
    return share_of_nodes(similarity.aggregates(comparison, zero_over_zero, rtol))


def modified(plain: Measurement) -> Measurement:
    """[2 s - 1]_+: 0 for a coin toss."""
    return Measurement(max(2 * plain.value - 1, 0.0)) if plain.defined else plain
