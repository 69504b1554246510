"""Poincaré embeddings: trees and hierarchies in the hyperbolic disc, hubs near its centre."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.embeddings.simple import simple_graph
from allpass.graph.operator import Operator

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_BORDER = 1 - 1e-5
_BURN_IN = 10
_CENTRINGS = 100


def poincare_embedding(
    A: Operator,
    *,
    dim: int = 2,
    seed: int = 0,
    epochs: int = 100,
    lr: float = 0.1,
    negatives: int = 10,
) -> Tensor:
    r"""Positions in the Poincaré disc (`Nickel and Kiela, NeurIPS 2017 <https://arxiv.org/abs/1705.08039>`_).

    With the hyperbolic distance

    .. math::
        \mathrm{cosh}(d(u, v)) = 1 + 2 \frac{\|u - v\|^2}{(1 - \|u\|^2)(1 - \|v\|^2)}

    every edge (u, v) is told from pairs (u, v') that are none, by Riemannian gradient descent on

    .. math::
        L = -\sum_{(u, v)} \log \frac{e^{-d(u, v)}}{e^{-d(u, v)} + \sum_{v'} e^{-d(u, v')}}, \quad
        \theta' = \mathrm{proj}(\theta - \eta \frac{(1 - \|\theta\|^2)^2}{4} \frac{\partial L}{\partial \theta})

    Args:
        A: The adjacency; directions, weights and self-loops are not looked at.
        dim: Number of coordinates.
        seed: Decides the start and the pairs that are drawn.
        epochs: Passes over the edges, after 10 more at a tenth of the rate. A pass sees at most four entries of A a
            node, so that the time grows with the nodes and not with their degrees.
        lr: The rate :math:`\eta`.
        negatives: Pairs drawn beside every edge; those that turn out to be edges do not count.

    Returns:
        ``[N, dim]`` in float64, every row shorter than 1.

    Notes:
        The paper goes edge by edge or in batches of about 10; here a batch has half as many edges as there are nodes
        (32 at least) and adds the gradients of a node. The loss does not change when all points are moved by an
        isometry, so at the end they are moved to have their centre of mass at 0.

    Example:
        >>> star = Operator.from_edge_index(torch.tensor([[0, 0, 0, 0], [1, 2, 3, 4]]))
        >>> int(poincare_embedding(star).norm(dim=1).argmin())
        0
    """
    if min(dim, epochs, negatives) < 1 or not lr > 0:
        raise InputError(
            f"Got dim = {dim}, epochs = {epochs}, negatives = {negatives} and lr = {lr}.",
            "Expected whole numbers of 1 or more and a rate above 0.",
        )
    name = f"poincare, {dim}, {seed}, {epochs}, {lr}, {negatives}"
    return A.derived(name, lambda: _trained(A, dim, seed, epochs, lr, negatives))


def _trained(A: Operator, dim: int, seed: int, epochs: int, lr: float, negatives: int) -> Tensor:
    graph = simple_graph(A).tocoo()
    N, generator = graph.shape[0], np.random.default_rng(seed)
    theta = generator.uniform(-1e-3, 1e-3, (dim, N))  # one coordinate after the other: quicker to gather
    source, target = graph.row.astype(np.int64), graph.col.astype(np.int64)
    edges = np.sort(source * N + target)
    size = max(N // 2, 32)
    for epoch in range(epochs + _BURN_IN if source.size else 0):
        rate = lr / 10 if epoch < _BURN_IN else lr
        order = generator.permutation(source.size)[: 4 * N]
        for batch in np.split(order, range(size, order.size, size)):
            u = source[batch]
            others = generator.integers(N, size=(u.size, negatives))
            v = np.concatenate([target[batch, None], others], axis=1)  # [B, 1 + K]: the edge first
            counts = np.ones(v.shape, dtype=bool)
            counts[:, 1:] = (others != u[:, None]) & ~_among(edges, u[:, None] * N + others)
            theta = _step(theta, u, v, counts, rate)
    return torch.from_numpy(np.ascontiguousarray(_centred(theta).T)).to(A.device)


def _among(sorted_keys: Index, keys: Index) -> NDArray[np.bool_]:
    place = np.searchsorted(sorted_keys, keys)
    return np.asarray(sorted_keys[np.minimum(place, sorted_keys.size - 1)] == keys)


def _step(theta: Array, u: Index, v: Index, counts: NDArray[np.bool_], rate: float) -> Array:
    """One step of Riemannian gradient descent on the edges (u, v[:, 0]) against the pairs (u, v[:, 1:])."""
    d, to_u, to_v = distances(theta[:, u, None], theta[:, v])
    share = np.where(counts, np.exp(d.min(1, keepdims=True) - d), 0)  # shifted against overflow
    weight = -share / share.sum(1, keepdims=True)  # dL/dd of the drawn pairs
    weight[:, 0] += 1
    gradient = np.empty_like(theta)
    for axis in range(len(theta)):
        gradient[axis] = np.bincount(u, (weight * to_u[axis]).sum(1), theta.shape[1])
        gradient[axis] += np.bincount(v.ravel(), (weight * to_v[axis]).ravel(), theta.shape[1])
    theta = theta - rate * (1 - (theta**2).sum(0)) ** 2 / 4 * gradient
    length = np.sqrt((theta**2).sum(0))
    return np.asarray(theta / np.maximum(length / _BORDER, 1))  # proj


def distances(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """The hyperbolic distance of x and y ``[dim, ...]`` and its Euclidean gradients in both."""
    a, b = 1 - (x**2).sum(0), 1 - (y**2).sum(0)
    gap = x - y
    square = (gap**2).sum(0)
    excess = 2 * square / (a * b)  # gamma - 1
    root = np.sqrt(excess * (excess + 2))  # sqrt(gamma^2 - 1)
    scale = 4 / (a * b) * (root > 1e-9) / np.maximum(root, 1e-9)  # two nodes in one place pull nowhere
    to_x = scale * (gap + square / a * x)
    to_y = scale * (square / b * y - gap)
    return np.log1p(excess + root), to_x, to_y


def _centred(theta: Array) -> Array:
    """The same distances, with the centre of mass of the points (in Klein's disc) at 0."""
    for _ in range(_CENTRINGS if theta.size else 0):
        mean = (2 * theta / (1 + (theta**2).sum(0))).mean(1)
        theta = translated(theta, -mean / (1 + np.sqrt(1 - mean @ mean)))
    return theta


def translated(x: Array, by: Array) -> Array:
    """The isometry of the disc that takes 0 to ``by``, on points x ``[dim, N]``: Möbius addition."""
    inner, length, square = by @ x, by @ by, (x**2).sum(0)
    top = (1 + 2 * inner + square) * by[:, None] + (1 - length) * x
    return np.asarray(top / (1 + 2 * inner + length * square))
