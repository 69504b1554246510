"""The simple graph below an adjacency: which nodes are neighbours, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from allpass.errors import InputError
from allpass.graph.operator import Operator


def simple_graph(A: Operator) -> Any:
    """The undirected graph of A without weights and self-loops: a SciPy CSR array of ones, kept by A.

    Two nodes are neighbours when an edge of non-zero weight leads from one to the other, either way.

    Example:
        >>> import torch
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1, 2], [1, 0, 2]]), num_nodes=4)
        >>> simple_graph(A).nnz
        2
    """
    if A.shape[0] != A.shape[1]:
        raise InputError(
            f"Got a {A.shape[0]} x {A.shape[1]} map where a graph was asked for.", "Expected N x N."
        )
    return A.derived("simple graph", lambda: _simple(A))


def _simple(A: Operator) -> Any:
    there = A.detached().to("cpu").to_scipy().astype(np.float64) != 0
    there = sp.coo_array(there + there.T)
    off = there.row != there.col
    ones = np.ones(int(off.sum()))
    return sp.csr_array((ones, (there.row[off], there.col[off])), shape=there.shape)
