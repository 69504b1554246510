r"""How smooth a representation is: what deep averaging does to features, layer by layer.

.. math::
    E(X) = \operatorname{tr}(X^\top L X), \qquad
    MAD(X) = \operatorname{mean}_v \operatorname{mean}_{u \in \mathcal N_v} \big( 1 - \cos(x_v, x_u) \big).

These take any representation X of the nodes, not only the data's features.
"""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.graph import Operator, matrix
from allpass.metrics.labelled import Graph, LabelledGraph


def dirichlet_energy(
    edge_index: Graph, x: Tensor, *, laplacian: str = "L_hat_sym", per_node: bool = False
) -> float:
    """tr(X^T L X): 0 exactly when neighbours agree (after the Laplacian's scaling by degrees).

    Args:
        edge_index: ``[2, E]`` (symmetrised), or an Operator taken as it is.
        x: Representation ``[N, F]``.
        laplacian: Which Laplacian: ``L_hat_sym`` (as for GCN), ``L``, ``L_sym`` ...
        per_node: Divide by the number of nodes.
    """
    A = LabelledGraph.build(edge_index, None, x).adjacency
    X = x.double()
    energy = float((X * (matrix(A, laplacian, stored=False) @ X)).sum())
    return energy / max(len(X), 1) if per_node else energy


def mean_average_distance(edge_index: Graph, x: Tensor) -> float:
    """MAD: mean cosine distance between a node and its neighbours; 0 when all point the same way.

    Args:
        edge_index: ``[2, E]`` (symmetrised), or an Operator taken as it is.
        x: Representation ``[N, F]``. The cosine with a zero row counts as 0.
    """
    A = LabelledGraph.build(edge_index, None, x).adjacency
    loops = A.diagonal
    X = x.double()
    sizes = X.norm(dim=1, keepdim=True)
    unit = X / torch.where(sizes > 0, sizes, torch.ones_like(sizes))
    degrees = A.row_sums - loops
    alike = (unit * (A @ unit)).sum(1) - loops * unit.square().sum(1)
    counted = degrees > 0
    if not bool(counted.any()):
        return float("nan")
    return float((1 - alike[counted] / degrees[counted]).mean())


def numerical_rank(x: Tensor, *, rtol: float | None = None) -> int:
    """Number of singular values above ``rtol`` times the largest (NumPy's default: eps max(N, F))."""
    if not x.numel():
        return 0
    return int(torch.linalg.matrix_rank(x.double(), rtol=rtol))


def feature_variance(x: Tensor) -> float:
    """Variance over the nodes, averaged over the features."""
    return float(x.double().var(dim=0, correction=0).mean()) if x.numel() else float("nan")


def smoothing_curve(
    A: Operator, x: Tensor, depths: int = 16, *, normalization: str = "A_hat_sym"
) -> dict[str, list[float]]:
    """Energy, MAD and variance of X, ÂX, Â²X, ...: how fast repeated averaging wears a representation out.

    Args:
        A: Symmetric adjacency.
        x: Dense features ``[N, F]``.
        depths: Number of products.
        normalization: The averaging matrix Â.

    Returns:
        Lists of ``depths + 1`` numbers under ``energy`` (relative: E(X)/||X||²), ``distance`` and ``variance``
        (relative to that at depth 0).
    """
    A = A.to(torch.float64)
    filter_ = matrix(A, normalization)
    X = x.double()
    curve: dict[str, list[float]] = {"energy": [], "distance": [], "variance": []}
    start = feature_variance(X)
    for depth in range(depths + 1):
        if depth:
            X = filter_ @ X
        size = float(X.square().sum())
        curve["energy"].append(dirichlet_energy(A, X) / size if size else 0.0)
        curve["distance"].append(mean_average_distance(A, X))
        curve["variance"].append(feature_variance(X) / start if start else 0.0)
    return curve
