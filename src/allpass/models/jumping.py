"""GCN and GAT with jumping knowledge, as the benchmarks of non-homophilous graphs have them."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.models.stack import LayerBuilder, Norm, build_norm
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.gat import GATConv
from allpass.nn.gcn import GCNConv
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.jumping import JumpingKnowledge, Mode
from allpass.nn.linear import Linear

XU = "Xu et al.: Representation Learning on Graphs with Jumping Knowledge Networks, ICML 2018"


class JumpingNetwork(nn.Module):
    r"""Layers in a row, all of which the last linear map sees.

    .. math::
        H_l = \sigma(\mathrm{norm}(\mathrm{layer}_l(H_{l-1}))), \qquad Y = \mathrm{JK}(H_1, \dots, H_L) W + b

    Args:
        layer: Makes the layer from a width to a width.
        in_channels: Number of features.
        width: Width of every layer.
        out_channels: Number of classes.
        num_layers: L, 1 or more.
        mode: How layers are joined: ``"max"``, ``"cat"`` or ``"lstm"``.
        activation: After each layer.
        dropout: Probability of dropout between layers; input features are not dropped.
        norm: Between layer and activation.
        activate_last: Norm and activation after the last layer too, as the paper has it. Lim et al. join its plain
            result, which is the default.

    Notes:
        The LSTM is half as wide as the layers, in each direction, as in the code of Lim et al.
    """

    def __init__(
        self,
        layer: LayerBuilder,
        in_channels: int,
        width: int,
        out_channels: int,
        *,
        num_layers: int,
        mode: Mode,
        activation: ActivationLike,
        dropout: float,
        norm: Norm,
        activate_last: bool,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        active = num_layers if activate_last else num_layers - 1
        plain = [nn.Identity()] * (num_layers - active)
        self.layers = nn.ModuleList(layer(i, o) for i, o in pairwise([in_channels, *[width] * num_layers]))
        self.norms = nn.ModuleList([*(build_norm(norm, width) for _ in range(active)), *plain])
        self.activations = nn.ModuleList(
            [*(build_activation(activation, width) for _ in range(active)), *plain]
        )
        self.dropouts = nn.ModuleList([*(Dropout(dropout) for _ in range(num_layers - 1)), nn.Identity()])
        self.jump = JumpingKnowledge(mode, width, num_layers, lstm_channels=max(width // 2, 1))
        self.last = Linear(width * num_layers if mode == "cat" else width, out_channels)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        kept = []
        for layer, norm, activate, drop in zip(
            self.layers, self.norms, self.activations, self.dropouts, strict=True
        ):
            H = activate(norm(layer(x, A)))
            kept.append(H)
            x = drop(H)
        return cast(Tensor, self.last(self.jump(kept)))


def gcn_jk(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 32,
    num_layers: int = 2,
    mode: Mode = "max",
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    norm: Norm = "batch",
    activate_last: bool = False,
) -> JumpingNetwork:
    """Graph convolutions with jumping knowledge; the defaults are those of Lim et al.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of every layer.
        num_layers: Number of layers.
        mode: How layers are joined: ``"max"``, ``"cat"`` or ``"lstm"``.
        activation: After each layer.
        dropout: Probability of dropout between layers; input features are not dropped.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
        activate_last: Norm and activation after the last layer too, as the paper has it.
    """
    return JumpingNetwork(
        GCNConv,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        mode=mode,
        activation=activation,
        dropout=dropout,
        norm=norm,
        activate_last=activate_last,
    )


def gat_jk(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 8,
    heads: int = 8,
    num_layers: int = 2,
    mode: Mode = "max",
    activation: ActivationLike = "elu",
    dropout: float = 0.5,
    attention_dropout: float = 0.0,
    norm: Norm = "batch",
    activate_last: bool = False,
) -> JumpingNetwork:
    """Attention layers with jumping knowledge, as in Lim et al.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of each head; the heads stand side by side.
        heads: Heads of every layer.
        num_layers: Number of layers.
        mode: How layers are joined: ``"max"``, ``"cat"`` or ``"lstm"``.
        activation: After each layer.
        dropout: Probability of dropout between layers; input features are not dropped.
        attention_dropout: Probability of dropout of attention coefficients.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
        activate_last: Norm and activation after the last layer too, as the paper has it.
    """

    def layer(width: int, total: int) -> GATConv:
        return GATConv(width, total // heads, heads=heads, dropout=attention_dropout)

    return JumpingNetwork(
        layer,
        in_channels,
        heads * hidden_channels,
        out_channels,
        num_layers=num_layers,
        mode=mode,
        activation=activation,
        dropout=dropout,
        norm=norm,
        activate_last=activate_last,
    )


_SPACE: dict[str, tuple[object, ...]] = {
    "lr": (0.1, 0.01, 0.001),
    "hidden_channels": (4, 8, 16, 32, 64),
    "mode": ("max", "cat"),
}
_TRAINING = {"lr": 0.01, "weight_decay": 1e-3}

ENTRIES = (
    Model(
        "gcn-jk",
        gcn_jk,
        "gcn whose output sees every layer",
        XU,
        space=_SPACE,
        training=_TRAINING,
        numbered="num_layers",
        aliases=("gcn+jk",),
    ),
    Model(
        "gat-jk",
        gat_jk,
        "gat whose output sees every layer",
        XU,
        space={**_SPACE, "hidden_channels": (4, 8, 12, 32), "heads": (2, 4, 8)},
        training=_TRAINING,
        traits=frozenset({"ignores-weights"}),
        numbered="num_layers",
        aliases=("gat+jk",),
    ),
)
