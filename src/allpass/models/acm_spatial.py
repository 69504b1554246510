"""Adaptive channel mixing around spatial layers: GraphSAGE, GAT and FAGCN."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import nn

from allpass.models.acm import MIXED
from allpass.models.entry import GRID, Model
from allpass.models.stack import Stack
from allpass.nn.acm import REVISITING, Order
from allpass.nn.activations import ActivationLike
from allpass.nn.fagcn import FAConv
from allpass.nn.gat import GATConv
from allpass.nn.projected import Projected
from allpass.nn.sage import SAGEConv
from allpass.nn.spatial import ACM


def acm_sage(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
) -> Stack:
    """GraphSAGE's layer as the aggregation of ACM.

    GraphSAGE has a weight for the node and one for its neighbours, so the high-pass channel has a further weight that
    carries the node's own features.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        activation: In place of ReLU, inside the layers.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
    """
    mixed = partial(ACM, activation=activation, scale=scale, temperature=temperature)
    return Stack(
        lambda i, o: mixed(SAGEConv(i, o)),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation="identity",
        dropout=dropout,
    )


def acm_gat(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    heads: int = 8,
    order: Order = "filter-first",
    tied: bool = True,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
) -> Stack:
    """GAT's layer as the aggregation of ACM; heads are averaged, so that the widths are the channels' own.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        heads: Number of attention heads.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        tied: One weight in the high-pass channel, as the report has it; False adds a second, as the authors' code does.
        activation: In place of ReLU, inside the layers.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
    """
    mixed = partial(ACM, order=order, tied=tied, activation=activation, scale=scale, temperature=temperature)
    conv: Callable[[int, int], nn.Module] = partial(GATConv, heads=heads, concat=False, dropout=dropout)
    return Stack(
        lambda i, o: mixed(conv(i, o)),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation="identity",
        dropout=dropout,
    )


def acm_fagcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    eps: float = 0.3,
    order: Order = "filter-first",
    tied: bool = True,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
) -> Stack:
    """FAGCN's gated layer as the aggregation of ACM.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        eps: Share of the features that every layer of FAGCN keeps.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        tied: One weight in the high-pass channel, as the report has it; False adds a second, as the authors' code does.
        activation: In place of ReLU, inside the layers.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
    """
    mixed = partial(ACM, order=order, tied=tied, activation=activation, scale=scale, temperature=temperature)

    def layer(i: int, o: int) -> ACM:
        return mixed(Projected(i, o, FAConv(o, eps=eps, dropout=dropout)), in_channels=i, out_channels=o)

    return Stack(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation="identity",
        dropout=dropout,
    )


_OF_ONE_MAP = {**MIXED, "order": "filter-first", "tied": False}

ENTRIES = (
    Model(
        "acm-sage",
        acm_sage,
        "mixes channels around GraphSAGE's mean of neighbours",
        REVISITING,
        space=GRID,
        added=MIXED,
    ),
    Model(
        "acm-gat",
        acm_gat,
        "mixes channels around GAT's attention",
        REVISITING,
        preset={"hidden_channels": 8},
        space=GRID,
        added=_OF_ONE_MAP,
        traits=frozenset({"ignores-weights"}),
    ),
    Model(
        "acm-fagcn",
        acm_fagcn,
        "mixes channels around FAGCN's signed gates",
        REVISITING,
        space=GRID,
        added=_OF_ONE_MAP,
    ),
)
