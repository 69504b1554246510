"""struc2vec: nodes with the same role in the graph come close, however far apart they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.embeddings.rings import Rings, degree_rings, ring_distances
from allpass.graph.embeddings.simple import simple_graph
from allpass.graph.embeddings.skipgram import skipgram
from allpass.graph.operator import Operator

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_STEP = 0.3


def struc2vec_embedding(
    A: Operator,
    *,
    dim: int = 2,
    seed: int = 0,
    depth: int = 4,
    walks: int = 10,
    length: int = 80,
    window: int = 5,
) -> Tensor:
    r"""Positions by structural role (`Ribeiro et al., KDD 2017 <https://arxiv.org/abs/1704.03165>`_).

    With :math:`s_k(u)` the ordered degrees of the nodes k steps from u, two nodes differ by

    .. math::
        f_k(u, v) = f_{k-1}(u, v) + \mathrm{DTW}(s_k(u), s_k(v)), \quad
        \mathrm{cost}(a, b) = \frac{\max(a, b)}{\min(a, b)} - 1

    Layer k of a graph of graphs joins them with weight :math:`e^{-f_k(u, v)}`. A walk takes a step in its layer with
    probability 0.3, else it goes one layer up with weight :math:`\log(\Gamma_k(u) + e)`, :math:`\Gamma_k(u)` being
    the number of edges of u that are heavier than the mean of the layer, or down with weight 1. Nodes that are met
    together come close (:func:`~allpass.graph.embeddings.skipgram.skipgram`).

    Args:
        A: The adjacency; directions, weights and self-loops are not looked at.
        dim: Number of coordinates.
        seed: Decides the walks and the training.
        depth: Number of layers, k = 0 to depth - 1 (the paper's third saving).
        walks: Walks from every node.
        length: Nodes of a walk.
        window: Largest distance in a walk at which two nodes are met together.

    Returns:
        ``[N, dim]`` in float64.

    Notes:
        The paper's savings are always on: degrees are compressed to (degree, how often), matched at the price of the
        larger count; a node is compared with about 2 log2 N others, its neighbours in the order of degrees. Here ties
        of that order are decided by the degrees of the rings further out, where the paper looks at the degree alone.
        As in the authors' code 0.5 is added to every degree, so that isolated nodes have a distance too. More than
        48 different degrees are grouped on a logarithmic scale. The authors train with a hierarchical softmax, here
        negative samples do.

    Example:
        >>> path = Operator.from_edge_index(torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]))
        >>> z = struc2vec_embedding(path)
        >>> bool((z[0] - z[4]).norm() < (z[0] - z[2]).norm())
        True
    """
    if min(dim, depth, walks, window) < 1 or length < 2:
        raise InputError(
            f"Got dim = {dim}, depth = {depth}, walks = {walks}, length = {length} and window = {window}.",
            "Expected whole numbers of 1 or more, and a length of 2 or more.",
        )
    name = f"struc2vec, {dim}, {seed}, {depth}, {walks}, {length}, {window}"
    return A.derived(name, lambda: _trained(A, dim, seed, depth, walks, length, window))


def _trained(A: Operator, dim: int, seed: int, depth: int, walks: int, length: int, window: int) -> Tensor:
    graph, generator = simple_graph(A), np.random.default_rng(seed)
    N = graph.shape[0]
    if N < 2:
        return torch.zeros(N, dim, dtype=torch.float64, device=A.device)
    layers = similarity_layers(degree_rings(graph, depth), generator)
    visits = _walks(layers, walks, length, generator)
    Z = skipgram(visits, N, dim=dim, generator=generator, window=window)
    return torch.from_numpy(Z).to(A.device)


def similarity_layers(rings: Rings, generator: np.random.Generator) -> list[Any]:
    """The structural distances f_k of the candidates, one symmetric sparse ``[N, N]`` for every k."""
    u, v = _candidates(rings, generator)
    N = rings.counts[0].shape[0]
    total = np.zeros(u.size)
    layers = []
    for k, counts in enumerate(rings.counts):
        there = np.diff(counts.indptr) > 0
        both = there[u] & there[v]  # beyond the last ring of a node there is nothing to compare
        u, v, total = u[both], v[both], total[both]
        if not u.size:
            break
        total = total + ring_distances(rings, k, u, v)  # f_k = f_{k-1} + DTW
        index = np.concatenate([u, v]), np.concatenate([v, u])
        layers.append(sp.coo_array((np.tile(total, 2), index), shape=(N, N)).tocsr())
    return layers


def _candidates(rings: Rings, generator: np.random.Generator) -> tuple[Index, Index]:
    """Pairs u < v worth a comparison: up to log2 N places apart in the order of degrees, ring after ring.

    Equal nodes are shuffled for every distance of places, so that a large group of them hangs together.
    """
    keys = []
    for counts in rings.counts:
        size = counts.sum(1)
        keys += [np.round(counts @ rings.degrees / np.maximum(size, 1), 9), size]
    N = keys[0].size
    found = []
    for gap in range(1, min(math.ceil(math.log2(N)), N - 1) + 1):
        order = np.lexsort([generator.random(N), *reversed(keys)])
        u, v = order[:-gap], order[gap:]
        found.append(np.minimum(u, v) * N + np.maximum(u, v))
    pairs = np.unique(np.concatenate(found))
    return pairs // N, pairs % N


def _walks(layers: list[Any], walks: int, length: int, generator: np.random.Generator) -> Index:
    """Nodes met on walks through the layers, ``[walks N, length]``."""
    ways = [_ways(layer) for layer in layers]
    present, up = _stairs(layers)
    node = np.tile(np.arange(layers[0].shape[0]), walks)
    layer = np.zeros(node.size, dtype=np.int64)
    seen = np.zeros((node.size, length), dtype=np.int64)
    seen[:, 0] = node
    met = np.ones(node.size, dtype=np.int64)
    active = np.arange(node.size)
    while active.size:
        steps = generator.random(active.size) < _STEP
        walking, climbing = active[steps], active[~steps]
        for k, way in enumerate(ways):
            here = walking[layer[walking] == k]
            node[here] = _next(way, node[here], generator)
        seen[walking, met[walking]] = node[walking]
        met[walking] += 1
        v, floor = node[climbing], layer[climbing]
        higher = generator.random(climbing.size) < up[floor, v]
        layer[climbing] = np.where(higher, floor + present[floor + 1, v], np.maximum(floor - 1, 0))
        active = active[met[active] < length]
    return seen


def _stairs(layers: list[Any]) -> tuple[NDArray[np.bool_], Array]:
    """Which nodes are in each layer (and in the one above the last: none), and their chance to go up from it."""
    present = np.zeros((len(layers) + 1, layers[0].shape[0]), dtype=bool)
    up = np.zeros((len(layers), layers[0].shape[0]))
    for k, layer in enumerate(layers):
        present[k] = np.diff(layer.indptr) > 0
        weight = np.exp(-layer.data)
        heavy = sp.csr_array((weight > weight.mean(), layer.indices, layer.indptr), shape=layer.shape)
        rise = np.log(heavy.sum(1) + np.e)  # log(Gamma + e)
        up[k] = rise / (rise + 1)
    return present, up


def _ways(layer: Any) -> tuple[Index, Array, Index]:
    """Row pointers, cumulated chances (those of row v fill the interval from v to v + 1) and neighbours."""
    row = np.repeat(np.arange(layer.shape[0]), np.diff(layer.indptr))
    least = np.full(layer.shape[0], np.inf)
    np.minimum.at(least, row, layer.data)
    weight = np.exp(least[row] - layer.data)  # exp(-f), shifted against underflow
    before = np.concatenate([[0.0], weight.cumsum()])
    start, end = before[layer.indptr[row]], before[layer.indptr[row + 1]]
    return layer.indptr, row + (before[1:] - start) / (end - start), layer.indices


def _next(way: tuple[Index, Array, Index], v: Index, generator: np.random.Generator) -> Index:
    """A neighbour of every v, by weight."""
    start, chance, neighbour = way
    place = np.searchsorted(chance, v + generator.random(v.size), side="right")
    return np.asarray(neighbour[np.clip(place, start[v], start[v + 1] - 1)])
