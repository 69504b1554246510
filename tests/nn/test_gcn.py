from __future__ import annotations

import pytest
import torch
from hypothesis import given
from tests.strategies import graphs
from torch_geometric.nn import GCNConv as Theirs

from allpass.graph import Operator, matrix
from allpass.nn import GCNConv


@given(graphs(min_nodes=2, directed=False, self_loops=False, duplicates=False))
def test_agrees_with_pyg(graph):
    """Without self-loops the conventions are the same; on undirected graphs so are the degrees."""
    ours, theirs = GCNConv(3, 4).double(), Theirs(3, 4).double()
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.weight.T)
        torch.nn.init.normal_(ours.bias)
        theirs.bias.copy_(ours.bias)
    x = torch.randn(graph.num_nodes, 3, dtype=torch.float64)
    wanted = theirs(x, graph.edge_index, graph.edge_weight)
    torch.testing.assert_close(ours(x, graph.edge_index, graph.edge_weight), wanted)


@pytest.mark.parametrize("directed", [False, True])
def test_agrees_with_pyg_on_one_way_edges_too(directed):
    edge_index = torch.tensor([[0, 1, 2, 3], [1, 2, 0, 0]])
    if not directed:
        edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1).unique(dim=1)
    ours, theirs = GCNConv(3, 4, bias=False).double(), Theirs(3, 4, bias=False).double()
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.weight.T)
    x = torch.randn(5, 3, dtype=torch.float64)
    torch.testing.assert_close(ours(x, edge_index), theirs(x, edge_index))


def test_a_loop_of_the_graph_counts_twice_here_and_once_there():
    edge_index = torch.tensor([[0, 1, 0], [1, 0, 0]])
    ours, theirs = GCNConv(2, 2, bias=False).double(), Theirs(2, 2, bias=False).double()
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.weight.T)
    x = torch.randn(2, 2, dtype=torch.float64)
    assert not torch.allclose(ours(x, edge_index), theirs(x, edge_index))
    remaining = GCNConv(2, 2, bias=False, filter=lambda A: matrix(A, "A_hat_sym", self_loops="remaining"))
    remaining = remaining.double()
    remaining.load_state_dict(ours.state_dict())
    torch.testing.assert_close(remaining(x, edge_index), theirs(x, edge_index))


@pytest.mark.parametrize("name", ["A_hat_rw", "A_rw", "L_hat_sym", "A"])
def test_any_matrix_is_a_filter(name):
    edge_index = torch.tensor([[0, 1, 2, 1], [1, 0, 1, 2]])
    layer, x = GCNConv(3, 2, filter=name).double(), torch.randn(4, 3, dtype=torch.float64)
    A = Operator.from_edge_index(edge_index, num_nodes=4, dtype=torch.float64)
    wanted = matrix(A, name).to_dense() @ x @ layer.weight + layer.bias
    torch.testing.assert_close(layer(x, edge_index), wanted)


def test_parameters_and_beginning():
    torch.manual_seed(0)
    layer = GCNConv(300, 200)
    assert sum(p.numel() for p in layer.parameters()) == 300 * 200 + 200
    assert float(layer.weight.detach().abs().max()) <= (6 / 500) ** 0.5
    assert not layer.bias.any()
    assert GCNConv(3, 2, bias=False).bias is None
    assert str(GCNConv(3, 2, filter="A_hat_rw")) == "GCNConv(3, 2, filter=A_hat_rw)"
    before = layer.weight.detach().clone()
    layer.reset_parameters()
    assert not torch.equal(layer.weight, before)


def test_edge_weights_can_be_learned_as_in_pyg():
    torch.manual_seed(0)
    edge_index = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
    weight = torch.rand(5, dtype=torch.float64, requires_grad=True)
    x = torch.randn(4, 3, dtype=torch.float64)
    ours, theirs = GCNConv(3, 2).double(), Theirs(3, 2).double()
    theirs.lin.weight.data = ours.weight.data.T.clone()
    results = [layer(x, edge_index, weight) for layer in (ours, theirs)]
    torch.testing.assert_close(*results)
    gradients = [torch.autograd.grad(out.square().sum(), weight)[0] for out in results]
    torch.testing.assert_close(*gradients)
