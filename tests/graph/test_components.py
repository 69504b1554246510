from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given
from tests.strategies import Graph, graphs

from allpass.graph import Operator, components


@given(graphs())
def test_components_equal_networkx(graph: Graph) -> None:
    theirs = nx.Graph()
    theirs.add_nodes_from(range(graph.num_nodes))
    theirs.add_edges_from(graph.edge_index.T.tolist())
    pieces = sorted(map(sorted, nx.connected_components(theirs)))
    found = components(graph.operator())
    ours = [(found.membership == c).nonzero().squeeze(1).tolist() for c in range(found.count)]
    assert sorted(ours) == pieces
    assert found.sizes.tolist() == [len(piece) for piece in ours]
    want = [nx.is_bipartite(theirs.subgraph(piece)) for piece in ours]
    assert found.bipartite.tolist() == want


def test_by_hand() -> None:
    square_triangle_loop_and_alone = torch.tensor([[0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 0, 5, 6, 4, 7]])
    found = components(Operator.from_edge_index(square_triangle_loop_and_alone, num_nodes=9))
    assert found.count == 4
    assert found.sizes.tolist() == [4, 3, 1, 1]
    assert found.bipartite.tolist() == [True, False, False, True]


def test_an_edge_of_weight_zero_joins_nothing() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]), torch.tensor([0.0, 1.0]))
    assert components(A).sizes.tolist() == [1, 2]
    assert A.nnz == 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_any_precision(dtype: torch.dtype) -> None:
    assert components(Operator.from_edge_index(torch.tensor([[0], [1]]), dtype=dtype)).count == 1


def test_the_empty_graph_has_none() -> None:
    found = components(Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64)))
    assert found.count == 0
    assert found.membership.shape == (0,)
