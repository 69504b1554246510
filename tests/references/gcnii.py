"""GCNII and GCNII* on dense matrices, from the paper's equations."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def renormalized(A: Tensor) -> Tensor:
    """(D + I)^-1/2 (A + I) (D + I)^-1/2, degrees being row sums."""
    half = torch.diag((A.sum(1) + 1) ** -0.5)
    return half @ (A + torch.eye(len(A), dtype=A.dtype)) @ half


def near_identity(W: Tensor, beta: float) -> Tensor:
    return (1 - beta) * torch.eye(len(W), dtype=W.dtype) + beta * W


def gcnii(layer: nn.Module, H: Tensor, H_0: Tensor, A: Tensor, number: int) -> Tensor:
    beta = math.log(0.5 / number + 1)
    return (0.9 * renormalized(A) @ H + 0.1 * H_0) @ near_identity(layer.weight, beta)


def gcnii_star(layer: nn.Module, H: Tensor, H_0: Tensor, A: Tensor, number: int) -> Tensor:
    beta = math.log(0.5 / number + 1)
    own = 0.9 * renormalized(A) @ H @ near_identity(layer.weight, beta)
    return own + 0.1 * H_0 @ near_identity(layer.initial_weight, beta)


def projected(module: nn.Module, X: Tensor, A: Tensor, formula) -> Tensor:
    H = X @ module.linear.weight + module.linear.bias
    return formula(module.layer, H, H, A, 1)


def network(model: nn.Module, X: Tensor, A: Tensor, formula) -> Tensor:
    H = H_0 = torch.relu(X @ model.input.weight + model.input.bias)
    for number, layer in enumerate(model.convs, start=1):
        H = torch.relu(formula(layer, H, H_0, A, number))
    return H @ model.output.weight + model.output.bias


LAYERS = {
    "gcnii": lambda layer, X, A: projected(layer, X, A, gcnii),
    "gcnii-star": lambda layer, X, A: projected(layer, X, A, gcnii_star),
}
MODELS = {
    "gcnii": lambda model, X, A: network(model, X, A, gcnii),
    "gcnii-star": lambda model, X, A: network(model, X, A, gcnii_star),
}
