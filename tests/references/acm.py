"""GCN, ACM and ACMII on dense matrices, from the report's equations."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def averaging(A: Tensor) -> Tensor:
    """(D + I)^-1 (A + I)."""
    loops = A + torch.eye(len(A), dtype=A.dtype)
    return loops / loops.sum(1, keepdim=True)


def renormalized(A: Tensor) -> Tensor:
    """(D + I)^-1/2 (A + I) (D + I)^-1/2, degrees being row sums."""
    loops = A + torch.eye(len(A), dtype=A.dtype)
    half = loops.sum(1).rsqrt()
    return half[:, None] * loops * half[None, :]


def gcn_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    return renormalized(A) @ X @ layer.weight + layer.bias


def acm_layer(
    layer: nn.Module, X: Tensor, A: Tensor, *, order: str = "acm", structure: bool = False
) -> Tensor:
    low = averaging(A)
    filters = [low, torch.eye(len(A), dtype=A.dtype) - low, torch.eye(len(A), dtype=A.dtype)]
    F = layer.out_channels
    weights = [layer.weight[:, c * F : (c + 1) * F] for c in range(3)]
    if order == "acm":
        H = [torch.relu(P @ X @ W) for P, W in zip(filters, weights, strict=True)]
    else:
        H = [P @ torch.relu(X @ W) for P, W in zip(filters, weights, strict=True)]
    if structure:
        H.append(torch.relu(A @ layer.structure_weight))
    C = len(H)
    scored = H
    if structure:  # the layer is registered with layer norm
        scored = []
        for c, part in enumerate(H):
            centred = part - part.mean(1, keepdim=True)
            scaled = centred / torch.sqrt(centred.pow(2).mean(1, keepdim=True) + 1e-5)
            scored.append(scaled * layer.mixing.gain[c] + layer.mixing.shift[c])
    s = torch.stack([torch.sigmoid(part @ layer.mixing.score[c]) for c, part in enumerate(scored)], 1)
    alpha = torch.softmax(s @ layer.mixing.mix / C, 1)
    mixed = sum(torch.diag(alpha[:, c]) @ H[c] for c in range(C))
    return mixed if structure else 3 * mixed


def gcn_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    return gcn_layer(second, torch.relu(gcn_layer(first, X, A)), A)


def mlp_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    for layer in model.layers[:-1]:
        X = torch.relu(X @ layer.linear.weight + layer.linear.bias)
    return X @ model.layers[-1].linear.weight + model.layers[-1].linear.bias


def acm_model(model: nn.Module, X: Tensor, A: Tensor, order: str) -> Tensor:
    first, second = model.layers
    return acm_layer(second, torch.relu(acm_layer(first, X, A, order=order)), A, order=order)


LAYERS = {
    "gcn": gcn_layer,
    "acm": acm_layer,
    "acmii": lambda layer, X, A: acm_layer(layer, X, A, order="acmii"),
    "acm-structure": lambda layer, X, A: acm_layer(layer, X, A, structure=True),
}
MODELS = {
    "gcn": gcn_model,
    "mlp-1": mlp_model,
    "mlp-2": mlp_model,
    "acm-gcn": lambda model, X, A: acm_model(model, X, A, "acm"),
    "acmii-gcn": lambda model, X, A: acm_model(model, X, A, "acmii"),
}
