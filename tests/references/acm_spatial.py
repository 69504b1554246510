"""ACM around spatial layers on dense matrices: aggregation is the layer, diversification I minus it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from tests.references import attention
from tests.references.acm import mixed
from torch import Tensor, nn

Aggregate = Callable[[nn.Module, Tensor, Tensor], Tensor]


def spatial_layer(layer: nn.Module, X: Tensor, A: Tensor, aggregate: Aggregate) -> Tensor:
    W_high, W_id = layer.weight.chunk(2, dim=1)
    H = [aggregate(layer.low, X, A), X @ W_high - aggregate(layer.high, X, A), X @ W_id]
    return mixed(layer.mixing, [torch.relu(part) for part in H])


def spatial_model(model: nn.Module, X: Tensor, A: Tensor, aggregate: Aggregate) -> Tensor:
    first, second = model.layers
    return spatial_layer(second, torch.relu(spatial_layer(first, X, A, aggregate)), A, aggregate)


LAYERS = {
    "acm-spatial": lambda layer, X, A: spatial_layer(layer, X, A, attention.sage_layer),
}
MODELS = {
    "acm-sage": lambda model, X, A: spatial_model(model, X, A, attention.sage_layer),
    "acm-gat": lambda model, X, A: spatial_model(model, X, A, attention.gat_layer),
    "acm-fagcn": lambda model, X, A: spatial_model(model, X, A, attention.fagcn_layer),
}
