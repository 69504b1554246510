"""A graph as a table for learners that know no edges: columns for each node and for what is around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, as_features

Columns = NDArray[np.float32]
T = TypeVar("T")

WIDEST = 128
"""The most columns of X that are read as they are; wider features are projected on singular vectors first."""

_FOLDS = 5
_STEPS, _ALPHA = 10, 0.9  # of the label propagation
_LEAST = 1e-7  # a smaller share of known labels counts as none


@dataclass(frozen=True)
class Selection:
    """Which columns a table has.

    Args:
        features: The features.
        neighbours: Their mean over neighbours, A X, A² X and (I - A) X, with A normalised symmetrically and with
            self-loops.
        structure: The logarithm of the degree, and its mean over one and two steps.
        labels: Shares of the known labels one and two steps away and by label propagation. A node's own label is
            never among them.
        positions: How many singular vectors of the normalised adjacency, for :func:`node_positions`.
        extremes: With ``neighbours``, the minimum and the maximum of the features over neighbours too.
    """

    features: bool = True
    neighbours: bool = True
    structure: bool = True
    labels: bool = True
    positions: int = 0
    extremes: bool = True


def reduction(x: Features, graph: Operator, components: int) -> Columns | None:
    """The matrix ``[F, components]`` that makes wide features narrow; None where they are narrow.

    Args:
        x: Features ``[N, F]``.
        graph: The adjacency, which keeps the matrix for the next call.
        components: Columns of the matrix.
    """
    if x.shape[1] <= WIDEST:
        return None

    def computed() -> Columns:
        matrix = _matrix(x)
        rank = min(components, *matrix.shape)
        _, _, rows = randomized_svd(matrix, rank, n_iter=4, random_state=0)
        return np.ascontiguousarray(rows.T, dtype=np.float32)

    return _Neighbourhood.of(graph).remembered(f"reduction {components}", (x,), computed)


def node_positions(graph: Operator, count: int) -> Columns:
    """Left singular vectors of D^-1/2 A D^-1/2, each scaled by its singular value, ``[N, count]``.

    Another machine may give other vectors for nearly equal singular values, so a model that reads them keeps them.
    """

    def computed() -> Columns:
        spread = _Neighbourhood.of(graph).spread
        vectors, values, _ = randomized_svd(spread, min(count, graph.shape[0]), n_iter=4, random_state=0)
        return np.ascontiguousarray(vectors * values, dtype=np.float32)

    return _Neighbourhood.of(graph).remembered(f"positions {count}", (), computed)


def graph_columns(
    x: Features,
    graph: Operator,
    chosen: Selection,
    *,
    reduce: Columns | None = None,
    positions: Columns | None = None,
    labels: Tensor | None = None,
    mask: Tensor | None = None,
    seed: int = 0,
) -> Columns:
    r"""One row for each node; NaN where a node has no neighbour, or no known label in reach.

    Columns of labels follow one formula for every node: what its neighbours' labels say without its own. Two steps
    away that is :math:`P^2 Y - \mathrm{diag}(P^2) Y` with :math:`P = D^{-1} A`. For label propagation the training
    nodes are dealt into five parts, and each part gets what the labels of the other four say.

    Args:
        x: Features ``[N, F]``.
        graph: The adjacency; self-loops do not count.
        chosen: Which columns.
        reduce: What :func:`reduction` gave for the features of the training.
        positions: What :func:`node_positions` gave for the graph of the training.
        labels: ``[N, T]``: one column for each class or number, read on ``mask`` alone.
        mask: Nodes whose labels are known, bool ``[N]``.
        seed: Deals the training nodes into parts.
    """
    around = _Neighbourhood.of(graph)
    blocks: list[Columns] = []
    if chosen.features or chosen.neighbours:
        blocks += _of_features(x, around, chosen, reduce)
    if chosen.structure:
        degree = np.log1p(around.degrees)[:, None].astype(np.float32)
        mean = around.walk @ degree
        blocks += [degree, mean, around.walk @ mean]
    if positions is not None:
        blocks.append(positions)
    if chosen.labels and labels is not None and mask is not None:
        blocks += _of_labels(around, labels.numpy(), mask.numpy(), seed)
    if not blocks:
        return np.zeros((graph.shape[0], 1), dtype=np.float32)
    return np.concatenate(blocks, axis=1, dtype=np.float32)


@dataclass(frozen=True)
class _Neighbourhood:
    """The matrices of one graph without its self-loops.

    Args:
        adjacency: A.
        degrees: Number of neighbours.
        walk: D^-1 A.
        spread: D^-1/2 A D^-1/2.
        smooth: The same of A + I.
        kept: What follows from the graph, or from it and one matrix of features.
    """

    adjacency: Any
    degrees: NDArray[Any]
    walk: Any
    spread: Any
    smooth: Any
    kept: dict[str, Any]

    @classmethod
    def of(cls, graph: Operator) -> _Neighbourhood:
        return graph.derived("graph columns", lambda: cls._computed(graph))

    @classmethod
    def _computed(cls, graph: Operator) -> _Neighbourhood:
        pattern = graph.pattern
        stored = (graph.values.detach().numpy(), pattern.col.numpy(), pattern.crow.numpy())
        A = sp.coo_array(sp.csr_array(stored, shape=graph.shape))
        other = A.row != A.col
        A = sp.csr_array((A.data[other].astype(np.float32), (A.row[other], A.col[other])), shape=graph.shape)
        weight = np.asarray(A.sum(axis=1)).ravel()
        per_node, per_root = _inverse(weight), np.sqrt(_inverse(weight))
        with_self = np.sqrt(_inverse(weight + 1))
        return cls(
            A,
            np.diff(A.indptr),
            _scaled(A, per_node, np.ones_like(per_node)),
            _scaled(A, per_root, per_root),
            _scaled(A + sp.eye_array(A.shape[0], dtype=np.float32, format="csr"), with_self, with_self),
            {},
        )

    def remembered(self, name: str, inputs: tuple[object, ...], compute: Callable[[], T]) -> T:
        """What follows from the graph and from these very objects; the last one of each name is kept."""
        kept = self.kept.get(name)
        if kept is None or any(old is not new for old, new in zip(kept[0], inputs, strict=True)):
            kept = self.kept[name] = (inputs, compute())
        found: T = kept[1]
        return found

    def two_steps(self) -> tuple[Any, NDArray[np.float64]]:
        """P and the diagonal of P², in float64: in float32 the rest of a node's own label would be a feature."""
        P = self.walk.astype(np.float64)
        return P, np.asarray(P.multiply(P.T).sum(axis=1)).reshape(-1, 1)

    def extremes(self, X: Columns) -> list[Columns]:
        """The least and the greatest value over the neighbours of each node, NaN where it has none."""
        some = self.degrees > 0
        starts = self.adjacency.indptr[:-1][some]
        found = [np.full(X.shape, np.nan, dtype=np.float32) for _ in range(2)]
        for column in range(X.shape[1] if some.any() else 0):  # one at a time: [E, F] may not fit
            values = X[self.adjacency.indices, column]
            found[0][some, column] = np.minimum.reduceat(values, starts)
            found[1][some, column] = np.maximum.reduceat(values, starts)
        return found


def _of_features(
    x: Features, around: _Neighbourhood, chosen: Selection, reduce: Columns | None
) -> list[Columns]:
    """Columns of the features. They are the same for all splits and models, so the graph keeps those of the last x."""
    inputs = (x, reduce)

    def narrow() -> Columns:
        matrix = _matrix(x)
        product = matrix if reduce is None else matrix @ reduce
        return np.asarray(product.toarray() if sp.issparse(product) else product, dtype=np.float32)

    def averages() -> list[Columns]:
        once = around.smooth @ X
        return [around.walk @ X, once, around.smooth @ once, X - once]

    X = around.remembered("features", inputs, narrow)
    blocks = [X] if chosen.features else []
    if chosen.neighbours:
        mean, *smoothed = around.remembered("averages", inputs, averages)
        extremes = (
            around.remembered("extremes", inputs, lambda: around.extremes(X)) if chosen.extremes else []
        )
        blocks += [mean, *extremes, *smoothed]
    return blocks


def _of_labels(around: _Neighbourhood, labels: NDArray[Any], mask: NDArray[Any], seed: int) -> list[Columns]:
    known = mask[:, None]
    Z = np.concatenate([np.where(known, labels, 0), known], axis=1, dtype=np.float64)
    P, diagonal = around.remembered("two steps", (), around.two_steps)
    once = P @ Z
    twice = P @ once - diagonal * Z
    seeds = Z.astype(np.float32)
    S = around.remembered("spread", (), lambda: Operator.from_scipy(around.spread))
    spread = _shares(_propagated(S, seeds))
    part = np.random.default_rng(seed).integers(0, _FOLDS, len(mask))
    for number in range(_FOLDS):
        own = mask & (part == number)
        spread[own] = _shares(_propagated(S, np.where(own[:, None], np.float32(0), seeds)))[own]
    return [_shares(once), once[:, -1:], _shares(twice), twice[:, -1:], spread]


def _propagated(S: Operator, Z: Columns) -> Columns:
    start = spread = torch.from_numpy(Z)
    for _ in range(_STEPS):
        spread = _ALPHA * (S @ spread) + (1 - _ALPHA) * start
    return spread.numpy()


def _shares(weighted: Columns) -> Columns:
    """The mean of labels whose weights stand in the last column, NaN where there are none."""
    weight = weighted[:, -1:]
    return np.where(weight > _LEAST, weighted[:, :-1] / np.maximum(weight, _LEAST), np.nan).astype(np.float32)


def _matrix(x: Features) -> Any:
    """Features as NumPy or SciPy have them."""
    features = as_features(x)
    if isinstance(features, Operator):
        pattern = features.pattern
        stored = (features.values.numpy(), pattern.col.numpy(), pattern.crow.numpy())
        return sp.csr_array(stored, shape=features.shape)
    return features.detach().numpy()


def _inverse(weight: NDArray[Any]) -> NDArray[Any]:
    return np.divide(1, weight, out=np.zeros_like(weight), where=weight > 0)


def _scaled(A: Any, rows: NDArray[Any], columns: NDArray[Any]) -> Any:
    scaled = sp.diags_array(rows) @ A @ sp.diags_array(columns)
    return sp.csr_array(scaled, dtype=np.float32)
