"""MixHop: layers that see several powers of the adjacency side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import GRID, Model
from allpass.models.stack import Norm, build_norm
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.linear import Linear
from allpass.nn.mixhop import MIXHOP, MixHopConv

Output = Literal["weighted-sum", "linear"]


class MixHop(nn.Module):
    r"""MixHop layers in a row; what the powers of the last one say is added up or mapped to classes.

    With ``output="weighted-sum"`` the last layer has C columns for each power, :math:`Z_1, \dots, Z_P`, and the
    logits are :math:`\sum_p q_p Z_p` with :math:`q = \mathrm{softmax}(s)` learned, as the paper writes it. With
    ``output="linear"`` every layer has hidden columns and a linear map follows: the other choice of the authors'
    code, and the one of later benchmarks.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes C.
        hidden_channels: Columns of every power in between, so a layer gives P times as many.
        num_layers: Number of MixHop layers, 1 or more.
        powers: Powers of the adjacency.
        filter: The matrix whose powers are taken.
        activation: Between layers.
        dropout: Probability of dropout before every layer.
        input_dropout: Drop input features too, or hidden ones alone.
        norm: Between layer and activation; the authors' code has ``"batch"``, the paper none.
        output: How the last layer becomes logits.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        powers: Sequence[int] = (0, 1, 2),
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
        activation: ActivationLike = "relu",
        dropout: float = 0.5,
        input_dropout: bool = True,
        norm: Norm = "none",
        output: Output = "weighted-sum",
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        if output not in get_args(Output):
            raise InputError(f"Got the output {output!r}.", f"Expected one of {', '.join(get_args(Output))}.")
        P, summed = len(powers), output == "weighted-sum"
        hidden = [hidden_channels] * (num_layers - 1 if summed else num_layers)
        widths = [in_channels, *(P * width for width in hidden)]
        ends = [*hidden, out_channels] if summed else hidden
        self.layers = nn.ModuleList(
            MixHopConv(i, o, powers=powers, filter=filter) for i, o in zip(widths, ends, strict=False)
        )
        self.norms = nn.ModuleList(build_norm(norm, P * width) for width in hidden)
        self.activations = nn.ModuleList(build_activation(activation, P * width) for width in hidden)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in widths)
        self.input_dropout = input_dropout
        self.shares = nn.Parameter(torch.zeros(P)) if summed else None
        self.linear = None if summed else Linear(widths[-1], out_channels)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        if self.input_dropout:
            x = self.dropouts[0](x)
        for layer, norm, activate, drop in zip(
            self.layers, self.norms, self.activations, self.dropouts[1:], strict=False
        ):
            x = drop(activate(norm(layer(x, A))))
        if self.linear is not None:
            return self.linear(x)
        assert self.shares is not None
        Z = self.layers[-1](x, A).unflatten(1, (len(self.shares), -1))  # [N, P, C]
        return (self.shares.softmax(dim=0).unsqueeze(1) * Z).sum(dim=1)  # sum_p q_p Z_p


ENTRIES = (
    Model(
        "mixhop",
        MixHop,
        "puts several powers of the adjacency side by side",
        MIXHOP,
        space=GRID,
        numbered="num_layers",
    ),
)
