r"""Smoothness of features over edges.

.. math::
    \lambda_f = \frac{\big\| \sum_v \big( \sum_{u \in \mathcal N_v} (x_v - x_u) \big)^2 \big\|_1}{|\mathcal E|\, F}
    = \frac{\| L X \|_F^2}{|\mathcal E|\, F}, \qquad
    h_{GE} = \frac{1}{|\mathcal E|} \sum_{e_{uv}} \cos(x_u, x_v).

Self-loops are left out. :math:`|\mathcal E|` is the number of stored entries in h_GE (each edge once a direction, the
mean is the same), and the number of undirected edges, half of that, in :math:`\lambda_f`. The cosine with a zero row
counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import scipy.sparse as sp
import torch
from torch import Tensor

from allpass.graph import Operator
from allpass.metrics.base import Measurement
from allpass.metrics.features import features_as_map
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph

# Rows are taken in blocks of about this many result entries, so that no product of the whole graph is ever held.
_BLOCK = 8_000_000


def generalized_edge_homophily(
    edge_index: Graph, x: Tensor, num_nodes: int | None = None, **options: Unpack[GraphOptions]
) -> float:
    """Mean cosine similarity of the features at the two ends of an edge.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as it is.
        x: Features ``[N, F]``, dense or sparse.
        num_nodes: Number of nodes; by default the rows of x.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.
    """
    return measure_generalized(LabelledGraph.build(edge_index, None, x, num_nodes, **options)).value


def feature_smoothness(
    edge_index: Graph, x: Tensor, num_nodes: int | None = None, **options: Unpack[GraphOptions]
) -> float:
    """λ_f of Hou et al.: squared sums of feature differences over neighbourhoods, by edge and feature.

    It grows with the scale of the features; the authors assume values in [0, 1]. Arguments of
    :func:`generalized_edge_homophily`.
    """
    return measure_feature_smoothness(LabelledGraph.build(edge_index, None, x, num_nodes, **options)).value


def measure_generalized(graph: LabelledGraph) -> Measurement:
    """h_GE of a prepared graph."""
    A = _without_loops(graph.adjacency)
    total = float(A.values.sum())
    if not total:
        return Measurement.undefined("no edges")
    X = features_as_map(graph.features)
    if X.sparse is None:
        sizes = X.values.norm(dim=1, keepdim=True)
        unit = X.values / torch.where(sizes > 0, sizes, torch.ones_like(sizes))
        return Measurement(float((unit * (A @ unit)).sum()) / total)
    op = X.sparse
    squares = Operator(op.pattern, op.values.square()).row_sums.sqrt()
    unit_rows = op.scale_rows(1 / torch.where(squares > 0, squares, torch.ones_like(squares))).to_scipy()
    inner = sum(float(block.multiply(unit_rows[rows]).sum()) for rows, block in _products(A, unit_rows))
    return Measurement(inner / total)


def measure_feature_smoothness(graph: LabelledGraph) -> Measurement:
    """λ_f of a prepared graph."""
    A = _without_loops(graph.adjacency)
    edges = float(A.values.sum()) / 2
    if not edges or not graph.features.shape[1]:
        return Measurement.undefined("no edges" if not edges else "no features")
    X = features_as_map(graph.features)
    degrees = A.row_sums
    if X.sparse is None:
        squares = float((degrees.unsqueeze(1) * X.values - A @ X.values).square().sum())  # ||L X||_F^2
    else:
        rows_of_x, scaled = X.sparse.to_scipy(), X.sparse.scale_rows(degrees).to_scipy()
        squares = sum(float((scaled[rows] - block).power(2).sum()) for rows, block in _products(A, rows_of_x))
    return Measurement(squares / (edges * graph.features.shape[1]))


def _without_loops(A: Operator) -> Operator:
    loops = A.diagonal
    return A.plus_diagonal(-loops) if bool(loops.any()) else A


def _products(A: Operator, X: Any) -> Iterator[tuple[slice, Any]]:
    """A X for sparse X, a block of rows at a time."""
    csr = A.to_scipy()
    mean_width = max(X.nnz / max(X.shape[0], 1), 1.0)
    step = max(int(_BLOCK / (mean_width * max(A.nnz / max(A.shape[0], 1), 1.0))), 1)
    for start in range(0, A.shape[0], step):
        rows = slice(start, start + step)
        yield rows, sp.csr_array(csr[rows]) @ X
