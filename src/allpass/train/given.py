"""A graph and its splits in any form that people give, as trainings want them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch_geometric.data import Data

from allpass.data.load import load
from allpass.data.splits import Split, salt_of, several, splits


def graph_of(target: Any) -> Data:
    """The graph: PyG's ``Data`` as it is, anything else as :func:`allpass.load` reads it."""
    return target if isinstance(target, Data) else load(target)


def folds_of(given: Split | Sequence[Split] | str, data: Data) -> list[Split]:
    """The splits, or ten that are drawn by the rule of that name with seed 0.

    Example:
        >>> len(folds_of("stratified", load("karate")))
        10
    """
    return divide(data, given) if isinstance(given, str) else several(given)


def divide(data: Data, rule: str = "stratified", *, count: int = 10, seed: int = 0) -> list[Split]:
    """Divide the nodes of a graph whose labels are classes or numbers.

    Classes are divided by :func:`~allpass.data.splits`. Nodes whose labels are numbers are divided as one class.

    Args:
        data: A graph with labels ``y``.
        rule: A name of ``SPLITS``.
        count: How many splits.
        seed: The seed of the splits.
    """
    if data.y is None or not data.y.is_floating_point():
        return splits(data, rule, count=count, seed=seed)
    known = ~data.y.reshape(len(data.y), -1).isnan().any(1)
    alike = copy.copy(data)
    alike.fingerprint = data.get("fingerprint") or str(salt_of(data))  # of the numbers, not of the one class
    alike.y = torch.where(known, 0, -1)
    return splits(alike, rule, count=count, seed=seed)
