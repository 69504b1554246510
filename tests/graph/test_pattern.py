from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch._C import _functorch
from torch.func import grad, vmap

from allpass.graph import Operator
from allpass.graph.pattern import Pattern, outside


def places(pattern: Pattern) -> np.ndarray:
    """The pattern as a dense 0/1 matrix, by a walk over its rows."""
    dense = np.zeros(pattern.shape)
    crow, col = pattern.crow.tolist(), pattern.col.tolist()
    for i in range(pattern.shape[0]):
        dense[i, col[crow[i] : crow[i + 1]]] = 1
    return dense


def rectangular() -> Pattern:
    return Pattern(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 4, 0]), (3, 5))


@given(graphs())
def test_rows_belong_to_their_entries(graph: Graph) -> None:
    pattern = graph.operator().pattern
    want = np.repeat(np.arange(graph.num_nodes), np.diff(pattern.crow.numpy()))
    assert pattern.row.tolist() == want.tolist()


@given(graphs())
def test_transposition_transposes_and_leads_home(graph: Graph) -> None:
    A = graph.operator()
    transposed, order = A.pattern.transposition
    assert np.array_equal(places(transposed), places(A.pattern).T)
    back, home = transposed.transposition
    assert back is A.pattern
    assert torch.equal(order[home], torch.arange(A.nnz))
    want = sp.csr_array(graph.dense.T)
    assert np.array_equal(A.values[order].numpy(), want.data)
    assert np.array_equal(transposed.col.numpy(), want.indices)


def test_transposition_of_a_rectangle() -> None:
    assert np.array_equal(places(rectangular().transposition[0]), places(rectangular()).T)


@given(graphs(), st.integers(0, 3))
def test_block_diagonal(graph: Graph, copies: int) -> None:
    pattern = graph.operator().pattern
    want = np.kron(np.eye(copies), places(pattern))
    assert np.array_equal(places(pattern.block_diagonal(copies)), want)


def test_block_diagonal_of_a_rectangle_is_kept_until_another_size_is_asked_for() -> None:
    pattern = rectangular()
    twice = pattern.block_diagonal(2)
    assert np.array_equal(places(twice), np.kron(np.eye(2), places(pattern)))
    assert pattern.block_diagonal(2) is twice
    assert pattern.block_diagonal(3).shape == (9, 15)


def test_indices_are_32_bit_where_they_fit() -> None:
    wide = Pattern(torch.tensor([0, 1]), torch.tensor([2**31]), (1, 2**31 + 1))
    assert rectangular().col.dtype == rectangular().crow.dtype == torch.int32
    assert wide.col.dtype == torch.int64


def test_to_the_same_device_is_itself() -> None:
    pattern = rectangular()
    assert pattern.to("cpu") is pattern


def test_what_is_kept_belongs_to_no_transformation() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1, 1], [1, 2, 0]]), dtype=torch.float64)
    v, x = torch.rand(2, 3, dtype=torch.float64), torch.rand(3, 2, dtype=torch.float64)
    vmap(grad(lambda v: (A.T @ (A.with_values(v) @ x)).square().sum() + A.row_sums.sum()))(v)
    kept = [
        A.pattern.row,
        A.pattern.transposition[1],
        A.pattern.block_diagonal(2).col,
        A.T.values,
        A.row_sums,
    ]
    assert not any(_functorch.is_functorch_wrapped_tensor(tensor) for tensor in kept)


def test_what_was_first_asked_for_in_inference_mode_serves_training() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1, 1], [1, 2, 0]]))
    with torch.inference_mode():
        A.is_symmetric()
    v = torch.ones(3, requires_grad=True)
    (A.with_values(v).T @ torch.ones(3, 1)).sum().backward()
    assert v.grad is not None


def test_outside_passes_errors_on() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        outside(fail, torch.device("cpu"))
