"""Rows of a sparse matrix by index arithmetic, several times as fast as SciPy's own indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def take_rows(matrix: Any, rows: NDArray[np.integer[Any]]) -> Any:
    """``matrix[rows]`` of a CSR matrix whose rows may have any number of entries.

    Args:
        matrix: ``[M, N]``.
        rows: ``[R]`` row numbers, in any order, repeated or not.
    """
    counts = np.diff(matrix.indptr)
    shape = len(rows), matrix.shape[1]
    if len(counts) and counts.min() == counts.max():  # rows of one length are rows of a dense array
        width = int(counts[0])
        data = matrix.data.reshape(-1, width)[rows].ravel()
        indices = matrix.indices.reshape(-1, width)[rows].ravel()
        indptr = np.arange(len(rows) + 1, dtype=matrix.indptr.dtype) * width
        return sp.csr_array((data, indices, indptr), shape=shape)
    chosen = counts[rows]
    indptr = np.zeros(len(rows) + 1, dtype=matrix.indptr.dtype)
    np.cumsum(chosen, out=indptr[1:])
    places = np.arange(indptr[-1]) + np.repeat(matrix.indptr[:-1][rows] - indptr[:-1], chosen)
    return sp.csr_array((matrix.data[places], matrix.indices[places], indptr), shape=shape)
