"""Diversification distinguishability against exact fractions, the papers' figures, and Theorem 3."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.graph import Operator
from allpass.metrics import LabelledGraph, diversification_distinguishability, feature_similarity
from allpass.metrics.diversification import measure_diversification


@settings(max_examples=300)
@given(
    case=cases(),
    row_normalize=st.booleans(),
    strict=st.booleans(),
    name=st.sampled_from(["A_hat_rw", "A_rw", "I", "A"]),
)
def test_equals_exact_fractions(case: Case, row_normalize: bool, strict: bool, name: str) -> None:
    A, X = reference.adjacency(case), reference.feature_rows(case, row_normalize)
    S = reference.similarity(reference.high_pass(reference.normalized(A, name)), X)
    passed = reference.distinguishable(S, case.labels, strict)
    settings = {"normalization": name, "row_normalize": row_normalize, "strict": strict}
    dense = diversification_distinguishability(case.edge_index, case.x, case.y, **settings, **case.options)
    assert reference.agree(dense, reference.share(passed))
    graph = LabelledGraph.build(Operator.from_scipy(reference.dense(A)), case.y, case.x.to_sparse_csr())
    sparse = measure_diversification(graph, **settings)
    assert reference.agree(sparse.value, reference.share(passed))
    assert bool(sparse.reason) == (passed is None)
    if passed is not None:
        similarity = feature_similarity(graph, name, high_pass=True, row_normalize=row_normalize)
        assert similarity.diversifies(strict).tolist() == passed


@settings(max_examples=300)
@given(case=cases(undirected=True, labels=((0, 1), (4, 7))))
def test_theorem_3(case: Case) -> None:
    """Two classes, X = Z, the random walk with self-loops: every node is distinguishable, whatever the graph."""
    assume(len(set(case.labels)) == 2)
    Z = torch.tensor([[float(z) for z in row] for row in reference.one_hot(case.labels)])
    assert diversification_distinguishability(case.edge_index, Z, case.y, **case.options) == 1


def test_theorem_3_on_a_large_graph() -> None:
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.randint(0, 3000, (2, 40_000), generator=generator)
    y = torch.randint(0, 2, (3000,), generator=generator)
    Z = torch.nn.functional.one_hot(y).float()
    assert diversification_distinguishability(edge_index, Z, y) == 1


FIGURE_3 = (
    torch.tensor([(1, 2), (1, 4), (1, 5), (4, 5), (4, 6), (4, 7), (5, 6), (6, 7), (3, 6), (3, 7)]).T - 1
)
FIGURE_13 = (
    torch.tensor([(1, 4), (2, 4), (2, 7), (3, 7), (4, 5), (6, 7), (5, 8), (5, 9), (6, 9), (6, 10), (9, 10)]).T
    - 1
)


def test_figure_3_of_the_acm_paper() -> None:
    """Its node 2 has no high-pass output at all: >= lets it pass, the report's strict > does not."""
    y = torch.tensor([0, 0, 0, 1, 1, 1, 1])
    x = torch.nn.functional.one_hot(y)
    assert diversification_distinguishability(FIGURE_3, x, y) == 1
    assert diversification_distinguishability(FIGURE_3, x, y, strict=True) == pytest.approx(6 / 7)
    S = torch.tensor(
        [
            [1 / 2, 0, 2 / 3, -1 / 5, -1 / 4, -1 / 5, -1 / 4],
            [0, 0, 0, 0, 0, 0, 0],
            [2 / 3, 0, 8 / 9, -4 / 15, -1 / 3, -4 / 15, -1 / 3],
            [-1 / 5, 0, -4 / 15, 0.08, 0.1, 0.08, 0.1],
            [-1 / 4, 0, -1 / 3, 0.1, 0.125, 0.1, 0.125],
            [-1 / 5, 0, -4 / 15, 0.08, 0.1, 0.08, 0.1],
            [-1 / 4, 0, -1 / 3, 0.1, 0.125, 0.1, 0.125],
        ],
        dtype=torch.float64,
    )
    similarity = feature_similarity(LabelledGraph.build(FIGURE_3, y, x), high_pass=True)
    torch.testing.assert_close(similarity.means, torch.stack([S[:, :3].mean(1), S[:, 3:].mean(1)], 1))


def test_figure_13_of_the_acm_paper() -> None:
    """Four classes where diversification fails: the printed similarities, class by class."""
    y = torch.tensor([0, 0, 0, 1, 1, 2, 2, 3, 3, 3])
    x = torch.nn.functional.one_hot(y)
    half, third, sixth = 1 / 2, 1 / 3, 1 / 6
    S = torch.tensor(
        [
            [half, half, 1 / 4, -half, -1 / 4, 0, -1 / 4, 1 / 4, 1 / 8, 0],
            [half, 2 / 3, half, -half, -sixth, -sixth, -half, sixth, sixth, 1 / 9],
            [1 / 4, half, half, -1 / 4, 0, -1 / 4, -half, 0, 1 / 8, sixth],
            [-half, -half, -1 / 4, half, 1 / 4, 0, 1 / 4, -1 / 4, -1 / 8, 0],
            [-1 / 4, -sixth, 0, 1 / 4, half, 1 / 4, 0, -half, -3 / 8, -sixth],
            [0, -sixth, -1 / 4, 0, 1 / 4, half, 1 / 4, -1 / 4, -3 / 8, -third],
            [-1 / 4, -half, -half, 1 / 4, 0, 1 / 4, half, 0, -1 / 8, -sixth],
            [1 / 4, sixth, 0, -1 / 4, -half, -1 / 4, 0, half, 3 / 8, sixth],
            [1 / 8, sixth, 1 / 8, -1 / 8, -3 / 8, -3 / 8, -1 / 8, 3 / 8, 3 / 8, 1 / 4],
            [0, 1 / 9, sixth, 0, -sixth, -third, -sixth, sixth, 1 / 4, 2 / 9],
        ],
        dtype=torch.float64,
    )
    similarity = feature_similarity(LabelledGraph.build(FIGURE_13, y, x), high_pass=True)
    means = torch.stack([S[:, y == k].mean(1) for k in range(4)], 1)
    torch.testing.assert_close(similarity.means, means)
    same = y.unsqueeze(0) == y.unsqueeze(1)
    own = (S * same).sum(1) >= 0
    other = (S * ~same).sum(1) <= 1e-12
    share = float((own & other).double().mean())
    assert diversification_distinguishability(FIGURE_13, x, y) == pytest.approx(share)


def test_one_class_is_undefined_and_says_why() -> None:
    graph = LabelledGraph.build(torch.tensor([[0], [1]]), torch.tensor([1, 1]), torch.ones(2, 1))
    measured = measure_diversification(graph)
    assert math.isnan(measured.value)
    assert "fewer than two classes" in measured.reason
