"""LINKX: perceptrons on the adjacency and on the features, and one on both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.nn.inputs import Features, Graph
from allpass.nn.linkx import LIM, LINKXConv, perceptron


class LINKX(nn.Module):
    r"""LINKX (`Lim et al., NeurIPS 2021 <https://arxiv.org/abs/2110.14446>`_).

    .. math::
        \mathrm{logits} = \mathrm{MLP}_f(H)

    with the joint embedding H of :class:`~allpass.nn.linkx.LINKXConv`.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        num_nodes: Number of nodes of the graph.
        hidden_channels: Width of all embeddings.
        num_layers: Linear maps of :math:`\mathrm{MLP}_f`, 1 or more.
        num_edge_layers: Linear maps of the perceptron on the adjacency.
        num_node_layers: Linear maps of the perceptron on the features.
        features: Read the features; without them the adjacency speaks alone.
        dropout: Probability of dropout between the maps of :math:`\mathrm{MLP}_f`, the only place it is in.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        num_nodes: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 3,
        num_edge_layers: int = 1,
        num_node_layers: int = 1,
        features: bool = True,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        self.embed = LINKXConv(
            in_channels,
            hidden_channels,
            num_nodes,
            num_edge_layers=num_edge_layers,
            num_node_layers=num_node_layers,
            features=features,
        )
        self.classify = perceptron([*[hidden_channels] * num_layers, out_channels], dropout)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        return cast(Tensor, self.classify(self.embed(x, edge_index, edge_weight)))


_SPACE: Mapping[str, tuple[object, ...]] = {
    "lr": (0.01,),
    "weight_decay": (1e-3,),
    "hidden_channels": (16, 32, 128, 256),
    "num_layers": (1, 2, 3),
}
_TRAINING = {"lr": 0.01, "weight_decay": 1e-3}

ENTRIES = (
    Model(
        "linkx",
        LINKX,
        "reads rows of the adjacency as features, and averages nothing",
        LIM,
        space=_SPACE,
        training=_TRAINING,
        traits=frozenset({"fixed-nodes"}),
        added={"features": True},
    ),
    Model(
        "linkx-structure",
        LINKX,
        "reads rows of the adjacency alone",
        LIM,
        preset={"features": False},
        space=_SPACE,
        training=_TRAINING,
        traits=frozenset({"fixed-nodes", "ignores-features"}),
    ),
)
