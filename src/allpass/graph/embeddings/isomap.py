"""Isomap: positions whose straight distances are those along the graph, as nearly as a plane allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.embeddings.simple import simple_graph
from allpass.graph.operator import Operator

Array = NDArray[np.float64]

EXACT_UP_TO = 4000
"""Nodes up to which every node is a landmark."""

_DENSE_UP_TO = 200


def isomap_embedding(A: Operator, *, dim: int = 2, landmarks: int = 1000) -> Tensor:
    r"""Positions of the nodes by Isomap (`Tenenbaum et al., Science 2000 <https://doi.org/10.1126/science.290.5500.2319>`_).

    With :math:`\Delta_{uv}` the squared number of steps from u to v and :math:`J = I - 1 1^\top / N`, classical
    scaling takes the largest eigenvalues and their vectors:

    .. math::
        -\frac{1}{2} J \Delta J = V \Lambda V^\top, \quad Z = V_d \Lambda_d^{1/2}

    Args:
        A: The adjacency; directions, weights and self-loops are not looked at.
        dim: Number d of coordinates.
        landmarks: Graphs of more than 4,000 nodes are placed by the steps to this many nodes (drawn once and for
            all) in O(landmarks N) memory: landmark Isomap of de Silva and Tenenbaum, 2003.

    Returns:
        ``[N, dim]`` in float64. In a component the columns are of falling spread.

    Notes:
        There is no way between components, so each is placed by itself: the largest around 0, the others to its right
        along the first axis in order of size, one step apart. (One finite distance for all such pairs would spend
        the first coordinate on telling the largest component of Cora from the 77 small ones.) The sign of a column
        makes its third moment positive (or, where that is 0, its first largest entry). Positions are rounded to nine
        digits of the largest, so that nodes which differ by rounding alone are in one place.

    Example:
        >>> path = Operator.from_edge_index(torch.tensor([[0, 1, 2], [1, 2, 3]]))
        >>> isomap_embedding(path, dim=1).abs().T
        tensor([[1.5000, 0.5000, 0.5000, 1.5000]], dtype=torch.float64)
    """
    if dim < 1 or landmarks <= dim:
        raise InputError(f"Got dim = {dim} and landmarks = {landmarks}.", "Expected 1 <= dim < landmarks.")
    return A.derived(f"isomap, {dim}, {landmarks}", lambda: _placed(A, dim, landmarks))


def _placed(A: Operator, dim: int, landmarks: int) -> Tensor:
    graph = simple_graph(A)
    Z = np.zeros((graph.shape[0], dim))
    count, membership = connected_components(graph, directed=False)
    sizes = np.bincount(membership, minlength=count)
    nodes = np.split(np.argsort(membership, kind="stable"), sizes.cumsum()[:-1])
    edge = 0.0
    for number, component in enumerate(np.argsort(-sizes, kind="stable")):
        here = nodes[component]
        place = _component(graph[here][:, here], dim, landmarks) if here.size > 1 else np.zeros((1, dim))
        if number:
            place[:, 0] += edge + 1 - place[:, 0].min()
        edge = place[:, 0].max()
        Z[here] = place
    return torch.from_numpy(Z).to(A.device)


def _component(graph: Any, dim: int, landmarks: int) -> Array:
    """The positions of a connected graph."""
    N = graph.shape[0]
    if max(EXACT_UP_TO, landmarks) >= N:
        return _settled(_scaled(dijkstra(graph, unweighted=True) ** 2, dim))
    chosen = np.sort(np.random.default_rng(0).permutation(N)[:landmarks])
    squared = dijkstra(graph, unweighted=True, indices=chosen) ** 2
    return _settled(_triangulated(squared, chosen, dim))


def _scaled(squared: Array, dim: int) -> Array:
    """Classical scaling of squared distances ``[N, N]``: the positions ``[N, dim]``."""
    values, vectors = _spectrum(squared, dim)
    return vectors * np.sqrt(values)


def _triangulated(squared: Array, chosen: NDArray[np.int64], dim: int) -> Array:
    """Classical scaling of the landmarks, then every node by its squared distances ``[K, N]`` to them."""
    among = squared[:, chosen]
    values, vectors = _spectrum(among, dim)
    inverse = np.where(values > 0, 1 / np.sqrt(np.where(values > 0, values, 1)), 0)
    return -0.5 * ((squared - among.mean(1, keepdims=True)).T @ (vectors * inverse))


def _spectrum(squared: Array, dim: int) -> tuple[Array, Array]:
    """The ``dim`` largest eigenvalues of -J squared J / 2, at least 0, and their vectors."""
    K = squared.shape[0]
    if K <= max(_DENSE_UP_TO, dim + 1):
        J = np.eye(K) - 1 / K
        values, vectors = eigh(-0.5 * J @ squared @ J)
    else:
        mean, total = squared.mean(0), squared.mean()

        def product(x: Array) -> Array:  # the centred matrix is never stored
            x = x.ravel()
            return -0.5 * (squared @ x - mean @ x - mean * x.sum() + total * x.sum())

        start = np.random.default_rng(0).standard_normal(K)
        values, vectors = eigsh(
            LinearOperator((K, K), product, dtype=np.float64), k=dim, which="LA", v0=start
        )
    values, vectors = values[::-1][:dim], vectors[:, ::-1][:, :dim]
    values = np.where(values > 1e-9 * max(float(values.max(initial=0)), 1), values, 0)
    short = dim - values.size  # fewer nodes than coordinates
    return np.pad(values, (0, short)), np.pad(vectors, ((0, 0), (0, short)))


def _settled(Z: Array) -> Array:
    """Signs and digits that do not hang on rounding."""
    size = float(np.abs(Z).max(initial=0)) or 1.0
    Z = np.round(Z / size, 9)
    lean = (Z**3).sum(0)
    largest = Z[np.abs(Z).argmax(0), np.arange(Z.shape[1])]
    sign = np.sign(np.where(np.abs(lean) > 1e-6 * Z.shape[0], lean, largest))
    return Z * np.where(sign == 0, 1, sign) * size + 0.0  # no negative zeros
