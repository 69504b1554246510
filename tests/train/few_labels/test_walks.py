"""Absorption scores: the dense inverse of the paper's formula."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.train.few_labels.walks import absorption


def drawn(seed: int, nodes: int = 12, chance: float = 0.2) -> torch.Tensor:
    """A weighted undirected graph with loops and, often, several components."""
    generator = torch.Generator().manual_seed(seed)
    upper = torch.rand(nodes, nodes, generator=generator).double()
    upper = torch.where(torch.rand(nodes, nodes, generator=generator) < chance, upper, 0).triu()
    return torch.maximum(upper, upper.T)


def operator(W: torch.Tensor) -> Operator:
    return Operator.from_sparse(W.to_sparse_csr())


def inverse(W: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.linalg.inv(torch.diag(W.sum(1)) - W + alpha * torch.eye(len(W), dtype=W.dtype))


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([1e-6, 1e-3, 1.0, 10.0]))
def test_it_is_the_inverse_applied_to_the_sources(seed: int, alpha: float) -> None:
    W = drawn(seed)
    Y = (torch.rand(len(W), 3, generator=torch.Generator().manual_seed(seed)) < 0.3).double()
    expected = inverse(W, alpha) @ Y
    torch.testing.assert_close(absorption(operator(W), Y, alpha=alpha), expected, rtol=1e-6, atol=1e-6)


def test_the_chances_of_all_sources_add_up_to_one() -> None:
    W = drawn(3, nodes=20)
    P = absorption(operator(W), torch.eye(20), alpha=0.1)
    torch.testing.assert_close(0.1 * P.sum(1), torch.ones(20, dtype=torch.float64))


def test_without_a_source_in_reach_the_score_is_exactly_zero() -> None:
    two_pairs = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
    P = absorption(Operator.from_edge_index(two_pairs, num_nodes=5), torch.eye(5)[:, :1])
    assert (P[:2] > 0).all()
    assert (P[2:] == 0).all()


def test_a_class_without_sources_has_no_scores() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
    assert absorption(A, torch.zeros(2, 3)).tolist() == [[0.0] * 3] * 2


def test_a_one_way_edge_counts_as_two_way() -> None:
    one, both = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    Y = torch.eye(3)
    torch.testing.assert_close(
        absorption(Operator.from_edge_index(one, num_nodes=3), Y),
        absorption(Operator.from_edge_index(both, num_nodes=3), Y),
    )


def test_a_small_alpha_ranks_by_distance() -> None:
    path = torch.tensor([[0, 1, 2, 3, 1, 2, 3, 4], [1, 2, 3, 4, 0, 1, 2, 3]])
    P = absorption(Operator.from_edge_index(path), torch.eye(5)[:, [0]]).squeeze(1)
    assert P.argsort(descending=True).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan")])
def test_alpha_has_to_be_positive(alpha: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        absorption(Operator.from_edge_index(torch.tensor([[0], [1]])), torch.eye(2), alpha=alpha)


def test_sources_of_another_graph_are_refused() -> None:
    with pytest.raises(InputError, match=r"\[3, 2\] for 2 nodes"):
        absorption(Operator.from_edge_index(torch.tensor([[0], [1]])), torch.zeros(3, 2))
