"""Skip-gram with negative sampling: nodes that are met in the same walks come close."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_TABLE = 1 << 18


def skipgram(
    walks: Index,
    num_nodes: int,
    *,
    dim: int,
    generator: np.random.Generator,
    window: int = 5,
    negatives: int = 5,
    steps: int = 1000,
    lr: float = 0.05,
) -> Array:
    r"""Positions w of the nodes that make walks likely (`Mikolov et al., 2013 <https://arxiv.org/abs/1310.4546>`_).

    Over pairs (u, c) of nodes at most ``window`` steps apart in a walk, and nodes n drawn by their frequency to the
    power 3/4, it descends

    .. math::
        -\log \sigma(w_u \cdot c_c) - \sum_n \log \sigma(-w_u \cdot c_n)

    in batches of pairs drawn from the walks, with Adam and a rate that falls to 0.

    Args:
        walks: Nodes in the order of their visits, ``[W, T]``, T of 2 or more.
        num_nodes: Number of nodes N.
        dim: Number of coordinates.
        generator: Source of the draws.
        window: Largest distance within a walk.
        negatives: Nodes drawn beside every pair.
        steps: Number of batches; each has four pairs a node.
        lr: Rate at the beginning.
    """
    W, T = walks.shape
    window = min(window, T - 1)
    often = np.bincount(walks.ravel(), minlength=num_nodes) ** 0.75
    marks = (np.arange(_TABLE) + 0.5) / _TABLE
    noise = np.searchsorted(
        often.cumsum() / often.sum(), marks
    )  # a table to draw from: every node as often as it shall
    both = np.zeros(
        (2, dim, num_nodes)
    )  # words and contexts, one coordinate after the other: quicker to gather
    both[0] = generator.uniform(-0.5, 0.5, (dim, num_nodes)) / dim
    mean, square = np.zeros_like(both), np.zeros_like(both)
    size = min(4 * num_nodes, 65536)
    for step in range(1, steps + 1):
        walk, gap = generator.integers(W, size=size), generator.integers(1, window + 1, size=size)
        at = (generator.random(size) * (T - gap)).astype(np.int64)
        u, c = walks[walk, at], walks[walk, at + gap]
        swap = generator.random(size) < 0.5
        u, c = np.where(swap, c, u), np.where(swap, u, c)
        others = noise[generator.integers(_TABLE, size=(size, negatives))]
        gradient = _gradient(both, u, np.concatenate([c[:, None], others], axis=1))
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = lr * (1 - (step - 1) / steps)
        both -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return np.ascontiguousarray(both[0].T)


def _gradient(both: Array, u: Index, c: Index) -> Array:
    """The gradient of the mean loss, ``[2, dim, N]``: the first context of c is seen, the others are drawn."""
    x, y = both[0][:, u, None], both[1][:, c]  # [dim, B, 1], [dim, B, 1 + K]
    slope = 1 / (1 + np.exp(-sum(a * b for a, b in zip(x, y, strict=True))))  # sigma
    slope[:, 0] -= 1
    N, result = both.shape[2], np.empty_like(both)
    for axis in range(len(x)):
        result[0, axis] = np.bincount(u, (slope * y[axis]).sum(1), N)
        result[1, axis] = np.bincount(c.ravel(), (slope * x[axis]).ravel(), N)
    return result / u.size
