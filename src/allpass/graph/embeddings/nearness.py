"""The nearest pairs of nodes in space, as many as the graph has edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_PRECISION = 1e-7


def nearest_pairs(positions: Array, at_most: int) -> Index:
    r"""The pairs nearer than :math:`\rho`, the largest radius at which there are no more than ``at_most`` of them.

    Pairs in a tie at :math:`\rho` are all left out, so the number is bounded however many nodes are in one place.
    Distances are told apart to seven digits. It takes O(N log N) a trial radius and O(N + at_most) memory.

    Args:
        positions: ``[N, d]``.
        at_most: Number of pairs.

    Returns:
        ``[2, M]``, the smaller node of a pair above the larger, pair after pair in ascending order.

    Example:
        >>> nearest_pairs(np.array([[0.0], [1.0], [3.0], [7.0]]), 2).tolist()
        [[0, 1], [1, 2]]
    """
    tree = cKDTree(positions)
    N = len(positions)

    def fits(radius: float) -> bool:
        return (int(tree.count_neighbors(tree, radius)) - N) // 2 <= at_most

    high = 2 * float(np.linalg.norm(np.ptp(positions, axis=0))) if N else 0.0  # farther than any pair
    if fits(high):
        low = high
    elif not fits(0.0):
        return np.zeros((2, 0), dtype=np.int64)  # more nodes in one place than pairs are wanted
    else:
        low = 0.0
        while high - low > _PRECISION * high:
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
    pairs = tree.query_pairs(low, output_type="ndarray").astype(np.int64)
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].T)
