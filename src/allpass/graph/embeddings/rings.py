"""Rings of neighbours around every node, described by their degrees, and how unlike two of them are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_ROWS = 512
_PAIRS = 4096


@dataclass(frozen=True)
class Rings:
    """The degrees of the nodes k steps away from every node, k = 0, 1, ...

    Args:
        degrees: The degrees there are, ascending, ``[U]``.
        counts: For each k a sparse ``[N, U]``: how many nodes of each degree are k steps away.
    """

    degrees: Array
    counts: tuple[Any, ...]


def degree_rings(graph: Any, depth: int, groups: int = 48) -> Rings:
    """The rings of a simple graph at 0 to ``depth - 1`` steps.

    Args:
        graph: A symmetric CSR array without self-loops.
        depth: Number of rings.
        groups: Where there are more different degrees than this, neighbouring ones on a logarithmic scale are put
            together under their mean.
    """
    N = graph.shape[0]
    degree = np.diff(graph.indptr).astype(np.float64)
    degrees, group = _grouped(degree, groups)
    kinds = sp.csr_array((np.ones(N, np.float32), (np.arange(N), group)), shape=(N, degrees.size))
    steps = sp.csr_array(graph, dtype=np.float32)
    blocks: list[list[Any]] = [[] for _ in range(depth)]
    for start in range(0, N, _ROWS):
        here = np.arange(start, min(start + _ROWS, N))
        ring = np.zeros((N, here.size), dtype=np.float32)
        ring[here, here - start] = 1
        seen = ring > 0
        for k in range(depth):
            blocks[k].append(sp.csr_array((kinds.T @ ring).T))
            if k + 1 < depth:
                reached = (steps @ ring > 0) & ~seen
                seen |= reached
                ring = reached.astype(np.float32)
    return Rings(degrees, tuple(sp.vstack(block, format="csr") for block in blocks))


def _grouped(degree: Array, groups: int) -> tuple[Array, Index]:
    """The different degrees and the place of every node among them; at most ``groups`` of them."""
    degrees, place = np.unique(degree, return_inverse=True)
    if degrees.size <= groups:
        return degrees, place
    scale = np.log(degrees + 0.5)
    bins = np.minimum(((scale - scale[0]) / (scale[-1] - scale[0]) * groups).astype(np.int64), groups - 1)
    _, bins = np.unique(bins, return_inverse=True)
    group = bins[place]
    size = np.bincount(group)
    return np.bincount(group, degree) / size, group


def ring_distances(rings: Rings, k: int, u: Index, v: Index) -> Array:
    """The distance by dynamic time warping of the ordered degrees k steps from u and from v, for many pairs."""
    counts = rings.counts[k]
    length = np.diff(counts.indptr)
    table = relative_difference(rings.degrees[:, None], rings.degrees[None])
    result = np.zeros(u.size)
    order = np.lexsort((length[v], length[u]))  # pairs of like lengths together: little padding
    for start in range(0, u.size, _PAIRS):
        pairs = order[start : start + _PAIRS]
        a, b = _padded(counts, u[pairs]), _padded(counts, v[pairs])
        result[pairs] = warped(table, *a, *b)
    return result


def relative_difference(x: Array, y: Array) -> Array:
    """max / min - 1, with 0.5 added to both so that a node without neighbours has a distance too."""
    return (np.maximum(x, y) + 0.5) / (np.minimum(x, y) + 0.5) - 1


def _padded(counts: Any, rows: Index) -> tuple[Index, Array, Index]:
    """The compressed sequences of some rows: kinds ``[P, L]``, how often ``[P, L]``, and lengths ``[P]``."""
    length = np.diff(counts.indptr)[rows].astype(np.int64)
    column = np.arange(max(int(length.max(initial=1)), 1))
    inside = column < length[:, None]
    place = np.where(inside, counts.indptr[rows][:, None] + column, 0)
    kinds = (
        np.where(inside, counts.indices[place], 0) if counts.nnz else np.zeros(place.shape, dtype=np.int64)
    )
    often = np.where(inside, counts.data[place], 0) if counts.nnz else np.zeros(place.shape)
    return kinds.astype(np.int64), often.astype(np.float64), length


def warped(table: Array, a: Index, na: Array, la: Index, b: Index, nb: Array, lb: Index) -> Array:
    """Dynamic time warping of P pairs of compressed sequences at once.

    Matching kind i, seen m times, with kind j, seen n times, costs ``table[i, j] * max(m, n)``.

    Args:
        table: Cost of kinds, ``[U, U]``.
        a: Kinds of the first sequences, ``[P, L]``.
        na: How often each is seen, ``[P, L]``.
        la: Lengths of the first sequences, ``[P]``.
        b: Kinds of the second ones.
        nb: How often.
        lb: Their lengths.
    """
    (P, rows), columns = a.shape, b.shape[1]
    flat, width = table.ravel(), table.shape[1]
    before = np.full((P, rows + 1), np.inf)  # cells (i - 1, j - 1) of the diagonal before the last one
    before[:, 0] = 0
    last = np.full((P, rows + 1), np.inf)
    result = np.zeros(P)
    for s in range(rows + columns - 1):  # all cells with i + j = s
        low, high = max(0, s - columns + 1), min(rows - 1, s)
        i, j = slice(low, high + 1), slice(s - high, s - low + 1)
        cost = flat[a[:, i] * width + b[:, j][:, ::-1]] * np.maximum(na[:, i], nb[:, j][:, ::-1])
        best = np.minimum(np.minimum(last[:, i], last[:, low + 1 : high + 2]), before[:, i])
        now = np.full((P, rows + 1), np.inf)
        now[:, low + 1 : high + 2] = cost + best
        done = (la + lb - 2 == s) & (la > 0) & (lb > 0)
        result[done] = now[done, la[done]]
        before, last = last, now
    return result
