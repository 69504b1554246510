"""Layers in a row, with dropout, activation, normalisation and residuals between them: the frame of most models."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Literal, TypeAlias, cast

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Graph, read

Norm: TypeAlias = Literal["none", "layer", "batch", "pair"]
LayerBuilder: TypeAlias = Callable[[int, int], nn.Module]


class Stack(nn.Module):
    r"""Dropout, layer, norm, activation, and so on; the last layer gives the result as it is.

    Args:
        layer: Makes the layer from a width to a width.
        in_channels: Number of features.
        hidden_channels: Width in between.
        out_channels: Width of the result.
        num_layers: Number of layers, 1 or more.
        activation: Between layers, a name of ``ACTIVATIONS``, a module or a function.
        dropout: Probability of dropout before every layer.
        input_dropout: Drop input features too, or hidden ones alone.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"`` (PairNorm: centred, then
            scaled to rows of mean square length 1).
        residual: Add to the output of every inner layer its input, where the widths agree.
        last: Makes the last layer, where it is another one.
    """

    def __init__(
        self,
        layer: LayerBuilder,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        *,
        num_layers: int,
        activation: ActivationLike = "relu",
        dropout: float = 0.5,
        input_dropout: bool = True,
        norm: Norm = "none",
        residual: bool = False,
        last: LayerBuilder | None = None,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        inner = widths[1:-1]
        builders = [layer] * (num_layers - 1) + [last or layer]
        self.layers = nn.ModuleList(
            build(i, o) for build, (i, o) in zip(builders, pairwise(widths), strict=True)
        )
        self.activations = nn.ModuleList(build_activation(activation, width) for width in inner)
        self.norms = nn.ModuleList(build_norm(norm, width) for width in inner)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in widths[:-1])
        self.input_dropout = input_dropout
        self.residual = residual

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        first, *drops = self.dropouts  # a slice would build a new module
        if self.input_dropout:
            x = first(x)
        for layer, norm, activate, drop in zip(
            self.layers, self.norms, self.activations, drops, strict=False
        ):
            h = activate(norm(layer(x, A)))
            if self.residual and h.shape == x.shape:
                h = h + (x if isinstance(x, Tensor) else x.to_dense())  # sparse features as wide as the layer
            x = drop(h)
        return cast(Tensor, self.layers[-1](x, A))


class PairNorm(nn.Module):
    """Rows centred on their mean, then scaled together to mean square length 1 (Zhao and Akoglu, ICLR 2020)."""

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=0)
        return centred * torch.rsqrt(centred.pow(2).sum(dim=1).mean() + 1e-6)


_NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda _: nn.Identity(),
    "layer": nn.LayerNorm,
    "batch": nn.BatchNorm1d,
    "pair": lambda _: PairNorm(),
}


def build_norm(name: str, width: int) -> nn.Module:
    """A normalisation by name."""
    if name not in _NORMS:
        raise InputError(f"Got the norm {name!r}.", f"Expected one of {', '.join(_NORMS)}.")
    return _NORMS[name](width)
