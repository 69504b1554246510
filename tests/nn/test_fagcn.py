from __future__ import annotations

import pytest
import torch
import torch_geometric.nn as pyg

from allpass.graph.matrices import matrix
from allpass.nn.fagcn import FAConv
from allpass.testing.subjects import examples


@pytest.mark.parametrize("self_loops", [False, True])
def test_equals_pyg(self_loops):
    layer = FAConv(5, eps=0.2, self_loops=self_loops, bias=False).double()
    other = pyg.FAConv(5, eps=0.2, add_self_loops=self_loops).double()
    with torch.no_grad():
        other.att_r.weight.copy_(layer.gate[:, :1].T)  # PyG's right one is of the target
        other.att_l.weight.copy_(layer.gate[:, 1:].T)
    for example in examples()[
        :2
    ]:  # without loops, where both agree what to add; PyG's layer takes no weights
        x_0 = torch.randn_like(example.x)
        wanted = other(example.x, x_0, example.edge_index)
        torch.testing.assert_close(layer(example.x, example.edge_index, x_0=x_0), wanted)


@pytest.mark.parametrize(("sign", "name"), [(1, "low"), (-1, "high")])
def test_gates_of_one_sign_make_a_low_pass_and_a_high_pass_filter(sign, name):
    example = examples()[0]
    layer = FAConv(5, eps=1.0).double()
    with torch.no_grad():
        layer.gate.zero_()
        layer.bias.fill_(sign * 100.0)
    S = matrix(example.operator, "A_sym") @ example.x
    wanted = {"low": example.x + S, "high": example.x - S}[name]
    torch.testing.assert_close(layer(example.x, example.operator), wanted)


def test_its_gates_can_be_read():
    example = examples()[1]
    layer = FAConv(5, eps=0.0).double()
    edges, gates = layer.gates(example.x, example.operator)
    S = matrix(example.operator, "A_sym").to_dense()
    dense = torch.zeros_like(S)
    dense[edges[1], edges[0]] = gates
    torch.testing.assert_close((S * dense) @ example.x, layer(example.x, example.operator))
    assert gates.abs().max() <= 1


def test_sparse_features():
    example = examples()[0]
    layer = FAConv(5).double()
    sparse = layer(example.x.to_sparse_csr(), example.operator)
    torch.testing.assert_close(sparse, layer(example.x, example.operator))


def test_parameters():
    assert sum(p.numel() for p in FAConv(7).parameters()) == 2 * 7 + 1
    assert sum(p.numel() for p in FAConv(7, bias=False).parameters()) == 2 * 7
