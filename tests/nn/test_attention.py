from __future__ import annotations

import pytest
import torch
from torch.func import grad, vmap
from torch_geometric.utils import softmax as pyg_softmax

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.attention import edge_scores, edge_softmax, repeated, with_every_loop


@pytest.fixture
def A() -> Operator:
    edge_index = torch.tensor([[0, 1, 2, 3, 0, 2, 4], [1, 0, 1, 1, 0, 4, 2]])
    return Operator.from_edge_index(edge_index, num_nodes=6, dtype=torch.float64)


def test_scores_are_of_target_and_source(A):
    t, s = torch.arange(6.0), 10 * torch.arange(6.0)
    wanted = [t[v] + s[u] for u, v in A.edge_index.T.tolist()]
    assert edge_scores(A, t, s).tolist() == wanted


def test_softmax_equals_pyg(A):
    e = torch.randn(A.nnz, dtype=torch.float64)
    torch.testing.assert_close(edge_softmax(A, e), pyg_softmax(e, A.pattern.row, num_nodes=6))


def test_rows_add_up_to_one_however_large_the_scores(A):
    alpha = edge_softmax(A, torch.linspace(-1e5, 1e5, A.nnz, dtype=torch.float64))
    sums = A.with_values(alpha) @ torch.ones(6, dtype=torch.float64)
    torch.testing.assert_close(sums, (A.row_sums > 0).double())


def test_its_gradient_is_that_of_the_dense_softmax(A):
    assert torch.autograd.gradcheck(
        lambda e: edge_softmax(A, e), torch.randn(A.nnz, dtype=torch.float64, requires_grad=True)
    )


def test_batches_equal_the_loop(A):
    weight = torch.randn(A.nnz, dtype=torch.float64)
    scores = torch.randn(4, A.nnz, dtype=torch.float64)

    def loss(e):
        return (edge_softmax(A, e) * weight).sum()

    torch.testing.assert_close(vmap(grad(loss))(scores), torch.stack([grad(loss)(e) for e in scores]))


def test_heads_are_blocks(A):
    e = torch.randn(3, A.nnz, dtype=torch.float64)
    wanted = torch.cat([edge_softmax(A, head) for head in e])
    torch.testing.assert_close(edge_softmax(repeated(A, 3), e.flatten()), wanted)
    torch.testing.assert_close(repeated(A, 3).to_dense(), torch.block_diag(*[A.to_dense()] * 3))
    assert repeated(A, 1) is A


def test_every_node_gets_one_loop_whatever_the_weights():
    edge_index = torch.tensor([[0, 0, 1], [0, 1, 2]])
    A = Operator.from_edge_index(edge_index, torch.tensor([-1.0, 0.0, 5.0]), 4)
    wanted = torch.eye(4) + torch.tensor([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert torch.equal(with_every_loop(A).to_dense(), wanted)


def test_bad_input(A):
    with pytest.raises(InputError, match=r"scores of shape \[3\] for 7 entries"):
        edge_softmax(A, torch.zeros(3))
    with pytest.raises(InputError, match=r"sources of shape \[5\]"):
        edge_scores(A, torch.zeros(6), torch.zeros(5))
