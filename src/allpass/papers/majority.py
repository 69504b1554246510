"""What one has right who always says the most frequent class."""

from __future__ import annotations

from torch import Tensor


def majority(y: Tensor, known: Tensor, asked: Tensor) -> float:
    """The accuracy on some nodes of saying the most frequent class of others.

    Args:
        y: Labels ``[N]``; all of these nodes have one.
        known: The nodes whose classes are counted, bool ``[N]``.
        asked: The nodes that are judged, bool ``[N]``.
    """
    answer = y[known].bincount().argmax()
    return float((y[asked] == answer).double().mean())
