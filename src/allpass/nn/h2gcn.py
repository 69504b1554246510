"""Neighbours at distance one and at distance two, kept apart from each other and from the node itself."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from allpass.graph.linear import LinearMap
from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, Graph, dense, read

BEYOND = "Zhu et al.: Beyond Homophily in Graph Neural Networks, NeurIPS 2020"


class H2GCNConv(nn.Module):
    r"""One round of H2GCN's aggregation (`Zhu et al., NeurIPS 2020 <https://arxiv.org/abs/2006.11468>`_).

    .. math::
        R' = [\bar A_1 R, \bar A_2 R], \qquad \bar A_i = D_i^{-1/2} A_i D_i^{-1/2}

    with :math:`A_1` the adjacency without self-loops and :math:`A_2` the nodes at distance two exactly. Nothing is
    learned here: what the paper learns stands before the first round and after the last.

    Shapes:
        x ``[N, F]``, dense or sparse (made dense: there is no weight that could narrow it first); result ``[N, 2 F]``.

    Notes:
        The paper's graphs are undirected and have no weights. Here :math:`A_1` keeps the weights; :math:`A_2` has
        ones: a distance is counted in edges. In a directed graph it holds the w with a way w -> u -> v and
        no edge w -> v. :math:`A_2` is computed once for each graph, and is large where hubs are: nearly all pairs
        of a graph with a node that everybody is linked with.

    Example:
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> H2GCNConv()(torch.tensor([[1.0], [10.0], [100.0]]), path)
        tensor([[  7.0711, 100.0000],
                [ 71.4178,   0.0000],
                [  7.0711,   1.0000]])
    """

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        R = dense(x)
        return torch.cat([ring @ R for ring in rings(A)], dim=1)  # [Ā_1 R, Ā_2 R]


def rings(A: Operator) -> tuple[LinearMap, LinearMap]:
    """The normalised neighbourhoods at distance one and two; A keeps them."""
    return A.derived("rings", lambda: (_normalized(without_loops(A)), _normalized(strict_two_hop(A))))


def without_loops(A: Operator) -> Operator:
    """A with zeros on its diagonal."""
    return Operator(A.pattern, A.values * (A.pattern.row != A.pattern.col))


def strict_two_hop(A: Operator) -> Operator:
    """1 for every pair that two edges link and no single one does, a node itself excepted; weights do not count.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]))
        >>> strict_two_hop(A).edge_index.T.tolist()
        [[0, 2]]
    """
    edges = A.to_scipy()
    edges.data = np.ones(len(edges.data), dtype=np.float32)
    both = sp.csr_array(edges @ edges)
    both.data[:] = 1
    near = sp.csr_array(edges + sp.eye_array(len(edges.indptr) - 1, dtype=np.float32))
    near.data[:] = 1
    two = sp.csr_array(both - both.multiply(near))
    two.eliminate_zeros()
    two.sort_indices()
    return Operator.from_scipy_owned(two, A.dtype).to(A.device)


def _normalized(A: Operator) -> LinearMap:
    return matrix(A, "A_sym")
