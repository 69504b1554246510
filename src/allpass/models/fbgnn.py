"""FBGNN: the two-channel filterbank network."""

from __future__ import annotations

from functools import partial

from allpass.models.entry import GRID, Model
from allpass.models.stack import Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.fbgnn import HALF, FBConv
from allpass.nn.inputs import Filter


def fbgnn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    low: Filter = "A_hat_rw",
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
) -> Stack:
    """Filterbank layers in a row; the last one is not rectified, like GCN's.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of layers.
        low: The low-pass filter, a name of ``allpass.graph.MATRICES``; the high-pass one is I minus it.
        activation: Of every channel, and between layers: a name of ``ACTIVATIONS``, a module or a function.
        dropout: Probability of dropout before every layer.
    """
    return Stack(
        partial(FBConv, low=low, activation=activation),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        last=partial(FBConv, low=low, activation="identity"),
    )


ENTRIES = (
    Model(
        "fbgnn",
        fbgnn,
        "adds a low-pass and a high-pass channel, with one learned weight each",
        HALF,
        space=GRID,
        aliases=("fb-gnn",),
    ),
)
