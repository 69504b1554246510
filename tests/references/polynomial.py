"""Polynomial filters on dense matrices, power by power, from the papers' sums and recursions."""

from __future__ import annotations

from math import factorial

import torch
from torch import Tensor, nn

K = 10


def eye(A: Tensor) -> Tensor:
    return torch.eye(len(A), dtype=A.dtype)


def averaging(A: Tensor) -> Tensor:
    """(D + I)^-1 (A + I)."""
    return torch.diag(1 / (A.sum(1) + 1)) @ (A + eye(A))


def renormalized(A: Tensor) -> Tensor:
    """(D + I)^-1/2 (A + I) (D + I)^-1/2, degrees being row sums."""
    half = torch.diag((A.sum(1) + 1) ** -0.5)
    return half @ (A + eye(A)) @ half


def laplacian(A: Tensor) -> Tensor:
    """I - D^-1/2 A D^-1/2, with 0 for the inverse degree of an isolated node."""
    half = torch.diag(torch.tensor([d**-0.5 if d > 0 else 0.0 for d in A.sum(1).tolist()], dtype=A.dtype))
    return eye(A) - half @ A @ half


def power(M: Tensor, k: int) -> Tensor:
    return torch.linalg.matrix_power(M, k)


def sgc(layer: nn.Module, X: Tensor, A: Tensor, hops: int) -> Tensor:
    return power(averaging(A), hops) @ X @ layer.weight


def cheby(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    """Degree 2, largest eigenvalue 2."""
    L = laplacian(A) - eye(A)
    F = layer.out_channels
    W_0, W_1, W_2 = (layer.weight[:, k * F : (k + 1) * F] for k in range(3))
    return X @ W_0 + L @ X @ W_1 + (2 * L @ L - eye(A)) @ X @ W_2 + layer.bias


def appnp(H: Tensor, A: Tensor, alpha: float = 0.1) -> Tensor:
    Z = H
    for _ in range(K):
        Z = (1 - alpha) * renormalized(A) @ Z + alpha * H
    return Z


def gpr(gamma: Tensor, H: Tensor, A: Tensor) -> Tensor:
    return sum(gamma[k] * power(renormalized(A), k) @ H for k in range(K + 1))


def bern(theta: Tensor, H: Tensor, A: Tensor) -> Tensor:
    L = laplacian(A)
    total = torch.zeros_like(H)
    for k in range(K + 1):
        binomial = factorial(K) / (factorial(k) * factorial(K - k))
        basis = power(2 * eye(A) - L, K - k) @ power(L, k)
        total = total + theta[k].clamp(min=0) * binomial / 2**K * basis @ H
    return total


def linear(part: nn.Module, X: Tensor) -> Tensor:
    return X @ part.weight + part.bias


def perceptron(model: nn.Module, X: Tensor) -> Tensor:
    first, second = model.encoder.layers
    return linear(second.linear, torch.relu(linear(first.linear, X)))


def cheby_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    return cheby(second, torch.relu(cheby(first, X, A)), A)


LAYERS = {
    "sgc": lambda layer, X, A: sgc(layer, X, A, 1),
    "cheby": cheby,
    "appnp": lambda layer, X, A: appnp(linear(layer.linear, X), A),
    "gpr": lambda layer, X, A: gpr(layer.layer.gamma, linear(layer.linear, X), A),
    "bern": lambda layer, X, A: bern(layer.layer.theta, linear(layer.linear, X), A),
}
MODELS = {
    "sgc-1": lambda model, X, A: sgc(model.layers[0], X, A, 1),
    "sgc-2": lambda model, X, A: sgc(model.layers[0], X, A, 2),
    "cheby": cheby_model,
    "appnp": lambda model, X, A: appnp(perceptron(model, X), A),
    "gprgnn": lambda model, X, A: gpr(model.filter.gamma, perceptron(model, X), A),
    "bernnet": lambda model, X, A: bern(model.filter.theta, perceptron(model, X), A),
}
