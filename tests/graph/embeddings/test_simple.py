from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from tests.strategies import Graph, graphs

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.graph.embeddings.simple import simple_graph


@given(graphs())
def test_it_says_who_is_a_neighbour_of_whom(graph: Graph) -> None:
    linked = (graph.dense != 0) | (graph.dense.T != 0)
    np.fill_diagonal(linked, False)
    np.testing.assert_array_equal(simple_graph(graph.operator()).toarray(), linked.astype(float))


def test_an_edge_of_weight_zero_joins_nothing_and_a_negative_one_does() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]), torch.tensor([0.0, -1.0]))
    assert simple_graph(A).nnz == 2


def test_it_is_kept() -> None:
    A = Operator.from_edge_index(torch.tensor([[0], [1]]))
    assert simple_graph(A) is simple_graph(A)


def test_only_graphs() -> None:
    with pytest.raises(InputError, match="2 x 3"):
        simple_graph(Operator.from_sparse(torch.ones(2, 3).to_sparse()))
