"""Features that give the label away: a column whose value alone decides the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]

PURITY = 0.995  # a column leaks when it decides the class of more than this share of the labelled nodes
_FEWEST = 20  # with fewer labelled nodes a column can decide all classes by chance
_SAMPLE = 20_000  # nodes that a column is tried on before all of them are looked at
_CHUNK = 64  # columns made dense and sorted at a time


def leaking_columns(x: Any, y: Array) -> list[int]:
    """The columns of ``x`` whose value alone decides the class.

    The nodes are sorted by the column's value. Where values repeat, every group of equal values votes for its
    commonest class; where nearly all differ, the classes must come in a few unbroken stretches, so that a few
    thresholds separate them. Nothing is found when one class has nearly all nodes, or under 20 nodes are
    labelled: then any column would do.

    Args:
        x: ``[N, F]``, dense or SciPy sparse, without NaN.
        y: ``[N]``, -1 for a missing label.
    """
    labelled = np.flatnonzero(y >= 0)
    y = y[labelled]
    n = y.size
    counts = np.bincount(y) if n else np.zeros(1, dtype=np.int64)
    spare = (1 - PURITY) * n
    if n < _FEWEST or counts.max() > PURITY * n:
        return []
    x = sp.csr_array(x) if sp.issparse(x) else x
    x = x[labelled] if n < x.shape[0] else x
    # All zeros vote for one class: a column with more zeros than the largest class cannot decide the others.
    nonzero = np.bincount(x.indices, minlength=x.shape[1]) if sp.issparse(x) else np.count_nonzero(x, axis=0)
    hopeful = np.flatnonzero(n - nonzero <= counts.max() + spare)
    if n > _SAMPLE:
        sample = np.random.default_rng(0).choice(n, _SAMPLE, replace=False)
        # Half the bar on the sample, so that chance does not lose a column that would pass on all nodes.
        hopeful = hopeful[_deciding(x[sample], y[sample], hopeful, 1 - 2 * (1 - PURITY))]
    return [int(column) for column in hopeful[_deciding(x, y, hopeful, PURITY)]]


def _deciding(x: Any, y: Array, columns: Array, bar: float) -> NDArray[np.bool_]:
    """Which of these columns decide the class of more than the share ``bar`` of the nodes."""
    passed = np.zeros(columns.size, dtype=bool)
    columnar = sp.csc_array(x) if sp.issparse(x) and columns.size else x
    for start in range(0, columns.size, _CHUNK):
        chunk = columnar[:, columns[start : start + _CHUNK]]
        dense = chunk.toarray() if sp.issparse(chunk) else chunk
        for offset, values in enumerate(np.ascontiguousarray(dense.T)):
            passed[start + offset] = _decides(values, y, bar)
    return passed


def _decides(values: Array, y: Array, bar: float) -> bool:
    n, classes = y.size, int(y.max()) + 1
    order = np.lexsort((y, values))
    values, y = values[order], y[order]
    fresh = np.concatenate([[True], values[1:] != values[:-1]])
    groups = int(fresh.sum())
    if groups > n // 5:
        stretches = 1 + np.count_nonzero(y[1:] != y[:-1])
        # One wrong node breaks a stretch in two and stands between them as a third.
        return bool(stretches <= np.unique(y).size + 2 * (1 - bar) * n)
    # Within a group the labels are sorted: the longest stretch of (group, class) is the group's vote.
    pair = np.cumsum(fresh) * classes + y
    starts = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
    lengths = np.diff(np.append(starts, n))
    group_of = pair[starts] // classes
    first = np.flatnonzero(np.concatenate([[True], group_of[1:] != group_of[:-1]]))
    return bool(np.maximum.reduceat(lengths, first).sum() > bar * n)
