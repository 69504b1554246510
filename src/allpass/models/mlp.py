"""Perceptrons: the bar that a graph has to clear."""

from __future__ import annotations

from torch import Tensor, nn

from allpass.models.entry import GRID, Model
from allpass.models.stack import Norm, Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.inputs import Features, Graph
from allpass.nn.linear import Linear

CITATION = "Rumelhart, Hinton and Williams: Learning representations by back-propagating errors, Nature 1986"


class FeatureLayer(nn.Module):
    """A linear map in the place of a graph layer: the graph is not looked at."""

    def __init__(self, in_channels: int, out_channels: int, bias: bool = True) -> None:
        super().__init__()
        self.linear = Linear(in_channels, out_channels, bias=bias)

    def forward(self, x: Features, edge_index: Graph) -> Tensor:  # noqa: ARG002 - called like a graph layer
        return self.linear(x)


def mlp(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    norm: Norm = "none",
) -> Stack:
    """A perceptron on the features alone.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of layers.
        activation: Between layers, a name of ``ACTIVATIONS``, a module or a function.
        dropout: Probability of dropout before every layer.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
    """
    return Stack(
        FeatureLayer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        norm=norm,
    )


ENTRIES = tuple(
    Model(
        name,
        mlp,
        summary,
        CITATION,
        preset={"num_layers": depth},
        space=GRID,
        traits=frozenset({"ignores-graph"}),
        aliases=aliases,
    )
    for name, depth, summary, aliases in (
        ("mlp-1", 1, "fits a logistic regression to the features alone", ("logistic-regression",)),
        ("mlp-2", 2, "reads the features alone, in two layers: the bar to beat", ("mlp",)),
    )
)
