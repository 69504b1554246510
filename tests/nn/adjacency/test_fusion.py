"""Keeping, going straight through, and mixing, against dense matrices."""

from __future__ import annotations

import pytest
import torch
from tests.nn.adjacency.test_scores import graph
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.graph.matrices import matrix
from allpass.nn.adjacency.fusion import (
    LearnedOperator,
    checked_fusion,
    chosen_weights,
    fuse,
    kept,
    through,
    uniform,
)
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.scores import logits, similarity, weights
from allpass.nn.adjacency.search import exact


def parts(nodes: int = 9, seed: int = 0, k1: int = 3) -> tuple[CandidateGraph, Tensor, Tensor]:
    found, z = graph(nodes, seed, k1)
    raw = logits(similarity(z, found.pattern), found.loops, 1.0, "standard")
    return found, raw, weights(raw, found.pattern, 2, "standard")


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
def test_kept_are_the_k_largest_of_each_row(k: int) -> None:
    found, raw, _ = parts(40, seed=k, k1=5)
    mask = kept(raw, found, k)
    for row in range(40):
        inside = (found.pattern.row == row) & (found.pattern.row != found.pattern.col)
        best = raw[inside].sort(descending=True).values[:k]
        assert torch.equal(raw[mask & inside].sort(descending=True).values, best)
    assert not mask[found.loops].any()


def test_equal_candidates_are_all_kept() -> None:
    found, raw, _ = parts()
    mask = kept(torch.where(raw > -torch.inf, 0.0, raw), found, 2)
    assert int(mask.sum()) == found.pattern.nnz - len(found.loops)


def test_straight_through_gives_one_value_and_the_slope_of_another() -> None:
    x = torch.tensor([0.3, -1.0], requires_grad=True)
    value = through((x > 0).float(), x.sigmoid())
    assert value.tolist() == [1.0, 0.0]
    (slope,) = torch.autograd.grad(value.sum(), [x])
    torch.testing.assert_close(slope, x.sigmoid() * (1 - x.sigmoid()))


@pytest.mark.parametrize("fusion", ["top-k", "gumbel", "sample"])
def test_evaluation_draws_nothing_and_training_follows_the_key(fusion: str) -> None:
    found, raw, value = parts(40, k1=8)
    calm = chosen_weights(raw, value, found, 3, fusion, None)
    assert torch.equal(calm, chosen_weights(raw, value, found, 3, fusion, None))
    one, again, other = (
        chosen_weights(raw, value, found, 3, fusion, torch.tensor(key)) for key in (1, 1, 2**40)
    )
    assert torch.equal(one, again)
    assert torch.equal(one, other) == (fusion == "top-k")
    assert torch.equal(one, calm) == (fusion == "top-k")


def test_gumbel_noise_draws_candidates_by_their_softmax() -> None:
    found, raw, _ = parts(9, k1=4)
    ones, times = torch.ones_like(raw), 3000
    drawn = sum(
        chosen_weights(raw, ones, found, 1, "gumbel", torch.tensor(977 * key + 2**45 * key))
        for key in range(times)
    )
    share = drawn / times
    wanted = torch.full((9, 9), -torch.inf, dtype=raw.dtype)
    wanted[found.pattern.row, found.pattern.col.long()] = raw
    wanted = wanted.softmax(1)[found.pattern.row, found.pattern.col.long()]
    assert (share - wanted).abs().max() < 0.05


def test_sampled_edges_have_the_mean_that_evaluation_takes() -> None:
    found, raw, value = parts(20, k1=6)
    p = chosen_weights(raw, value, found, 3, "sample", None)
    sums = torch.zeros(20, dtype=p.dtype).index_add(0, found.pattern.row, p)
    assert (sums <= 3 + 1e-9).all()
    drawn = [chosen_weights(raw, value, found, 3, "sample", torch.tensor(2**45 * key)) for key in range(2000)]
    assert {float(x) for x in drawn[0].unique()} <= {0.0, 1.0}
    assert (sum(drawn) / 2000 - p).abs().max() < 0.06


def test_uniform_numbers() -> None:
    numbers = uniform(torch.zeros(20_000, dtype=torch.float64), torch.tensor(5))
    assert float(numbers.mean()) == pytest.approx(0.5, abs=0.01)
    assert float(numbers.var()) == pytest.approx(1 / 12, abs=0.005)
    assert 0 < float(numbers.min()) < float(numbers.max()) < 1


def half(A: Tensor) -> Tensor:
    degree = A.sum(1)
    root = torch.where(degree > 0, degree.clamp(min=1e-30).rsqrt(), 0.0)
    return root[:, None] * A * root


@pytest.mark.parametrize("symmetrise", [True, False])
@pytest.mark.parametrize("renormalise", [True, False])
@pytest.mark.parametrize("mix", [0.0, 0.3, 1.0])
def test_fused_equals_the_dense_formula(symmetrise: bool, renormalise: bool, mix: float) -> None:
    found, raw, value = parts()
    chosen = chosen_weights(raw, value, found, 2, "top-k", None)
    result = fuse(chosen, found, 2, symmetrise=symmetrise, renormalise=renormalise, mix=mix).to_dense()
    V = torch.zeros(9, 9, dtype=raw.dtype)
    V[found.pattern.row, found.pattern.col.long()] = chosen
    S = (V + V.T) / 2 if symmetrise else V
    A = found.given.to_dense()
    S, A = (2 * half(S), 2 * half(A)) if renormalise else (S, A)
    torch.testing.assert_close(result, (1 - mix) * S + mix * A)


def test_the_filters_of_a_learned_operator_equal_those_of_the_dense_matrix_with_gradients() -> None:
    found, raw, value = parts()
    x = torch.randn(9, 3, dtype=raw.dtype, generator=torch.Generator().manual_seed(0))

    def ours(v: Tensor) -> Tensor:
        A = LearnedOperator(found, v.index_fill(0, found.loops, 0))
        return matrix(A, "A_hat_sym") @ (matrix(A, "A_hat_sym") @ x)

    dense = Operator(found.pattern, value).to_dense() + torch.eye(9)
    root = dense.sum(1).rsqrt()
    P = root[:, None] * dense * root
    torch.testing.assert_close(ours(value), P @ P @ x)
    assert torch.autograd.gradcheck(ours, [value.clone().requires_grad_()])


def test_an_unknown_fusion_and_negative_weights() -> None:
    with pytest.raises(InputError, match="Got fusion = 'max'"):
        checked_fusion("max")
    given = Operator.from_edge_index(torch.tensor([[0], [1]]), torch.tensor([-1.0]), 5)
    with pytest.raises(InputError, match="1 negative edge weights for an adjacency learner"):
        CandidateGraph.of(given, exact(torch.randn(5, 2), given, 2))
