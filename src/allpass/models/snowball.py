"""Snowball networks: every layer reads the features and all layers before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.entry import Model
from allpass.nn.activations import BREAK, ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, Known, knowing
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.snowball import SnowballConv

SPACE: Mapping[str, tuple[object, ...]] = {
    "lr": (1e-5, 1e-4, 1e-3, 5e-3),
    "weight_decay": (1e-5, 1e-4, 1e-3, 1e-2),
    "dropout": (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99),
    "hidden_channels": (64, 128, 256, 512, 1024, 2048, 4096),
    "num_layers": (2, 3, 4, 5, 6, 8, 11, 16),
}
"""Values from the ranges that the paper searched by Bayesian optimisation."""


class Readout(nn.Module):
    r"""The last layers of the snowball and the truncated Krylov network, on what the hidden layers leave.

    .. math::
        C = g(H W_n + b_n), \qquad Y = \hat A^p C W_C + b_C

    Args:
        in_channels: Columns of H, all its parts together; :math:`W_n` is square.
        out_channels: Columns of Y.
        head: The activation g by name, or nothing for C = H.
        aggregate: p = 1, or p = 0.
        filter: The matrix :math:`\hat A`.
        bias: Add the b.
        init: Initialisation of the weights.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        head: ActivationLike | None,
        aggregate: bool,
        filter: Filter,  # noqa: A002 - the word of the formula
        bias: bool,
        init: Init,
    ) -> None:
        super().__init__()
        self.head = (
            None
            if head is None
            else SnowballConv(in_channels, in_channels, aggregate=False, bias=bias, init=init)
        )
        self.activation = None if head is None else build_activation(head, in_channels)
        self.output = SnowballConv(
            in_channels, out_channels, filter=filter, aggregate=aggregate, bias=bias, init=init
        )

    def forward(self, parts: Sequence[Features], A: Operator) -> Tensor:
        if self.head is None or self.activation is None:
            return cast(Tensor, self.output(parts, A))
        return cast(Tensor, self.output(self.activation(self.head(parts, A)), A))


class Snowball(nn.Module):
    r"""The snowball network (`Luan et al., NeurIPS 2019 <https://arxiv.org/abs/1906.02174>`_).

    .. math::
        H_{l+1} = f(\hat A [X, H_1, \dots, H_l] W_l + b_l), \qquad Y = \hat A^p [X, H_1, \dots, H_n] W_C + b_C

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of every hidden layer.
        num_layers: n + 1: the output layer counts, as in Snowball-2 and Snowball-3 of the ACM paper. The tables of
            the snowball paper give n.
        activation: f, a name of ``ACTIVATIONS``, a module or a function: tanh keeps the rank of deep features; the
            identity gives the linear snowball.
        filter: :math:`\hat A`; the code has ``"A_hat_rw"``, the paper writes ``"A_hat_sym"``.
        dropout: Probability of dropout after every hidden activation.
        input_dropout: Drop features too. The snowball code does not; the ACM paper's setting does, with ReLU.
        head: An activation g for a further layer :math:`C = g([X, H_1, \dots, H_n] W_n + b_n)` before the output, as
            wide as what it reads and without aggregation. The paper has it; the code's first release has it for
            "linear + tanh snowball" (f the identity, g tanh) alone; the later one has none, the default here.
        aggregate_output: p = 1, as in the code; the paper leaves p open.
        bias: Add the b.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Example:
        >>> [layer.in_channels for layer in Snowball(10, 2, hidden_channels=4, num_layers=4).layers]
        [10, 14, 18]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        activation: ActivationLike = "tanh",
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        dropout: float = 0.5,
        input_dropout: bool = False,
        head: ActivationLike | None = None,
        aggregate_output: bool = True,
        bias: bool = True,
        init: Init = "fan-out-uniform",
        graph: Known | None = None,
    ) -> None:
        super().__init__()
        init = knowing(init, graph, filter)
        *inner, last = snowball_widths(in_channels, hidden_channels, num_layers)
        self.layers = nn.ModuleList(
            SnowballConv(width, hidden_channels, filter=filter, bias=bias, init=init) for width in inner
        )
        self.activations = nn.ModuleList(build_activation(activation, hidden_channels) for _ in inner)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in inner)
        self.input_dropout = Dropout(dropout) if input_dropout else nn.Identity()
        self.readout = Readout(
            last, out_channels, head=head, aggregate=aggregate_output, filter=filter, bias=bias, init=init
        )

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        parts: list[Features] = [self.input_dropout(x)]
        for layer, activate, drop in zip(self.layers, self.activations, self.dropouts, strict=True):
            parts.append(drop(activate(layer(parts, A))))
        return cast(Tensor, self.readout(parts, A))


def snowball_widths(in_channels: int, hidden_channels: int, num_layers: int) -> list[int]:
    """What every layer of a snowball reads: F_0, F_0 + F_1, and so on.

    Example:
        >>> snowball_widths(10, 4, 3)
        [10, 14, 18]
    """
    if num_layers < 1:
        raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more; the output layer counts.")
    return [in_channels + number * hidden_channels for number in range(num_layers)]


ENTRIES = (
    Model(
        "snowball",
        Snowball,
        "feeds the features and all earlier layers into each next one",
        BREAK,
        space=SPACE,
        training={"lr": 5e-3, "weight_decay": 1e-3},
        numbered="num_layers",
    ),
    Model(
        "linear-snowball",
        Snowball,
        "snowball without activations",
        BREAK,
        preset={"activation": "identity"},
        space=SPACE,
        training={"lr": 5e-3, "weight_decay": 1e-3},
        numbered="num_layers",
    ),
)
