"""Snowball and truncated Krylov on dense matrices, from the formulas of Luan et al., NeurIPS 2019."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def averaging(A: Tensor) -> Tensor:
    """(D + I)^-1 (A + I)."""
    loops = A + torch.eye(len(A), dtype=A.dtype)
    return torch.diag(1 / loops.sum(1)) @ loops


def snowball_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    return averaging(A) @ X @ layer.weight + layer.bias


def krylov_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    F = X.shape[1]
    powers = [torch.linalg.matrix_power(averaging(A), k) for k in range(layer.weight.shape[0] // F)]
    terms = [P @ X @ layer.weight[k * F : (k + 1) * F] for k, P in enumerate(powers)]
    return torch.stack(terms).sum(0) + layer.bias


def snowball_model(model: nn.Module, X: Tensor, A: Tensor, *, linear: bool = False) -> Tensor:
    for layer in model.layers:
        H = snowball_layer(layer, X, A)
        X = torch.cat([X, H if linear else torch.tanh(H)], dim=1)
    return snowball_layer(model.readout.output, X, A)


def krylov_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    for layer in model.layers:
        X = torch.tanh(krylov_layer(layer, X, A))
    return X @ model.readout.output.weight + model.readout.output.bias


LAYERS = {"snowball": snowball_layer, "krylov": krylov_layer}
MODELS = {
    "snowball": snowball_model,
    "linear-snowball": lambda model, X, A: snowball_model(model, X, A, linear=True),
    "krylov": krylov_model,
}
