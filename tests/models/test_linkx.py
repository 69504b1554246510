"""LINKX against PyG's, in evaluation and in training."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import models as pyg

from allpass.errors import InputError
from allpass.models.linkx import LINKX
from allpass.testing import examples


def twins(layers: int, edges: int, nodes: int) -> tuple[LINKX, pyg.LINKX]:
    """Ours and theirs with the same weights; our one map of both embeddings is two of theirs."""
    settings = {"num_layers": layers, "num_edge_layers": edges, "num_node_layers": nodes, "dropout": 0.0}
    ours = LINKX(5, 3, 13, hidden_channels=4, **settings).double()
    theirs = pyg.LINKX(13, 5, 4, 3, **settings).double()
    edge_maps = [theirs.edge_lin, *(theirs.edge_mlp.lins if edges > 1 else [])]
    edge_norms = [theirs.edge_norm, *theirs.edge_mlp.norms] if edges > 1 else []
    halves = ours.embed.joint.weight.split(4)
    with torch.no_grad():
        for part, maps, norms in (
            (ours.embed.edges, edge_maps, edge_norms),
            (ours.embed.nodes, theirs.node_mlp.lins, theirs.node_mlp.norms),
            (ours.classify, theirs.final_mlp.lins, theirs.final_mlp.norms),
        ):
            linears = [layer for layer in part if hasattr(layer, "init")]
            for mine, other in zip(linears, maps, strict=True):
                other.weight.copy_(mine.weight if other is theirs.edge_lin else mine.weight.T)
                other.bias.copy_(mine.bias)
            batch_norms = [layer for layer in part if isinstance(layer, torch.nn.BatchNorm1d)]
            for mine, other in zip(batch_norms, norms, strict=True):
                mine.weight.normal_()
                (other.module if hasattr(other, "module") else other).load_state_dict(mine.state_dict())
        for half, other in zip(halves, (theirs.cat_lin1, theirs.cat_lin2), strict=True):
            other.weight.copy_(half.T)
            other.bias.copy_(ours.embed.joint.bias / 2)
    return ours, theirs


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("depths", [(1, 1, 1), (3, 1, 1), (2, 2, 2), (2, 3, 1)], ids=str)
def test_pyg_agrees(depths: tuple[int, int, int], training: bool) -> None:
    ours, theirs = (model.train(training) for model in twins(*depths))
    for example in examples():
        wanted = theirs(example.x, example.edge_index, example.edge_weight)
        torch.testing.assert_close(ours(example.x, example.edge_index, example.edge_weight), wanted)


def test_at_least_one_layer() -> None:
    with pytest.raises(InputError, match="num_layers = 0"):
        LINKX(5, 3, 13, num_layers=0)
