"""Geom-GCN on dense matrices: Isomap, the two neighbourhoods and the nine relations, pair by pair."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def steps(linked: Tensor) -> Tensor:
    """Shortest paths by Floyd and Warshall; infinite where there is none."""
    N = len(linked)
    D = torch.full((N, N), math.inf, dtype=torch.float64)
    D[linked] = 1
    D.fill_diagonal_(0)
    for k in range(N):
        D = torch.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D


def isomap(A: Tensor) -> Tensor:
    """Classical scaling of every component; the largest around 0, the others one step to the right each."""
    D = steps((A != 0) | (A.T != 0))
    pieces = sorted(
        {tuple(row.isfinite().nonzero().flatten().tolist()) for row in D}, key=lambda p: (-len(p), p)
    )
    Z = torch.zeros(len(A), 2, dtype=torch.float64)
    right = None
    for piece in pieces:
        here = torch.tensor(piece)
        n = len(here)
        J = torch.eye(n, dtype=torch.float64) - 1 / n
        values, vectors = torch.linalg.eigh(-J @ D[here][:, here].square() @ J / 2)
        place = torch.zeros(n, 2, dtype=torch.float64)
        for axis in range(min(2, n)):
            value = values[-1 - axis]
            place[:, axis] = vectors[:, -1 - axis] * value.sqrt() if value > 1e-9 else 0
        size = float(place.abs().max()) or 1.0
        place = (place / size).round(decimals=9)
        for axis in range(2):
            column = place[:, axis]
            lean = column.pow(3).sum()
            by = lean if abs(lean) > 1e-6 * n else column[column.abs().argmax()]
            place[:, axis] = -column if by < 0 else column
        place = place * size
        if right is not None:
            place[:, 0] += right + 1 - place[:, 0].min()
        right = place[:, 0].max()
        Z[here] = place
    return Z


def relations(A: Tensor, Z: Tensor) -> list[Tensor]:
    """D^-1/2 A_r D^-1/2 for each of the nine relations, as the authors' code has them."""
    N = len(A)
    graph = [(v, u) for v in range(N) for u in range(N) if v != u and A[v, u] != 0]
    distances = sorted(float((Z[v] - Z[u]).norm()) for v in range(N) for u in range(v))
    wanted = len(graph) // 2
    rho = distances[wanted] if wanted < len(distances) else math.inf
    R = [torch.zeros(N, N, dtype=torch.float64) for _ in range(9)]
    for v in range(N):
        for u in range(N):
            quadrant = (0 if Z[v, 1] <= Z[u, 1] else 2) + (1 if Z[v, 0] <= Z[u, 0] else 0)
            if u == v:
                R[8][v, u] = 1
            elif float((Z[v] - Z[u]).norm()) < rho * (1 - 1e-7):
                R[4 + quadrant][v, u] = 1
            elif (v, u) in graph:
                R[quadrant][v, u] = 1
    half = torch.stack(R).sum(0).sum(1).rsqrt()
    return [half[:, None] * r * half[None, :] for r in R]


def products(layer: nn.Module, X: Tensor, A: Tensor) -> list[Tensor]:
    """e_r W_r for each relation."""
    F = layer.out_channels
    maps = relations(A, isomap(A))
    return [P @ X @ layer.weight[:, r * F : (r + 1) * F] for r, P in enumerate(maps)]


def geom_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    return sum(products(layer, X, A))


def geom_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H = torch.relu(torch.cat(products(model.first, X, A), dim=1))
    return sum(products(model.second, H, A)) / 9


LAYERS = {"geom": geom_layer}
MODELS = {"geom-gcn": geom_model}
