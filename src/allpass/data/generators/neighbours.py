"""Directed neighbourhoods: every node draws its neighbours inside and outside its class."""

from __future__ import annotations

import numpy as np

from allpass.data.generators.form import class_labels
from allpass.data.generators.sampling import Ints, draw_distinct, unpack
from allpass.errors import InputError


def draw_neighbours(own: Ints, other: Ints, sizes: Ints, rng: np.random.Generator) -> Ints:
    """Node j draws ``own[j]`` distinct other nodes of its class and ``other[j]`` nodes of other classes.

    A drawn neighbour u of node j becomes the edge u -> j, a message from u to j: row j of the aggregation
    matrix lists what j drew. Nothing is symmetrised.

    Args:
        own: Neighbours in the node's own class, ``[N]``.
        other: Neighbours in other classes, ``[N]``.
        sizes: Sizes of the classes, whose nodes lie one class after the other, ``[C]``.
        rng: Where the randomness comes from.

    Returns:
        Edges ``[2, E]``, ordered by target.
    """
    y = class_labels(sizes)
    N = len(y)
    start = (np.cumsum(sizes) - sizes)[y]  # [N] first node of the own class
    _check(own, sizes[y] - 1, "its own class")
    _check(other, N - sizes[y], "other classes")
    node, drawn = draw_distinct(own, sizes[y] - 1, rng)
    drawn += start[node]
    drawn += drawn >= node  # nobody is its own neighbour
    keys = node * N + drawn
    node, drawn = draw_distinct(other, N - sizes[y], rng)
    drawn += np.where(drawn >= start[node], sizes[y[node]], 0)  # leap over the own class
    keys = np.concatenate([keys, node * N + drawn])
    keys.sort()
    return unpack(keys, N)[::-1].copy()


def _check(wanted: Ints, there: Ints, where: str) -> None:
    if (wanted > there).any():
        node = int((wanted - there).argmax())
        raise InputError(
            f"A node should draw {wanted[node]} different neighbours from {where}, which have {there[node]} others.",
            "Take a smaller degree, a homophily nearer to the middle, or larger classes.",
        )
