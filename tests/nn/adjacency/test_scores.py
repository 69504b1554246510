"""Scores at the places of a pattern equal those of the dense matrix, and their gradients finite differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from allpass.graph import Operator
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.scores import logits, row_softmax, similarity, weights
from allpass.nn.adjacency.search import exact


def graph(nodes: int = 9, seed: int = 0, k1: int = 3) -> tuple[CandidateGraph, Tensor]:
    """A random graph with candidates, and positions, in float64."""
    generator = torch.Generator().manual_seed(seed)
    A = torch.rand(nodes, nodes, generator=generator) > 0.8
    z = torch.randn(nodes, 4, generator=generator, dtype=torch.float64)
    given = Operator.from_edge_index(A.nonzero().T, num_nodes=nodes, dtype=torch.float64)
    return CandidateGraph.of(given, exact(z, given, k1)), z


@pytest.mark.parametrize("seed", range(3))
def test_similarity_and_its_derivatives(seed: int) -> None:
    found, z = graph(seed=seed)
    S = z @ z.T
    torch.testing.assert_close(similarity(z, found.pattern), S[found.pattern.row, found.pattern.col.long()])
    leaf = z.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda z: similarity(z, found.pattern), [leaf])
    assert torch.autograd.gradgradcheck(lambda z: similarity(z, found.pattern), [leaf])


@pytest.mark.parametrize("normalisation", ["standard", "softmax", "cosine"])
def test_gradients_of_weights_equal_finite_differences(normalisation: str) -> None:
    found, z = graph()

    def value(z: Tensor) -> Tensor:
        raw = logits(similarity(z, found.pattern), found.loops, 0.7, normalisation)  # type: ignore[arg-type]
        return weights(raw, found.pattern, 2, normalisation)  # type: ignore[arg-type]

    assert torch.autograd.gradcheck(value, [z.clone().requires_grad_()])
    assert (value(z)[found.loops] == 0).all()
    assert (value(z) >= 0).all()


def test_standard_logits_have_mean_0_and_deviation_1_over_the_candidates() -> None:
    found, z = graph()
    raw = logits(similarity(z, found.pattern), found.loops, 1.0, "standard")
    inner = raw[raw > -torch.inf]
    assert len(inner) == found.pattern.nnz - len(found.loops)
    torch.testing.assert_close(inner.mean(), torch.tensor(0.0, dtype=torch.float64))
    assert float(inner.var(correction=0)) == pytest.approx(1, abs=1e-4)


def test_row_softmax_equals_the_dense_one_and_is_0_where_nobody_is_a_candidate() -> None:
    found, z = graph()
    raw = logits(similarity(z, found.pattern), found.loops, 1.0, "softmax")
    dense = torch.full((9, 9), -torch.inf, dtype=torch.float64)
    dense[found.pattern.row, found.pattern.col.long()] = raw
    wanted = dense.softmax(dim=1)[found.pattern.row, found.pattern.col.long()]
    torch.testing.assert_close(row_softmax(raw, found.pattern), wanted)
    alone = torch.full_like(raw, -torch.inf)
    assert (row_softmax(alone, found.pattern) == 0).all()
