"""A label with nearly as many classes as nodes: an id or a name, taken for the label."""

from __future__ import annotations

from torch import Tensor

from allpass.errors import InputError

FEW, MANY, EACH = 100, 1000, 20
"""Up to so many classes are never too many; beyond so many, each has so many nodes on average."""

MOST_VALUES = 30_000_000
"""Scores of all nodes for all classes, where these are many: they take about 30 bytes each."""


def check_classes(y: Tensor) -> None:
    """Raise where classes are so many that nothing can be learnt or measured of them.

    These are more classes than half of the labelled nodes, or more than 1,000 with fewer than 20 nodes each, or with
    more than 30 million scores of all nodes for all classes, which fill the memory.

    Args:
        y: Classes, negative where missing.

    Example:
        >>> import torch
        >>> check_classes(torch.arange(1000) % 200)
        >>> check_classes(torch.arange(1000))
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: The label has 1,000 classes for 1,000 labelled nodes. Is this column the label? ...
    """
    known = y[y >= 0]
    if len(known) <= FEW:
        return
    classes = len(known.unique())
    most = max(MANY, min(len(known) // EACH, MOST_VALUES // len(y)))
    if classes > min(max(FEW, len(known) // 2), most):
        raise InputError(
            f"The label has {classes:,} classes for {len(known):,} labelled nodes.",
            "Is this column the label? Name another with label=, pass task='regression' for numbers, or label=False.",
        )
