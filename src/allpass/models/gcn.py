"""GCN of any depth, with any activation, initialisation, norm and residual."""

from __future__ import annotations

from functools import partial

from allpass.models.entry import GRID, Model
from allpass.models.stack import Norm, Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.gcn import GCNConv
from allpass.nn.initialisation import KIPF, Degrees, Known, initialise_
from allpass.nn.inputs import Filter


def gcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    input_dropout: bool = True,
    bias: bool = True,
    init: str = "glorot",
    alpha: float = 0.5,
    norm: Norm = "none",
    residual: bool = False,
    graph: Known | None = None,
) -> Stack:
    """Graph convolutions in a row.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of layers.
        filter: The matrix that averages: a name of ``allpass.graph.MATRICES``, or a function of the adjacency.
        activation: Between layers.
        dropout: Probability of dropout before every layer.
        input_dropout: Drop input features too, or hidden ones alone.
        bias: Add a bias in every layer.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        alpha: Assumed correlation of neighbours, for ``init="effective-degree"``.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
        residual: Add to the output of every inner layer its input, where the widths agree.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.
    """
    known = None if graph is None else Degrees.of(graph)  # once for all layers
    fill = partial(initialise_, init=init, graph=known, alpha=alpha, filter=filter)
    layer = partial(GCNConv, filter=filter, bias=bias, init=fill)
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
