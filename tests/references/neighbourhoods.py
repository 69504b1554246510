"""MixHop, H2GCN, LINKX, label propagation, Correct and Smooth, CPGNN on dense matrices, from the equations."""

from __future__ import annotations

import math

import torch
from tests.references.acm import renormalized
from torch import Tensor, nn

from allpass.testing import examples


def mixhop_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    P, F = renormalized(A), layer.out_channels
    parts = [
        torch.linalg.matrix_power(P, power) @ X @ layer.weight[:, number * F : (number + 1) * F]
        for number, power in enumerate((0, 1, 2))
    ]
    return torch.cat(parts, 1) + layer.bias


def mixhop_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    parts = mixhop_layer(second, torch.relu(mixhop_layer(first, X, A)), A).chunk(3, 1)
    q = torch.exp(model.shares) / torch.exp(model.shares).sum()
    return q[0] * parts[0] + q[1] * parts[1] + q[2] * parts[2]


def distances(A: Tensor) -> list[list[float]]:
    """Edges on the shortest way from u to v, at row v and column u (Floyd and Warshall)."""
    N = len(A)
    d = [[0.0 if v == u else 1.0 if A[v, u] != 0 else float("inf") for u in range(N)] for v in range(N)]
    for k in range(N):
        for v in range(N):
            for u in range(N):
                d[v][u] = min(d[v][u], d[v][k] + d[k][u])
    return d


def normalized(A: Tensor) -> Tensor:
    """D^-1/2 A D^-1/2, with zeros for nodes without neighbours."""
    degree = A.sum(1)
    half = torch.where(degree > 0, degree.clamp(min=1e-300).rsqrt(), 0.0)
    return half[:, None] * A * half[None, :]


def projected(layer: nn.Module, X: Tensor) -> Tensor:
    return X @ layer.linear.weight + layer.linear.bias


def h2gcn_round(X: Tensor, A: Tensor) -> Tensor:
    d = torch.tensor(distances(A), dtype=A.dtype)
    return torch.cat([normalized(A * (d == 1)) @ X, normalized((d == 2).to(A.dtype)) @ X], 1)


def h2gcn_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    R_0 = torch.relu(X @ model.embed.weight)
    R_1 = h2gcn_round(R_0, A)
    R_2 = h2gcn_round(R_1, A)
    return torch.cat([R_0, R_1, R_2], 1) @ model.classify.weight


def linkx_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H_A = A @ layer.edges[0].weight + layer.edges[0].bias
    H_X = X @ layer.nodes[0].weight + layer.nodes[0].bias
    both = torch.cat([H_A, H_X], 1) @ layer.joint.weight + layer.joint.bias
    return torch.relu(both + H_A + H_X)


def linkx_structure_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H_A = A @ layer.edges[0].weight + layer.edges[0].bias
    return torch.relu(H_A @ layer.joint.weight + layer.joint.bias + H_A)


def linkx_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    return linkx_head(model, linkx_layer(model.embed, X, A))


def linkx_structure_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    return linkx_head(model, linkx_structure_layer(model.embed, X, A))


def linkx_head(model: nn.Module, H: Tensor) -> Tensor:
    first, _, one, _, second, _, two, _, last = model.classify
    for linear, norm in ((first, one), (second, two)):
        H = torch.relu(H @ linear.weight + linear.bias)
        H = (H - norm.running_mean) / torch.sqrt(norm.running_var + 1e-5) * norm.weight + norm.bias
    return H @ last.weight + last.bias


def label_propagation(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    """Step by step, with the labels and the training nodes that all examples share."""
    example = examples()[0]
    Y_0 = torch.zeros(len(A), 3, dtype=A.dtype)
    for node in range(len(A)):
        if example.mask[node]:
            Y_0[node, example.y[node]] = 1
    Y = Y_0
    for _ in range(50):
        Y = 0.9 * normalized(A) @ Y + 0.1 * Y_0
    return Y


def label_propagation_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    """log((Y + epsilon p) / (sum of Y + epsilon)), node by node and class by class."""
    example, Y, epsilon = examples()[0], label_propagation(model, X, A), 1e-3
    shown = example.y[example.mask].tolist()
    rows = [
        [
            math.log((float(y) + epsilon * shown.count(c) / len(shown)) / (float(row.sum()) + epsilon))
            for c, y in enumerate(row)
        ]
        for row in Y
    ]
    return torch.tensor(rows, dtype=A.dtype)


def corrected_and_smoothed(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    """Huang et al., algorithm by algorithm, with matrix powers in place of steps."""
    example, S, a, k = examples()[0], normalized(A), 0.8, 50
    power = [torch.linalg.matrix_power(a * S, t) for t in range(k + 1)]
    spread = (1 - a) * sum(power[:k], torch.zeros_like(S)) + power[k]
    Z = layer.linear(X) if hasattr(layer, "linear") else X
    Y = torch.eye(Z.shape[1], dtype=A.dtype)[example.y]
    known = example.mask.to(A.dtype).unsqueeze(1)
    E_0 = known * (Y - Z)
    sigma = E_0.abs().sum() / known.sum()
    E = spread @ E_0
    size = E.abs().sum(1, keepdim=True)
    corrected = Z + torch.where(size > 1e-9, sigma * E / torch.where(size > 1e-9, size, 1.0), 0.0)
    return spread @ (known * Y + (1 - known) * corrected)


def propagated(H: Tensor, X: Tensor, A: Tensor) -> Tensor:
    return X + A @ X @ H + A @ A @ X @ H @ H  # two steps, written out


def cpgnn_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = (layer.linear.weight for layer in model.prior.layers)
    scores = torch.exp(torch.relu(X @ first) @ second)
    return propagated(model.propagation.compatibility, scores / scores.sum(1, keepdim=True) - 1 / 3, A)


LAYERS = {
    "mixhop": mixhop_layer,
    "h2gcn": lambda layer, X, A: h2gcn_round(projected(layer, X), A),
    "linkx": linkx_layer,
    "label-propagation": label_propagation,
    "correct-and-smooth": corrected_and_smoothed,
    "cpgnn": lambda layer, X, A: propagated(layer.layer.compatibility, projected(layer, X), A),
}
MODELS = {
    "mixhop": mixhop_model,
    "h2gcn": h2gcn_model,
    "linkx": linkx_model,
    "linkx-structure": linkx_structure_model,
    "label-propagation": label_propagation_model,
    "cpgnn": cpgnn_model,
}
