"""What every reader does with edges and features once it has them in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.errors import DataError

DENSE_BYTES = 256 * 2**20
SPARSE_DENSITY = 0.05


def simple_edges(
    pairs: NDArray[Any], num_nodes: int, account: Account, *, undirected: bool = False
) -> NDArray[np.int64]:
    """The distinct edges ``[2, E]``, sorted by source and target.

    Direction and self-loops stay as stored; exact duplicates go, with a note. The order of edges carries no
    meaning, so sorting makes equal graphs equal arrays.

    Args:
        pairs: ``[2, E]`` node numbers.
        num_nodes: Number of nodes N.
        account: Where the note goes.
        undirected: The source stores each undirected edge once: both directions are written.
    """
    edges = np.asarray(pairs)
    if edges.ndim != 2 or edges.shape[0] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise DataError(
            f"The edges have the shape {list(edges.shape)} and the type {edges.dtype}.",
            "Expected two rows of whole numbers.",
        )
    if edges.size and not 0 <= edges.min() <= edges.max() < num_nodes:
        raise DataError(
            f"The edges name the nodes {edges.min()} to {edges.max()} of a graph with {many(num_nodes, 'node')}.",
            "The file is damaged or belongs to another graph; get it again.",
        )
    source, target = edges.astype(np.int64)
    key = distinct(source * num_nodes + target)
    repeated = source.size - key.size
    account.add("duplicate-edges", repeated, f"{many(repeated, 'repeated edge')} of the file were left out.")
    if undirected:
        key = distinct(np.concatenate([key, key % num_nodes * num_nodes + key // num_nodes]))
    return np.stack([key // num_nodes, key % num_nodes]) if num_nodes else edges.astype(np.int64)


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct values in order. By sorting: on millions of edges np.unique's hashing takes ten times as long."""
    ordered = np.sort(keys)
    return ordered[np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]])]


def compact_features(matrix: Any) -> Any:
    """Dense float32, or CSR float32 where fewer than 5% are set and the dense array would exceed 256 MB."""
    rows, columns = matrix.shape
    count = matrix.nnz if sp.issparse(matrix) else np.count_nonzero(matrix)
    if 4 * rows * columns > DENSE_BYTES and count < SPARSE_DENSITY * rows * columns:
        return sp.csr_array(matrix, dtype=np.float32)
    return np.ascontiguousarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float32)


def one_row_each(values: NDArray[Any], num_nodes: int, what: str) -> NDArray[Any]:
    """``values``, which must have one row for each node."""
    if values.shape[:1] != (num_nodes,):
        raise DataError(
            f"There are {values.shape[0] if values.ndim else 0:,} rows of {what} for {many(num_nodes, 'node')}.",
            "Expected one for each; the file is damaged, get it again.",
        )
    return values


def whole_labels(values: NDArray[Any], num_nodes: int) -> NDArray[np.int64]:
    """Labels ``[N]`` as int64, every negative one -1 (missing)."""
    labels = one_row_each(np.asarray(values).reshape(-1), num_nodes, "labels")
    if not np.isfinite(labels).all() or (labels != np.floor(labels)).any():
        raise DataError("Some labels are not whole numbers.", "The file is damaged; get it again.")
    return np.maximum(labels.astype(np.int64), -1)
