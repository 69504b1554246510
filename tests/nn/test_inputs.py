from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch
from torch.func import grad, vmap

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator, matrix
from allpass.nn import GCNConv
from allpass.nn.inputs import _BUILT, as_features, checked_filter, filtered, read


@pytest.fixture
def edge_index():
    return torch.tensor([[0, 1, 2], [1, 2, 0]])


X = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))


def adjacency(graph, weight=None, x=X) -> Operator:
    return read(x, graph, weight)[1]


def test_an_edge_carries_its_weight_to_the_row_of_its_target(edge_index):
    A = adjacency(edge_index, torch.tensor([1.0, 2.0, 3.0])).to_dense()
    wanted = torch.zeros(4, 4)
    wanted[1, 0], wanted[2, 1], wanted[0, 2] = 1, 2, 3
    assert torch.equal(A, wanted)


def test_the_same_edge_index_is_built_once(edge_index):
    A = adjacency(edge_index)
    assert adjacency(edge_index) is A
    assert adjacency(edge_index.clone()) is not A


def test_what_layers_need_of_a_graph_is_built_once_too(edge_index):
    first, second = GCNConv(3, 2), GCNConv(3, 2)
    first(X, edge_index)
    low = matrix(adjacency(edge_index), "A_hat_sym")
    second(X, edge_index)
    assert matrix(adjacency(edge_index), "A_hat_sym") is low


def test_a_change_in_place_is_noticed(edge_index):
    before = adjacency(edge_index).to_dense()
    edge_index[:, 0] = torch.tensor([3, 2])
    after = adjacency(edge_index).to_dense()
    assert not torch.equal(before, after)
    assert after[2, 3] == 1


def test_changes_of_weights_are_noticed(edge_index):
    weight = torch.ones(3)
    A = adjacency(edge_index, weight)
    assert adjacency(edge_index, weight) is A
    weight *= 2
    assert adjacency(edge_index, weight).values.tolist() == [2, 2, 2]
    assert adjacency(edge_index, torch.full((3,), 5.0)).values.tolist() == [5, 5, 5]
    assert adjacency(edge_index).values.tolist() == [1, 1, 1]
    for value in range(20):  # weights that die must not be taken for new ones at the same address
        assert adjacency(edge_index, torch.full((3,), float(value))).values.tolist() == [value] * 3


def test_weights_that_change_every_step_do_not_pile_up(edge_index):
    for value in range(5):
        adjacency(edge_index, torch.full((3,), float(value)))
    assert len(_BUILT[edge_index][1]) == 1


def test_other_precisions_and_numbers_of_nodes(edge_index):
    assert adjacency(edge_index, x=X.double()).dtype == torch.float64
    assert adjacency(edge_index, x=X.half()).dtype == torch.float16
    assert adjacency(edge_index, x=torch.randn(7, 2)).shape == (7, 7)
    A = adjacency(edge_index)
    assert adjacency(A, x=X.double()) is adjacency(A, x=X.double())  # kept by the operator
    assert adjacency(A) is A


def test_an_operator_is_freed_with_its_tensor():
    edge_index = torch.tensor([[0, 1], [1, 0]])
    held = weakref.ref(adjacency(edge_index, torch.ones(2)))
    gc.collect()
    assert held() is not None
    del edge_index
    gc.collect()
    assert held() is None


def test_sparse_features_are_converted_once_and_freed():
    x = X.relu().to_sparse_csr()
    operator = as_features(x)
    assert as_features(x) is operator
    torch.testing.assert_close(operator.to_dense(), X.relu())
    x.values().mul_(2)
    torch.testing.assert_close(as_features(x).to_dense(), 2 * X.relu())
    held = weakref.ref(as_features(x))
    del x, operator
    gc.collect()
    assert held() is None


def test_one_tensor_may_be_features_and_graph():
    A = torch.eye(4).to_sparse_csr()
    x, graph = read(A, A)
    assert x is graph
    assert read(A, A)[0] is x


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_sparse_adjacencies_are_taken_as_they_are(layout):
    dense = torch.tensor([[0.0, 2.0], [0.0, 1.0]])
    A = adjacency(dense.to_sparse(layout=layout), x=torch.ones(2, 1, dtype=torch.float64))
    assert torch.equal(A.to_dense(), dense.double())


def test_inference_mode(edge_index):
    layer = GCNConv(3, 2)
    with torch.no_grad():
        wanted = layer(X, edge_index)
    with torch.inference_mode():
        inside = edge_index.clone()  # carries no count of changes
        torch.testing.assert_close(layer(X, inside), wanted)
        inside[:, 0] = torch.tensor([3, 2])
        assert not torch.allclose(layer(X, inside), wanted)
        fresh = edge_index.clone()
        outside = torch.tensor([[0, 1], [1, 0]])
        torch.testing.assert_close(layer(X.to_sparse_csr(), fresh), wanted)
    layer(X, edge_index).sum().backward()  # what inference mode built is of use after it
    assert layer.weight.grad is not None
    layer(X, outside.clone())


def test_what_is_built_inside_a_transformation_is_of_use_after_it(edge_index):
    layer = GCNConv(3, 2)

    def loss(weight, graph=edge_index):
        return torch.func.functional_call(layer, {"weight": weight}, (X, graph)).sum()

    batched = vmap(grad(loss))(torch.stack([layer.weight.detach()] * 2))
    layer(X, edge_index).sum().backward()
    torch.testing.assert_close(batched[1], layer.weight.grad)


def test_filters_are_names_or_functions(edge_index):
    A = adjacency(edge_index)
    assert filtered(A, "A_hat_rw") is matrix(A, "A_hat_rw")
    assert filtered(A, lambda op: op.T) is A.T


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.ones(4, 3, dtype=torch.int64), r"features of torch\.int64.*call \.float\(\)"),
        (torch.ones(4, 3, dtype=torch.bool), r"features of torch\.bool"),
        (torch.ones(4, 3, dtype=torch.int32).to_sparse(), r"features of torch\.int32"),
        (torch.ones(4, 3, dtype=torch.complex64), r"features of torch\.complex64"),
        (np.ones((4, 3)), "features of type ndarray.*a tensor"),
        (None, "features of type NoneType"),
        (torch.ones(4), r"features of shape \[4\].*\[N, F\]"),
        (torch.ones(1, 4, 3), r"features of shape \[1, 4, 3\]"),
        (torch.ones(0, 3), r"features of shape \[0, 3\]"),
        (torch.ones(4, 4).to_sparse_bsr((2, 2)), "layout.*COO, CSR or CSC"),
        (torch.ones(4, 3).to_sparse().requires_grad_(), r"require a gradient.*to_dense"),
        (torch.ones(4, 3, device="meta"), r"features on meta and a graph on cpu.*\.to\(device\)"),
    ],
)
def test_features_that_are_refused(x, message, edge_index):
    with pytest.raises(InputError, match=message):
        read(x, edge_index)


OPERATOR = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]), num_nodes=4)


@pytest.mark.parametrize(
    ("graph", "weight", "message"),
    [
        (None, None, "edge_index of type NoneType.*sparse adjacency"),
        (np.ones((2, 3)), None, "edge_index of type ndarray"),
        (torch.eye(4), None, r"edge_index of shape \[4, 4\].*\[2, E\]"),
        (torch.tensor([[0.0], [1.0]]), None, r"type torch\.float32.*integers"),
        (torch.tensor([[0], [4]]), None, "node 4 in a graph of 4 nodes"),
        (torch.tensor([[0], [-1]]), None, "-1"),
        (torch.tensor([[0], [1]]), torch.ones(2), r"edge_weight of shape \[2\] for 1 edges"),
        (torch.tensor([[0], [1]]), torch.ones(1, device="meta"), "edge_weight on meta and edge_index on cpu"),
        (OPERATOR, torch.ones(2), "edge_weight beside an Operator.*pass it alone"),
        (torch.eye(4).to_sparse(), torch.ones(4), "edge_weight beside a sparse adjacency"),
        (torch.eye(5).to_sparse(), None, r"features of 4 nodes and a graph of shape \[5, 5\]"),
        (torch.ones(4, 5).to_sparse(), None, r"graph of shape \[4, 5\]"),
    ],
)
def test_graphs_that_are_refused(graph, weight, message):
    with pytest.raises(InputError, match=message):
        read(X, graph, weight)


def test_a_filter_is_a_name_or_a_function():
    def twice(A):
        return 2 * A

    assert checked_filter(twice) is twice
    assert checked_filter("gcn") == "gcn"
    with pytest.raises(UnknownNameError, match="Did you mean 'A_sym'"):
        checked_filter("A_smy")
    with pytest.raises(InputError, match=r"Got low = 3\. Expected a name of allpass\.graph\.MATRICES"):
        checked_filter(3, "low")
