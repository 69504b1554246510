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
    return _Neighbours(A)(x.double())


def numerical_rank(x: Tensor, *, rtol: float | None = None) -> int:
    """Number of singular values above ``rtol`` times the largest (NumPy's default: eps max(N, F))."""
    if not x.numel():
        return 0
    return int(torch.linalg.matrix_rank(x.double(), rtol=rtol))


def feature_variance(x: Tensor) -> float:
    """Variance over the nodes, averaged over the features."""
    return float(x.double().var(dim=0, correction=0).mean()) if x.numel() else float("nan")


def smoothing_curve(
    A: Operator,
    x: Tensor,
    depths: int = 16,
    *,
    normalization: str = "A_hat_sym",
    sample: int | None = None,
    seed: int = 0,
) -> dict[str, list[float]]:
    """Energy, MAD and variance of X, ÂX, Â²X, ...: how fast repeated averaging wears a representation out.

    Args:
        A: Symmetric adjacency.
        x: Dense features ``[N, F]``.
        depths: Number of products.
        normalization: The averaging matrix Â.
        sample: Measure the MAD at this many random nodes; by default at all.
        seed: Seed of the sample.

    Returns:
        Lists of ``depths + 1`` numbers under ``energy`` (relative: E(X)/||X||²), ``distance`` and ``variance``
        (relative to that at depth 0).
    """
    A = A.to(torch.float64)
    filter_, smoother = matrix(A, normalization), matrix(A, "A_hat_sym")
    mean_distance = _Neighbours(A, sample, seed)
    X = x.double()
    curve: dict[str, list[float]] = {"energy": [], "distance": [], "variance": []}
    start = feature_variance(X)
    for depth in range(depths + 1):
        smoothed = smoother @ X
        size = float(X.square().sum())
        curve["energy"].append(float((X - smoothed).mul_(X).sum()) / size if size else 0.0)  # tr(X^T L X)
        curve["distance"].append(mean_distance(X))
        curve["variance"].append(feature_variance(X) / start if start else 0.0)
        if depth < depths:
            X = smoothed if filter_ is smoother else filter_ @ X
    return curve


class _Neighbours:
    """Mean cosine distance of nodes to their neighbours, of all nodes that have some or of a random sample."""

    def __init__(self, A: Operator, sample: int | None = None, seed: int = 0) -> None:
        degrees = A.row_sums - A.diagonal
        nodes = (degrees > 0).nonzero().squeeze(1)
        if sample is not None and sample < len(nodes):
            order = torch.randperm(len(nodes), generator=torch.Generator().manual_seed(seed))
            nodes = nodes[order[:sample].sort().values.to(nodes.device)]
        self.nodes, self.degrees, self.loops = nodes, degrees[nodes], A.diagonal[nodes]
        self.rows = A if len(nodes) == A.shape[0] else A.take_rows(nodes)

    def __call__(self, X: Tensor) -> float:
        if not len(self.nodes):
            return float("nan")
        sizes = X.norm(dim=1, keepdim=True)
        unit = X / torch.where(sizes > 0, sizes, torch.ones_like(sizes))
        own = unit[self.nodes]
        alike = (own * (self.rows @ unit)).sum(1) - self.loops * own.square().sum(1)
        return float((1 - alike / self.degrees).mean())
