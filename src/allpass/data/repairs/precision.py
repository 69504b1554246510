"""Which features need float64: those that float32 would make equal although they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]

_EXACT = 2.0**24  # up to here float32 holds every whole number
_ROUNDING = 2.0**-24  # relative error of float32
_VISIBLE = 1e-4  # an error of so many standard deviations would be seen after scaling
_MERGED = 0.01  # the share of different values that fractions may lose


def needs_float64(x: Any) -> bool:
    """Whether float32 would lose differences of some column, as it does with times in seconds since 1970.

    A column needs float64 when its rounding error is visible next to its standard deviation; when whole numbers above
    2^24 would become equal; or when more than one in a hundred of other numbers that large would.

    Args:
        x: Features ``[N, F]``, dense or SciPy CSR; NaN and infinity do not count.

    Example:
        >>> needs_float64(np.array([[1.7e9], [1.7e9 + 1]])), needs_float64(np.array([[0.1], [0.2]]))
        (True, False)
    """
    if x.dtype.kind not in "iuf" or x.dtype.itemsize < 8 or not x.shape[0] * x.shape[1]:
        return False
    sparse = sp.issparse(x)
    with np.errstate(invalid="ignore"):
        low, high = (end.astype(np.float64) for end in _ends(x))
        largest = np.fmax(np.abs(low), np.abs(high))
        doubtful = np.flatnonzero((largest >= _EXACT) | (high - low < 2 * largest * _ROUNDING / _VISIBLE))
    columns = sp.csc_array(x) if sparse and doubtful.size else x
    return any(_loses(columns[:, [k]].toarray()[:, 0] if sparse else x[:, k]) for k in doubtful.tolist())


def _ends(x: Any) -> tuple[Array, Array]:
    """The least and the greatest value of each column."""
    if not sp.issparse(x):
        return np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0)
    return x.min(axis=0).toarray().ravel(), x.max(axis=0).toarray().ravel()


def _loses(column: Array) -> bool:
    values = column.astype(np.float64)
    values = values[np.isfinite(values)]
    if not values.size:
        return False
    largest, deviation = float(np.abs(values).max()), float(values.std())
    if 0 < deviation and largest * _ROUNDING > _VISIBLE * deviation:
        return True
    if largest < _EXACT:
        return False
    different = np.unique(values)
    with np.errstate(over="ignore"):
        left = np.unique(different.astype(np.float32)).size
    whole = bool((different == np.floor(different)).all())
    return left < different.size * (1 if whole else 1 - _MERGED)
