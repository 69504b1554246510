"""GCNII and GCNII*: graph convolutions as deep as one likes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.gcnii import CHEN, GCN2Conv, Weights
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.linear import Linear


class DeepResidual(nn.Module):
    r"""A linear layer, layers that each see its result :math:`H_0` again, and a linear layer: the frame of GCNII.

    .. math::
        H_0 = \mathrm{ReLU}(X W_{in} + b_{in}), \quad H_l = \mathrm{ReLU}(\mathrm{conv}_l(H_{l-1}, H_0)), \quad
        Y = H_L W_{out} + b_{out}

    with dropout before every layer; :math:`H_0` itself is handed on whole.

    Args:
        conv: Makes layer l (counted from 1), which is called as ``conv(x, edge_index, initial=H_0)``.
        in_channels: Number of features.
        hidden_channels: Width in between.
        out_channels: Number of classes.
        num_layers: L, 1 or more.
        activation: In place of ReLU.
        dropout: Probability of dropout.
    """

    def __init__(
        self,
        conv: Callable[[int], nn.Module],
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        *,
        num_layers: int,
        activation: ActivationLike,
        dropout: float,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        layers = range(1, num_layers + 1)
        self.input = Linear(in_channels, hidden_channels)
        self.convs = nn.ModuleList(conv(l) for l in layers)
        self.output = Linear(hidden_channels, out_channels)
        self.activations = nn.ModuleList(build_activation(activation, hidden_channels) for _ in (0, *layers))
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in (0, *layers, num_layers + 1))

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        first, *drops = self.dropouts
        H = H_0 = self.activations[0](self.input(first(x)))
        for conv, drop, activate in zip(self.convs, drops[:-1], self.activations[1:], strict=True):
            H = activate(conv(drop(H), A, initial=H_0))
        return self.output(drops[-1](H))

    def parameter_groups(self) -> dict[str, list[str]]:
        """The weights of the convolutions as the group ``conv``: the authors decay them more than the linear layers."""
        return {"conv": [f"convs.{name}" for name, _ in self.convs.named_parameters()]}


def gcnii(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 8,
    alpha: float = 0.1,
    theta: float = 0.5,
    weights: Weights = "shared",
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
) -> DeepResidual:
    """GCNII, and GCNII* with separate weights; the authors go up to 64 layers.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of convolutions; a linear map stands before and after them.
        alpha: Share of the first layer in every layer, from 0 to 1.
        theta: How far the weights may be from the identity, 0 or more; λ in the paper.
        weights: ``"shared"`` (GCNII), ``"separate"`` (GCNII*), or ``"separate-unscaled"``, GCNII* of the authors' code.
        filter: The matrix that averages, a name of ``allpass.graph.MATRICES``.
        activation: After the first map and every convolution.
        dropout: Probability of dropout before every layer.
    """
    return DeepResidual(
        lambda layer: GCN2Conv(
            hidden_channels, layer=layer, alpha=alpha, theta=theta, weights=weights, filter=filter
        ),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )


SPACE: Mapping[str, tuple[object, ...]] = {
    "num_layers": (2, 4, 8, 16, 32, 64),
    "alpha": (0.1, 0.2, 0.5),
    "theta": (0.5, 1.0, 1.5),
    "weight_decay": (5e-6, 1e-4, 5e-4, 1e-3),
    "weight_decay:conv": (5e-6, 1e-4, 5e-4, 1e-3, 1e-2),
}
"""The authors' settings: with one weight decay for all on fully labelled splits, with two on Planetoid's."""

TRAINING = {"lr": 0.01, "weight_decay": 5e-4, "weight_decay:conv": 1e-2}

ENTRIES = (
    Model(
        "gcnii",
        gcnii,
        "goes deep: each layer sees the first one again, with weights near the identity",
        CHEN,
        space=SPACE,
        training=TRAINING,
        numbered="num_layers",
    ),
    Model(
        "gcnii-star",
        gcnii,
        "gcnii with separate weights for the first layer's features",
        CHEN,
        preset={"weights": "separate"},
        space=SPACE,
        training=TRAINING,
        numbered="num_layers",
        aliases=("gcnii*",),
    ),
)
