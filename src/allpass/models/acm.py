"""Networks with adaptive channel mixing: ACM-GCN, ACMII-GCN and their relatives with a structure channel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import GRID, Model
from allpass.models.stack import LayerBuilder, Stack
from allpass.nn.acm import REVISITING, ACMConv, Channel, Order
from allpass.nn.activations import ActivationLike
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, Known, knowing
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.linear import Linear

LATER: dict[str, object] = {"init": "fan-out-uniform"}
MIXED: dict[str, object] = {"scale": None, "temperature": None}
"""Settings that came after runs of these models were stored."""

THREE: tuple[Channel, ...] = ("low", "high", "identity")


def acm_gcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    order: Order = "filter-first",
    channels: Sequence[Channel] = THREE,
    low: Filter = "A_hat_rw",
    activation: ActivationLike = "relu",
    outer_activation: bool = False,
    dropout: float = 0.5,
    mixing: bool = True,
    scale: float | None = None,
    temperature: float | None = None,
    layer_norm: bool = False,
    init: Init = "fan-out-uniform",
    graph: Known | None = None,
) -> Stack:
    """ACM layers in a row: dropout on the features, layer, dropout, layer.

    The authors' code rectifies once more between the layers (``outer_activation``), which step 3 of the report does
    not. That changes nothing for ACM, whose channels are not negative; for ACMII it does. The logits of ACM are not
    negative either: the last layer rectifies too.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        channels: Which channels there are; the paper's ablation leaves some out.
        low: The low-pass filter; the high-pass one is I minus it.
        activation: In place of ReLU, inside the layers.
        outer_activation: Apply the activation to the mixture between the layers too, as the authors' code does.
        dropout: Probability of dropout before every layer.
        mixing: Mix with learned weights, or (False) add the channels.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
        layer_norm: Normalise the channels before their scores.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.
    """
    if "structure" in channels:
        raise InputError("Got a structure channel for 'acm-gcn'.", "Create 'acm-gcn+', which has it.")
    layer = partial(
        ACMConv,
        low=low,
        order=order,
        channels=channels,
        activation=activation,
        mixing=mixing,
        scale=scale,
        temperature=temperature,
        layer_norm=layer_norm,
        init=knowing(init, graph, low),
    )
    return Stack(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation if outer_activation else "identity",
        dropout=dropout,
    )


def acm_gcn_plus(
    in_channels: int,
    out_channels: int,
    *,
    num_nodes: int,
    hidden_channels: int = 64,
    num_layers: int = 2,
    order: Order = "filter-first",
    structure: bool = True,
    layer_norm: bool = True,
    residual: bool = False,
    low: Filter = "A_hat_rw",
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
    init: Init = "fan-out-uniform",
    graph: Known | None = None,
) -> ACMPlus:
    r"""ACM-GCN+ (a structure channel, normalised scores) and, with ``residual``, ACM-GCN++.

    The paper treats ``structure`` as a setting to search ("with A"). It normalises channels before their scores; the
    released code of the small graphs never reaches that step (``layer_norm=False``), that of the large ones does.
    Where the structure channel is on, the released code does not normalise the features: use them as they are.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        num_nodes: Number of nodes of the graph.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers; the output layer counts.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        structure: Have the structure channel.
        layer_norm: Normalise the channels before their scores.
        residual: Add a map of the features to every hidden layer (ACM-GCN++).
        low: The low-pass filter; the high-pass one is I minus it.
        activation: In place of ReLU, inside the layers and between them.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture. By default 1 with the structure channel and the number of channels without, as in
            the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.
    """
    channels: tuple[Channel, ...] = ("low", "high", "identity", "structure") if structure else THREE
    layer = partial(
        ACMConv,
        low=low,
        order=order,
        channels=channels,
        activation=activation,
        scale=scale,
        temperature=temperature,
        layer_norm=layer_norm,
        num_nodes=num_nodes,
        init=knowing(init, graph, low),
    )
    return ACMPlus(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        residual=residual,
    )


class ACMPlus(nn.Module):
    r"""ACM layers in a row, with or without the residual of ACM-GCN++.

    .. math::
        X' = \mathrm{dropout}(X), \quad R = \mathrm{dropout}(\mathrm{ReLU}(X' W_X + b)), \quad
        H_{l} = \mathrm{dropout}(\mathrm{ReLU}(\mathrm{ACM}_l(H_{l-1}))) + R

    The released code adds R to the input of the second layer, the paper says after every layer; in the networks of
    two layers that both have, these are the same. Here every hidden layer gets it.

    Args:
        layer: Makes a layer from a width to a width.
        in_channels: Number of features.
        hidden_channels: Width in between.
        out_channels: Number of classes.
        num_layers: Number of layers, 1 or more.
        activation: Between the layers.
        dropout: Probability of dropout.
        residual: Add R.
    """

    def __init__(
        self,
        layer: LayerBuilder,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        *,
        num_layers: int,
        activation: ActivationLike,
        dropout: float,
        residual: bool,
    ) -> None:
        super().__init__()
        self.stack = Stack(
            layer,
            in_channels,
            hidden_channels,
            out_channels,
            num_layers=num_layers,
            activation=activation,
            dropout=dropout,
        )
        self.embed = Linear(in_channels, hidden_channels) if residual else None
        self.embed_dropout = Dropout(dropout)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        if self.embed is None:
            return cast(Tensor, self.stack(x, A))
        *inner, last = self.stack.layers
        first, *drops = self.stack.dropouts
        H = first(x)
        R = self.embed_dropout(self.embed(H).relu())
        for layer, activate, drop in zip(inner, self.stack.activations, drops, strict=True):
            H = drop(activate(layer(H, A))) + R
        return cast(Tensor, last(H, A))


def _plus(name: str, summary: str, **preset: object) -> Model:
    space = {**GRID, "lr": (0.002, 0.01, 0.05, 0.1), "structure": (True, False)}
    return Model(
        name,
        acm_gcn_plus,
        summary,
        REVISITING,
        preset=preset,
        space=space,
        traits=frozenset({"fixed-nodes"}),
        added={**LATER, **MIXED},
    )


ENTRIES = (
    Model(
        "acm-gcn",
        acm_gcn,
        "mixes low-pass, high-pass and identity channels node by node",
        REVISITING,
        space=GRID,
        added={"outer_activation": False, **LATER},  # with ReLU, both are the same
        aliases=("acm",),
    ),
    Model(
        "acmii-gcn",
        acm_gcn,
        "acm-gcn with the nonlinearity before the filter",
        REVISITING,
        preset={"order": "activation-first"},
        space=GRID,
        added={"outer_activation": True, **LATER},
        aliases=("acmii",),
    ),
    _plus("acm-gcn+", "acm-gcn with a channel that embeds the adjacency"),
    _plus("acmii-gcn+", "acmii-gcn with a channel that embeds the adjacency", order="activation-first"),
    _plus("acm-gcn++", "acm-gcn+ with a residual from the features", residual=True),
    _plus(
        "acmii-gcn++", "acmii-gcn+ with a residual from the features", residual=True, order="activation-first"
    ),
)
