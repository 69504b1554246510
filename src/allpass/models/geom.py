"""Geom-GCN: two layers of geometric aggregation."""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn

from allpass.models.entry import GRID, Model
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.geom import PEI, Degrees, GeomConv, Merge, Overlap, Positions
from allpass.nn.inputs import Features, Graph, read


class GeomGCN(nn.Module):
    """Dropout, layer (products side by side), ReLU, dropout, layer (their mean).

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of each of the nine products of the hidden layer.
        embedding: ``"isomap"``, ``"poincare"``, ``"struc2vec"``, or a function of the adjacency.
        hidden_merge: ``merge`` of the first layer; the paper's formula is ``"sum"``.
        shared: One weight for all relations in the last layer, the paper's formula.
        self_relation: The node itself as a ninth relation.
        overlap: What a neighbour in both the graph and the plane is: in the plane alone (``"latent"``), or both.
        degrees: Which neighbours the normalisation counts: in ``"all"`` relations or in the ``"graph"``.
        activation: Between the layers.
        dropout: Probability of dropout before both layers.

    Notes:
        It learns slowly, because degrees count all relations and the last layer divides by nine: on Cora it still
        improves after 600 epochs at the rate 0.05, where a GCN is done after 80. The authors train for up to 5,000.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 16,
        embedding: Positions = "isomap",
        hidden_merge: Merge = "concat",
        shared: bool = False,
        self_relation: bool = True,
        overlap: Overlap = "latent",
        degrees: Degrees = "all",
        activation: ActivationLike = "relu",
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        layer = partial(
            GeomConv, embedding=embedding, self_relation=self_relation, overlap=overlap, degrees=degrees
        )
        self.first = layer(in_channels, hidden_channels, merge=hidden_merge)
        width = hidden_channels * (self.first.num_relations if hidden_merge == "concat" else 1)
        self.second = layer(width, out_channels, merge="mean", shared=shared)
        self.activation = build_activation(activation, width)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in range(2))

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        h: Tensor = self.activation(self.first(self.dropouts[0](x), A))
        return self.second(self.dropouts[1](h), A)


ENTRIES = (
    Model(
        "geom-gcn",
        GeomGCN,
        "tells neighbours apart by where they lie in a plane, and adds near nodes",
        PEI,
        space={**GRID, "embedding": ("isomap", "poincare", "struc2vec")},
        training={"lr": 0.05, "weight_decay": 5e-6},
        traits=frozenset({"ignores-weights", "embeds-nodes"}),
    ),
)
