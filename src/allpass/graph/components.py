"""Connected components, and which of them are bipartite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from allpass.graph.operator import Operator


@dataclass(frozen=True)
class Components:
    """The pieces of a graph, edge directions ignored.

    Args:
        membership: Component of every node, ``[N]``.
        sizes: Nodes in each component, ``[K]``.
        bipartite: Which components have no odd cycle (an isolated node counts as bipartite), ``[K]``.
    """

    membership: Tensor
    sizes: Tensor
    bipartite: Tensor

    @property
    def count(self) -> int:
        """Number of components."""
        return self.sizes.shape[0]


def components(A: Operator) -> Components:
    """Connected components of A, by edges of non-zero weight in either direction.

    A component is bipartite exactly when its double cover falls into two pieces, so one search over the graph
    [[0, A], [A, 0]] decides all of them.
    """
    csr = A.to("cpu").to_scipy()
    csr.eliminate_zeros()
    count, membership = connected_components(csr, directed=False)
    sizes = np.bincount(membership, minlength=count)
    _, cover = connected_components(sp.block_array([[None, csr], [csr, None]]), directed=False)
    N = A.shape[0]
    bipartite = np.zeros(count, dtype=bool)
    bipartite[membership] = cover[:N] != cover[N:]
    as_tensor = torch.from_numpy
    return Components(as_tensor(membership).long(), as_tensor(sizes).long(), as_tensor(bipartite))
