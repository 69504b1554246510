"""GCN of any depth, with any activation, initialisation, norm and residual."""

from __future__ import annotations

from functools import partial

from torch import Tensor

from allpass.graph.operator import Operator
from allpass.models.entry import GRID, Model
from allpass.models.stack import Norm, Stack
from allpass.nn.gcn import GCNConv
from allpass.nn.initialisation import initialise_
from allpass.nn.inputs import Filter

KIPF = "Kipf and Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"


def gcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    activation: str = "relu",
    dropout: float = 0.5,
    input_dropout: bool = True,
    bias: bool = True,
    init: str = "glorot",
    alpha: float = 0.5,
    norm: Norm = "none",
    residual: bool = False,
    graph: Operator | Tensor | None = None,
) -> Stack:
    """Graph convolutions in a row; ``graph`` (or the degrees) is for initialisations that know the degrees."""
    layer = partial(
        GCNConv, filter=filter, bias=bias, init=partial(initialise_, init=init, graph=graph, alpha=alpha)
    )
    return Stack(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        input_dropout=input_dropout,
        norm=norm,
        residual=residual,
    )


ENTRIES = (
    Model("gcn", gcn, "averages neighbours: a low-pass filter", KIPF, space=GRID, numbered="num_layers"),
)
