"""What the surroundings of a node look like, in five numbers: degrees, triangles, cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.graph.operator import Operator

ROLES = (
    "log degree",
    "mean log degree of neighbours",
    "max log degree of neighbours",
    "clustering coefficient",
    "log core number",
)
"""The columns of :func:`node_roles`."""

Array = NDArray[Any]

_BLOCK = 20_000_000  # paths of two edges that are followed at a time


def node_roles(A: Operator) -> Tensor:
    """Degree, degrees of the neighbours, clustering coefficient and core number of each node, ``[N, 5]``.

    Degrees and core numbers are log(1 + n). The same columns mean the same on any graph, so a model trained on them
    predicts other graphs.

    Args:
        A: Symmetric adjacency; weights and self-loops do not count.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1, 2, 2], [1, 2, 0, 3]])).symmetrized()
        >>> node_roles(A)[:, 3]
        tensor([1.0000, 1.0000, 0.3333, 0.0000])
    """
    csr = simple(A)
    degrees = np.diff(csr.indptr)
    logs = np.log1p(degrees)
    columns = [
        logs,
        (csr @ logs) / np.maximum(degrees, 1),
        _largest(csr, logs),
        clustering(csr),
        np.log1p(core_numbers(csr)),
    ]
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32))


def simple(A: Operator) -> Any:
    """The graph without weights and self-loops, as a SciPy CSR array of ones."""
    csr = A.to_scipy()
    csr.setdiag(0)
    csr.eliminate_zeros()
    return sp.csr_array((np.ones(csr.nnz), csr.indices, csr.indptr), shape=csr.shape)


def core_numbers(csr: Any) -> Array:
    """The largest k for which a node belongs to a piece where all have k neighbours or more, ``[N]``.

    Nodes of the least degree are peeled off, again and again; each edge is looked at twice.
    """
    left = np.diff(csr.indptr).astype(np.int64)
    core, alive, k = np.zeros_like(left), np.ones(len(left), dtype=bool), 0
    while alive.any():
        k = max(k, int(left[alive].min()))
        peeled = np.flatnonzero(alive & (left <= k))
        while peeled.size:
            core[peeled], alive[peeled] = k, False
            near = _neighbours(csr, peeled)
            touched, times = np.unique(near[alive[near]], return_counts=True)
            left[touched] -= times
            peeled = touched[left[touched] <= k]
    return core


def clustering(csr: Any) -> Array:
    """Share of the pairs of a node's neighbours that are joined, ``[N]``; 0 for fewer than two neighbours.

    Every edge is directed towards the end of the higher degree, so that no node has many outgoing edges: the work is
    at most the number of edges times the square root of twice that number, and far less on most graphs.
    """
    degrees = np.diff(csr.indptr).astype(np.int64)
    rank = np.empty_like(degrees)
    rank[np.argsort(degrees, kind="stable")] = np.arange(len(degrees))
    entries = csr.tocoo()
    upward = rank[entries.row] < rank[entries.col]
    U = sp.csr_array((entries.data[upward], (entries.row[upward], entries.col[upward])), shape=csr.shape)
    triangles = np.zeros(len(degrees))
    for rows, closed in _closed(U, U):  # u -> v -> w and u -> w: by first and by last node
        triangles[rows] += closed.sum(axis=1)
        triangles += closed.sum(axis=0)
    for rows, closed in _closed(sp.csr_array(U.T), U):  # by the node in the middle
        triangles[rows] += closed.sum(axis=1)
    pairs = degrees * (degrees - 1) / 2
    return np.divide(triangles, pairs, out=np.zeros(len(pairs)), where=pairs > 0)


def _closed(left: Any, U: Any) -> Any:
    """(left U) at the entries of U, in blocks of rows of bounded work."""
    work = np.cumsum(left @ np.diff(U.indptr).astype(float))
    start = 0
    while start < U.shape[0]:
        done = work[start - 1] if start else 0.0
        stop = max(int(np.searchsorted(work, done + _BLOCK, side="right")), start + 1)
        rows = slice(start, stop)
        yield rows, sp.csr_array((sp.csr_array(left[rows]) @ U).multiply(sp.csr_array(U[rows])))
        start = stop


def _largest(csr: Any, values: Array) -> Array:
    """The largest value among the neighbours of each node, ``[N]``; 0 without neighbours."""
    joined = np.flatnonzero(np.diff(csr.indptr))
    result = np.zeros(len(values))
    if joined.size:
        result[joined] = np.maximum.reduceat(values[csr.indices], csr.indptr[joined])
    return result


def _neighbours(csr: Any, nodes: Array) -> Array:
    """The neighbours of some nodes one after the other."""
    starts, counts = csr.indptr[nodes].astype(np.int64), np.diff(csr.indptr)[nodes].astype(np.int64)
    ends = np.cumsum(counts)
    places = np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts)
    return csr.indices[places]
