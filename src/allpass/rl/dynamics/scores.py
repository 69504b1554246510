"""How far predicted probabilities of next states are from true or recorded ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def realistic_ranks(P: Array, truth: NDArray[np.int64]) -> Array:
    """Ranks of the true states, the mean rank where several are as likely.

    Args:
        P: Probabilities, ``[R, S]``.
        truth: The true state of each row, ``[R]``.
    """
    right = P[np.arange(len(truth)), truth][:, None]
    tied = np.abs(P - right) <= 1e-12
    return np.asarray(((P > right) & ~tied).sum(axis=1) + (tied.sum(axis=1) + 1) / 2)


def variation(ours: Array, true: Array) -> float:
    """The mean total variation of rows."""
    return float(np.abs(ours - true).sum(axis=1).mean() / 2)


def scores(P: Array, shares: Array) -> dict[str, float]:
    """Mean reciprocal rank, probability and total variation, where several states may follow.

    Args:
        P: Predicted probabilities, ``[R, S]``.
        shares: True probabilities, or recorded shares, ``[R, S]``; a state counts by its share.
    """
    row, state = np.nonzero(shares)
    weight = shares[row, state]
    ranks = realistic_ranks(P[row], state)
    return {
        "mrr": float((weight / ranks).sum() / len(P)),
        "probability": float((weight * P[row, state]).sum() / len(P)),
        "variation": variation(P, shares),
    }
