"""GCN, ACM and ACMII on dense matrices, from the report's equations."""

from __future__ import annotations

import math

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
    return acm_layer(second, acm_layer(first, X, A, order=order), A, order=order)


def mixed(mixing: nn.Module, H: list[Tensor]) -> Tensor:
    """Steps 2 and 3 of ACM without layer norm, with the authors' factor 3."""
    s = torch.stack([torch.sigmoid(part @ mixing.score[c]) for c, part in enumerate(H)], 1)
    alpha = torch.softmax(s @ mixing.mix / len(H), 1)
    return 3 * sum(torch.diag(alpha[:, c]) @ part for c, part in enumerate(H))


def fbgnn_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    low = averaging(A)
    W_low, W_high = layer.bank.weight.chunk(2, dim=1)
    return layer.alpha[0] * torch.relu(low @ X @ W_low) + layer.alpha[1] * torch.relu(
        X @ W_high - low @ X @ W_high
    )


def fbgnn_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    H, low = torch.relu(fbgnn_layer(first, X, A)), averaging(A)
    W_low, W_high = second.bank.weight.chunk(2, dim=1)
    return second.alpha[0] * low @ H @ W_low + second.alpha[1] * (H @ W_high - low @ H @ W_high)


def acm_sgc_model(model: nn.Module, X: Tensor, A: Tensor, hops: int) -> Tensor:
    (layer,) = model.layers
    low = averaging(A)
    W_low, W_high, W_id = layer.weight.chunk(3, dim=1)
    H = [torch.linalg.matrix_power(low, hops) @ X @ W_low, X @ W_high - low @ X @ W_high, X @ W_id]
    return mixed(layer.mixing, H)


def acm_snowball_model(model: nn.Module, X: Tensor, A: Tensor, order: str) -> Tensor:
    for layer in model.layers[:-1]:
        X = torch.cat([X, acm_layer(layer, X, A, order=order)], 1)
    return acm_layer(model.layers[-1], X, A, order=order)


def acm_gcnii_layer(
    layer: nn.Module, H: Tensor, H_0: Tensor, A: Tensor, *, beta: float, star: bool
) -> Tensor:
    low, eye = averaging(A), torch.eye(len(A), dtype=A.dtype)
    small = torch.eye(H.shape[1], dtype=A.dtype)
    others = layer.initial_weight if star else layer.weight
    channels = []
    for P, W, V in zip((low, eye - low, eye), layer.weight.chunk(3, 1), others.chunk(3, 1), strict=True):
        inner = 0.9 * P @ H @ ((1 - beta) * small + beta * W) + 0.1 * H_0 @ ((1 - beta) * small + beta * V)
        channels.append(torch.relu(inner))
    return mixed(layer.mixing, channels)


def acm_gcnii_model(model: nn.Module, X: Tensor, A: Tensor, star: bool = False) -> Tensor:
    H = H_0 = torch.relu(X @ model.input.weight + model.input.bias)
    for number, layer in enumerate(model.convs, start=1):
        H = torch.relu(acm_gcnii_layer(layer, H, H_0, A, beta=math.log(0.5 / number + 1), star=star))
    return H @ model.output.weight + model.output.bias


def acm_gcnii_projected(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H = X @ layer.linear.weight + layer.linear.bias
    return acm_gcnii_layer(layer.layer, H, H, A, beta=math.log(1.5), star=False)


def plus_model(model: nn.Module, X: Tensor, A: Tensor, order: str, residual: bool) -> Tensor:
    first, second = model.stack.layers
    H = torch.relu(acm_layer(first, X, A, order=order, structure=True))
    if residual:
        H = H + torch.relu(X @ model.embed.weight + model.embed.bias)
    return acm_layer(second, H, A, order=order, structure=True)


LAYERS = {
    "gcn": gcn_layer,
    "acm": acm_layer,
    "acmii": lambda layer, X, A: acm_layer(layer, X, A, order="acmii"),
    "acm-structure": lambda layer, X, A: acm_layer(layer, X, A, structure=True),
    "acm-gcnii": acm_gcnii_projected,
    "fbgnn": fbgnn_layer,
}
MODELS = {
    "gcn": gcn_model,
    "mlp-1": mlp_model,
    "mlp-2": mlp_model,
    "acm-gcn": lambda model, X, A: acm_model(model, X, A, "acm"),
    "acmii-gcn": lambda model, X, A: acm_model(model, X, A, "acmii"),
    "fbgnn": fbgnn_model,
    "acm-sgc-1": lambda model, X, A: acm_sgc_model(model, X, A, 1),
    "acm-sgc-2": lambda model, X, A: acm_sgc_model(model, X, A, 2),
    "acm-snowball": lambda model, X, A: acm_snowball_model(model, X, A, "acm"),
    "acmii-snowball": lambda model, X, A: acm_snowball_model(model, X, A, "acmii"),
    "acm-gcnii": acm_gcnii_model,
    "acm-gcnii-star": lambda model, X, A: acm_gcnii_model(model, X, A, star=True),
    "acm-gcn+": lambda model, X, A: plus_model(model, X, A, "acm", False),
    "acmii-gcn+": lambda model, X, A: plus_model(model, X, A, "acmii", False),
    "acm-gcn++": lambda model, X, A: plus_model(model, X, A, "acm", True),
    "acmii-gcn++": lambda model, X, A: plus_model(model, X, A, "acmii", True),
}
