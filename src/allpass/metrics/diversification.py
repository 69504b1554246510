r"""Diversification distinguishability: which nodes does the high-pass filter set apart?

A node v is distinguishable when, in :math:`S(I - \hat A, X)`, its mean over its own class is >= 0 and its mean over the
other classes is <= 0. For two classes, X = Z and :math:`\hat A_{rw}` every node is (Theorem 3 of the report).
"""

from __future__ import annotations

from typing import Unpack

from torch import Tensor

from allpass.metrics.base import Measurement
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph
from allpass.metrics.similarity import RTOL, feature_similarity, incomparable, share_of_nodes


def diversification_distinguishability(
    edge_index: Graph,
    x: Tensor,
    y: Tensor,
    *,
    normalization: str | None = "A_hat_rw",
    row_normalize: bool = False,
    strict: bool = False,
    rtol: float = RTOL,
    **options: Unpack[GraphOptions],
) -> float:
    """DD: share of the nodes that the high-pass filter I - Â sets apart from the other classes.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        x: Features ``[N, F]``, dense or sparse.
        y: Class of every node; negative where unknown.
        normalization: Name of the aggregation matrix Â.
        row_normalize: Divide each feature row by the sum of its absolute values first. The definition takes x as given;
            the published values are of divided rows (Cora: 0.2681, by the definition 0.3264).
        strict: Ask for a mean > 0 over the own class, as the report writes; >= 0 is what its Theorem 3 and its
            published values need.
        rtol: Relative tolerance of comparisons.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.
    """
    graph = LabelledGraph.build(edge_index, y, x, **options)
    return measure_diversification(graph, normalization, row_normalize, strict, rtol).value


def measure_diversification(
    graph: LabelledGraph,
    normalization: str | None = "A_hat_rw",
    row_normalize: bool = False,
    strict: bool = False,
    rtol: float = RTOL,
) -> Measurement:
    """DD of a prepared graph."""
    if reason := incomparable(graph):
        return Measurement.undefined(reason)
    similarity = feature_similarity(graph, normalization, high_pass=True, row_normalize=row_normalize)
    return share_of_nodes(similarity.diversifies(strict, rtol))
