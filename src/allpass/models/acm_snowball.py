"""Snowball networks whose layers mix channels."""

from __future__ import annotations

from functools import partial
from typing import cast

from torch import Tensor, nn

from allpass.models.acm import LATER, MIXED
from allpass.models.entry import GRID, Model
from allpass.models.snowball import snowball_widths
from allpass.nn.acm import REVISITING, ACMConv, Order
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, Known, knowing
from allpass.nn.inputs import Features, Filter, Graph, read


class ACMSnowball(nn.Module):
    r"""ACM-Snowball-n and ACMII-Snowball-n (`Luan et al., NeurIPS 2022 <https://arxiv.org/abs/2210.07606>`_).

    .. math::
        H_{k} = \mathrm{dropout}(\mathrm{ACM}_k([X', H_1, \dots, H_{k-1}]))

    with :math:`X' = \mathrm{dropout}(X)`; the output is a last such layer on the whole concatenation.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of every hidden layer.
        num_layers: Number of layers; the output layer counts, as the paper's Snowball-2 and -3 do.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        low: The low-pass filter.
        activation: In place of ReLU, inside the layers.
        outer_activation: Apply the activation to every hidden mixture too, as the authors' code does and step 3 of the
            report does not. It changes ACMII alone.
        dropout: Probability of dropout.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        order: Order = "filter-first",
        low: Filter = "A_hat_rw",
        activation: ActivationLike = "relu",
        outer_activation: bool = False,
        dropout: float = 0.5,
        scale: float | None = None,
        temperature: float | None = None,
        init: Init = "fan-out-uniform",
        graph: Known | None = None,
    ) -> None:
        super().__init__()
        *inner, last = snowball_widths(in_channels, hidden_channels, num_layers)
        layer = partial(
            ACMConv,
            low=low,
            order=order,
            activation=activation,
            scale=scale,
            temperature=temperature,
            init=knowing(init, graph, low),
        )
        self.layers = nn.ModuleList(
            layer(width, out)
            for width, out in (*((width, hidden_channels) for width in inner), (last, out_channels))
        )
        outer = activation if outer_activation else "identity"
        self.activations = nn.ModuleList(build_activation(outer, hidden_channels) for _ in inner)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in self.layers)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        first, *drops = self.dropouts
        parts: list[Features] = [first(x)]
        for layer, activate, drop in zip(self.layers, self.activations, drops, strict=False):
            parts.append(drop(activate(layer(parts, A))))
        return cast(Tensor, self.layers[-1](parts, A))


ENTRIES = (
    Model(
        "acm-snowball",
        ACMSnowball,
        "snowball with three channels mixed in every layer",
        REVISITING,
        space=GRID,
        added={"outer_activation": False, **LATER, **MIXED},
        numbered="num_layers",
    ),
    Model(
        "acmii-snowball",
        ACMSnowball,
        "acm-snowball with the nonlinearity before the filter",
        REVISITING,
        preset={"order": "activation-first"},
        space=GRID,
        added={"outer_activation": True, **LATER, **MIXED},
        numbered="num_layers",
    ),
)
