from __future__ import annotations

import pytest
import torch
import torch_geometric.nn as pyg

from allpass.nn.sage import SAGEConv
from allpass.testing.subjects import examples


@pytest.mark.parametrize(("filter_", "aggr"), [("A_rw", "mean"), ("A", "sum")])
@pytest.mark.parametrize("normalize", [False, True])
def test_equals_pyg(filter_, aggr, normalize):
    layer = SAGEConv(5, 4, filter=filter_, normalize=normalize).double()
    other = pyg.SAGEConv(5, 4, aggr=aggr, normalize=normalize).double()
    with torch.no_grad():
        other.lin_r.weight.copy_(layer.weight[:, :4].T)
        other.lin_l.weight.copy_(layer.weight[:, 4:].T)
        other.lin_l.bias.copy_(layer.bias)
    for example in examples():  # as unweighted graphs: PyG's layer ignores weights
        wanted = other(example.x, example.edge_index)
        torch.testing.assert_close(layer(example.x, example.edge_index), wanted)


def test_weights_weigh_the_mean():
    layer = SAGEConv(1, 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.0, 1.0]]))
    edge_index = torch.tensor([[1, 2], [0, 0]])
    out = layer(torch.tensor([[5.0], [1.0], [4.0]]), edge_index, torch.tensor([3.0, 1.0]))
    assert out.flatten().tolist() == [7 / 4, 0, 0]


def test_parameters():
    assert sum(p.numel() for p in SAGEConv(7, 4).parameters()) == 2 * 7 * 4 + 4
