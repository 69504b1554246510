"""Graph attention networks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat

from allpass.models.entry import GRID, Model
from allpass.models.stack import LayerBuilder, Norm, Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.gat import VELICKOVIC, GATConv


def gat(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 8,
    heads: int = 8,
    out_heads: int = 1,
    num_layers: int = 2,
    activation: ActivationLike = "elu",
    dropout: float = 0.6,
    attention_dropout: float | None = None,
    negative_slope: float = 0.2,
    self_loops: bool = True,
    norm: Norm = "none",
    residual: bool = False,
) -> Stack:
    """Attention layers in a row.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of each head in between; the heads stand side by side.
        heads: Heads of the inner layers.
        out_heads: Heads of the last layer, which are averaged: 1 as published for Cora, 8 for PubMed.
        num_layers: Number of layers.
        activation: Between layers.
        dropout: Probability of dropout before every layer.
        attention_dropout: Probability of dropout of attention coefficients; by default as ``dropout``.
        negative_slope: Slope of LeakyReLU in the scores.
        self_loops: Each node attends to itself.
        norm: Between layer and activation.
        residual: Add to the output of every inner layer its input, where the widths agree.
    """
    layer = partial(
        GATConv,
        negative_slope=negative_slope,
        self_loops=self_loops,
        dropout=dropout if attention_dropout is None else attention_dropout,
    )

    def inner(width: int, total: int) -> GATConv:
        return layer(width, total // heads, heads=heads)

    last: LayerBuilder = partial(layer, heads=out_heads, concat=False)
    builders: Iterator[LayerBuilder] = chain(repeat(inner, num_layers - 1), [last])
    return Stack(
        lambda i, o: next(builders)(i, o),
        in_channels,
        heads * hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        norm=norm,
        residual=residual,
    )


ENTRIES = (
    Model(
        "gat",
        gat,
        "weighs neighbours by learned attention",
        VELICKOVIC,
        space=GRID,
        training={"lr": 0.005, "weight_decay": 5e-4},
        traits=frozenset({"ignores-weights"}),
        numbered="num_layers",
    ),
)
