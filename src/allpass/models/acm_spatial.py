"""Adaptive channel mixing around spatial layers: GraphSAGE, GAT and FAGCN."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from allpass.models.entry import GRID, Model
from allpass.models.stack import Stack
from allpass.nn.acm import REVISITING
from allpass.nn.activations import ActivationLike
from allpass.nn.fagcn import FAConv
from allpass.nn.gat import GATConv
from allpass.nn.projected import Projected
from allpass.nn.sage import SAGEConv
from allpass.nn.spatial import ACM


def _stack(
    conv: Callable[[int, int], nn.Module],
    in_channels: int,
    hidden_channels: int,
    out_channels: int,
    num_layers: int,
    activation: ActivationLike,
    dropout: float,
) -> Stack:
    return Stack(
        lambda i, o: ACM(conv(i, o), in_channels=i, out_channels=o, activation=activation),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )


def acm_sage(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
) -> Stack:
    """GraphSAGE's layer as the aggregation of ACM.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        activation: In place of ReLU, inside the layers and between them.
        dropout: Probability of dropout before every layer.
    """
    return _stack(SAGEConv, in_channels, hidden_channels, out_channels, num_layers, activation, dropout)


def acm_gat(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    heads: int = 8,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
) -> Stack:
    """GAT's layer as the aggregation of ACM; heads are averaged, so that the widths are the channels' own.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        heads: Number of attention heads.
        activation: In place of ReLU, inside the layers and between them.
        dropout: Probability of dropout before every layer.
    """

    def conv(i: int, o: int) -> GATConv:
        return GATConv(i, o, heads=heads, concat=False, dropout=dropout)

    return _stack(conv, in_channels, hidden_channels, out_channels, num_layers, activation, dropout)


def acm_fagcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    eps: float = 0.3,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
) -> Stack:
    """FAGCN's gated layer as the aggregation of ACM.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        eps: Share of the features that every layer of FAGCN keeps.
        activation: In place of ReLU, inside the layers and between them.
        dropout: Probability of dropout before every layer.
    """

    def conv(i: int, o: int) -> Projected:
        return Projected(i, o, FAConv(o, eps=eps, dropout=dropout))

    return _stack(conv, in_channels, hidden_channels, out_channels, num_layers, activation, dropout)


ENTRIES = (
    Model(
        "acm-sage", acm_sage, "mixes channels around GraphSAGE's mean of neighbours", REVISITING, space=GRID
    ),
    Model(
        "acm-gat",
        acm_gat,
        "mixes channels around GAT's attention",
        REVISITING,
        preset={"hidden_channels": 8},
        space=GRID,
        traits=frozenset({"ignores-weights"}),
    ),
    Model("acm-fagcn", acm_fagcn, "mixes channels around FAGCN's signed gates", REVISITING, space=GRID),
)
