"""ACM around spatial layers on dense matrices: aggregation is the layer, diversification I minus it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from tests.references import attention
from tests.references.acm import mixed
from torch import Tensor, nn

Aggregate = Callable[[nn.Module, Tensor, Tensor], Tensor]
Carry = Callable[[nn.Module, Tensor], Tensor]


def spatial_layer(layer: nn.Module, X: Tensor, A: Tensor, aggregate: Aggregate) -> Tensor:
    """With a second weight in the high-pass channel."""
    W_high, W_id = layer.weight.chunk(2, dim=1)
    H = [aggregate(layer.low, X, A), X @ W_high - aggregate(layer.high, X, A), X @ W_id]
    return mixed(layer.mixing, [torch.relu(part) for part in H])


def tied_layer(layer: nn.Module, X: Tensor, A: Tensor, aggregate: Aggregate, carry: Carry) -> Tensor:
    """With the weight of the aggregation: (I - Â) H W_H."""
    high = carry(layer.high, X) - aggregate(layer.high, X, A)
    H = [aggregate(layer.low, X, A), high, X @ layer.weight]
    return mixed(layer.mixing, [torch.relu(part) for part in H])


def mean_of_heads(layer: nn.Module, X: Tensor) -> Tensor:
    return sum((X @ W for W in layer.weight.chunk(layer.heads, dim=1)), torch.zeros(1)) / layer.heads


def projected(layer: nn.Module, X: Tensor) -> Tensor:
    return X @ layer.linear.weight + layer.linear.bias


def sage_model(model: nn.Module, X: Tensor, A: Tensor) -> Tensor:
    for layer in model.layers:
        X = spatial_layer(layer, X, A, attention.sage_layer)
    return X


def tied_model(model: nn.Module, X: Tensor, A: Tensor, aggregate: Aggregate, carry: Carry) -> Tensor:
    for layer in model.layers:
        X = tied_layer(layer, X, A, aggregate, carry)
    return X


LAYERS = {
    "acm-spatial": lambda layer, X, A: spatial_layer(layer, X, A, attention.sage_layer),
}
MODELS = {
    "acm-sage": sage_model,
    "acm-gat": lambda model, X, A: tied_model(model, X, A, attention.gat_layer, mean_of_heads),
    "acm-fagcn": lambda model, X, A: tied_model(model, X, A, attention.fagcn_layer, projected),
}
