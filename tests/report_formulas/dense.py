"""What the formulas of the report are about, as dense NumPy arrays in float64: a graph, features, labels, weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from allpass.graph import Operator

Array = NDArray[np.float64]
N, F, C = 12, 4, 3


@dataclass(frozen=True)
class Case:
    """An undirected connected graph without self-loops, features, labels."""

    A: Array
    X: Array
    y: NDArray[np.int64]

    @property
    def operator(self) -> Operator:
        """The adjacency as the library takes it."""
        rows, cols = self.A.nonzero()
        edge_index = torch.from_numpy(np.stack([cols, rows]))
        return Operator.from_edge_index(edge_index, num_nodes=len(self.A), dtype=torch.float64)

    @property
    def edge_index(self) -> torch.Tensor:
        """Its edges ``[2, E]``, each both ways."""
        return self.operator.edge_index

    @property
    def features(self) -> torch.Tensor:
        """X as a tensor."""
        return torch.from_numpy(self.X)

    @property
    def labels(self) -> torch.Tensor:
        """y as a tensor."""
        return torch.from_numpy(self.y)

    @property
    def Z(self) -> Array:
        """One-hot labels."""
        return np.eye(self.y.max() + 1)[self.y]

    @property
    def degrees(self) -> Array:
        """d_i, the row sums of A."""
        return self.A.sum(1)


def case(seed: int, classes: int = C) -> Case:
    """A random graph around a path that makes it connected; every class has a node."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((N, N)) < 0.25, 1)
    A[np.arange(N - 1), np.arange(1, N)] = True
    A = (A | A.T).astype(np.float64)
    y = rng.permutation(np.concatenate([np.arange(classes), rng.integers(0, classes, N - classes)]))
    return Case(A, rng.normal(size=(N, F)), y)


CASES = [case(seed) for seed in range(3)]


def diag(values: Array) -> Array:
    """The diagonal matrix of these values."""
    return np.diag(values)


def sym_hat(A: Array) -> Array:
    """D~^-1/2 A~ D~^-1/2."""
    half = diag((A.sum(1) + 1) ** -0.5)
    return half @ (A + np.eye(len(A))) @ half


def rw_hat(A: Array) -> Array:
    """D~^-1 A~."""
    return diag(1 / (A.sum(1) + 1)) @ (A + np.eye(len(A)))


def softmax(x: Array) -> Array:
    """Row by row."""
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def relu(x: Array) -> Array:
    """max(x, 0)."""
    return np.maximum(x, 0)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def close(found: torch.Tensor | Array | float, expected: Array | float, tolerance: float = 1e-10) -> None:
    """Equal up to rounding in float64."""
    if isinstance(found, torch.Tensor):
        found = found.detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
