"""GAT, GraphSAGE, FAGCN and jumping knowledge, node by node or on dense matrices, from the papers' equations."""

from __future__ import annotations

import torch
from tests.references.acm import renormalized
from torch import Tensor, nn


def gat_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    """Each head and node on its own: softmax over the neighbours and the node itself."""
    N, F = len(A), layer.out_channels
    heads = []
    for k in range(layer.heads):
        Z = X @ layer.weight[:, k * F : (k + 1) * F]
        a = torch.cat([layer.target[:, k], layer.source[:, k]])  # a^T [z_i || z_j]
        rows = []
        for i in range(N):
            near = [j for j in range(N) if j == i or A[i, j] != 0]
            e = torch.stack([a @ torch.cat([Z[i], Z[j]]) for j in near])
            alpha = torch.softmax(torch.where(e > 0, e, 0.2 * e), 0)
            rows.append(sum(alpha[n] * Z[j] for n, j in enumerate(near)))
        heads.append(torch.stack(rows))
    H = torch.cat(heads, 1) if layer.concat else sum(heads) / len(heads)
    return H + layer.bias


def sage_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    F = layer.out_channels
    means = torch.stack(
        [A[i] @ X / A[i].sum() if A[i].sum() > 0 else torch.zeros_like(X[0]) for i in range(len(A))]
    )
    stacked = torch.cat([layer.weight[:, :F], layer.weight[:, F:]])  # W [h_i || mean_j h_j]
    return torch.cat([X, means], 1) @ stacked + layer.bias


def fa_layer(layer: nn.Module, H: Tensor, X: Tensor, A: Tensor) -> Tensor:
    N, d = len(A), A.sum(1)
    rows = []
    for i in range(N):
        row = layer.eps * X[i]
        for j in range(N):
            if A[i, j] != 0 and d[j] > 0:
                gate = torch.tanh(
                    torch.cat([layer.gate[:, 0], layer.gate[:, 1]]) @ torch.cat([H[i], H[j]]) + layer.bias[0]
                )
                row = row + gate * A[i, j] / torch.sqrt(d[i] * d[j]) * H[j]
        rows.append(row)
    return torch.stack(rows)


def fagcn_layer(layer: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H = X @ layer.linear.weight + layer.linear.bias
    return fa_layer(layer.layer, H, H, A)


def gat_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    return gat_layer(second, nn.functional.elu(gat_layer(first, X, A)), A)


def sage_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    first, second = model.layers
    return sage_layer(second, torch.relu(sage_layer(first, X, A)), A)


def fagcn_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    H = raw = torch.relu(X @ model.first.weight + model.first.bias)
    for layer in model.layers:
        H = fa_layer(layer, H, raw, A)
    return H @ model.last.weight + model.last.bias


def jumping_model(model: nn.Module, X: Tensor, A: Tensor, attention: bool) -> Tensor:
    """The larger of two layers: the first normalised by fresh running statistics and activated, the second plain."""

    def convolve(layer: nn.Module, H: Tensor) -> Tensor:
        return gat_layer(layer, H, A) if attention else renormalized(A) @ H @ layer.weight + layer.bias

    (first, second), norm = model.layers, model.norms[0]
    H = convolve(first, X) / (1 + 1e-5) ** 0.5 * norm.weight + norm.bias
    H = nn.functional.elu(H) if attention else torch.relu(H)
    larger = torch.maximum(H, convolve(second, H))
    return larger @ model.last.weight + model.last.bias


LAYERS = {"gat": gat_layer, "sage": sage_layer, "fagcn": fagcn_layer}
MODELS = {
    "gat": gat_model,
    "sage": sage_model,
    "fagcn": fagcn_model,
    "gcn-jk": lambda model, X, A: jumping_model(model, X, A, attention=False),
    "gat-jk": lambda model, X, A: jumping_model(model, X, A, attention=True),
}
