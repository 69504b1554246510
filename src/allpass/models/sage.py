"""GraphSAGE with the mean aggregator, on the whole graph at once."""

from __future__ import annotations

from functools import partial

from allpass.models.entry import GRID, Model
from allpass.models.stack import Norm, Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.inputs import Filter
from allpass.nn.sage import HAMILTON, SAGEConv


def sage(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    filter: Filter = "A_rw",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    norm: Norm = "none",
    residual: bool = False,
) -> Stack:
    """GraphSAGE layers in a row.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of layers.
        filter: How neighbours are aggregated, by default their mean: a name of ``allpass.graph.MATRICES``.
        activation: Between layers, a name of ``ACTIVATIONS``, a module or a function.
        dropout: Probability of dropout before every layer.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
        residual: Add to the output of every inner layer its input, where the widths agree.
    """
    return Stack(
        partial(SAGEConv, filter=filter),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        norm=norm,
        residual=residual,
    )


ENTRIES = (
    Model(
        "sage",
        sage,
        "weighs the node itself and the mean of its neighbours apart",
        HAMILTON,
        space=GRID,
        numbered="num_layers",
        aliases=("graphsage",),
    ),
)
