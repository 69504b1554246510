"""Aggregation similarity and homophily: every comparison decided in exact rational arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import (
    LabelledGraph,
    aggregation_homophily,
    aggregation_similarity,
    label_similarity,
    modified_aggregation_homophily,
    modified_aggregation_similarity,
)
from allpass.metrics.aggregation import measure_aggregation_homophily, measure_aggregation_similarity
from allpass.metrics.similarity import Comparison

COMPARISONS = st.sampled_from(["mean", "argmax"])
RATIONAL = ("A_hat_rw", "A_rw", "I", "A")
IRRATIONAL = ("A_sym", "A_hat_sym")


@settings(max_examples=300)
@given(case=cases(), comparison=COMPARISONS)
def test_homophily_equals_exact_fractions(case: Case, comparison: Comparison) -> None:
    A, Z = reference.adjacency(case), reference.one_hot(case.labels)
    graph = LabelledGraph.build(Operator.from_scipy(reference.dense(A)), case.y)
    for name in RATIONAL:
        S = reference.similarity(reference.normalized(A, name), Z)
        passed = reference.aggregating(S, case.labels, comparison)
        measured = measure_aggregation_homophily(graph, name, comparison)
        assert reference.agree(measured.value, reference.share(passed))
        assert bool(measured.reason) == (passed is None)
        if passed is not None:
            assert label_similarity(graph, name).aggregates(comparison).tolist() == passed
    S = reference.similarity(reference.normalized(A, "A_hat_rw"), Z)
    share = reference.share(reference.aggregating(S, case.labels, comparison))
    settings = {"comparison": comparison, **case.options}
    arguments = case.edge_index, case.y, case.num_nodes
    assert reference.agree(aggregation_homophily(*arguments, **settings), share)
    assert reference.agree(modified_aggregation_homophily(*arguments, **settings), reference.modified(share))


@settings(max_examples=300)
@given(
    case=cases(),
    comparison=COMPARISONS,
    row_normalize=st.booleans(),
    zero_over_zero=st.sampled_from(["pass", "fail"]),
    name=st.sampled_from(RATIONAL),
)
def test_similarity_equals_exact_fractions(
    case: Case, comparison: Comparison, row_normalize: bool, zero_over_zero: str, name: str
) -> None:
    A, X = reference.adjacency(case), reference.feature_rows(case, row_normalize)
    S = reference.similarity(reference.normalized(A, name), X)
    share = reference.share(reference.aggregating(S, case.labels, comparison, zero_over_zero))
    settings = {
        "normalization": name,
        "row_normalize": row_normalize,
        "comparison": comparison,
        "zero_over_zero": zero_over_zero,
    }
    dense = aggregation_similarity(case.edge_index, case.x, case.y, **settings, **case.options)
    assert reference.agree(dense, share)
    op = Operator.from_scipy(reference.dense(A))
    assert reference.agree(aggregation_similarity(op, case.x.to_sparse_csr(), case.y, **settings), share)
    modified = modified_aggregation_similarity(op, case.x.to_sparse(), case.y, **settings)
    assert reference.agree(modified, reference.modified(share))


@given(case=cases(labels=((0, 1), (0, 1, 2), (-1, 2, 5, 9))), name=st.sampled_from(IRRATIONAL))
def test_symmetric_normalisations_equal_the_dense_matrix(case: Case, name: str) -> None:
    """Roots have no fractions: the dense comparison is given the benefit of 1e-9."""
    if len(reference.classes_of(case.labels)) < 2:
        return
    A = reference.adjacency(case)
    X = np.array(reference.feature_rows(case, False), dtype=float).reshape(case.num_nodes, case.num_features)
    M = reference.dense_matrix(A, name) @ X
    S, y = M @ M.T, np.array(case.labels)
    passed = [
        S[v, y == y[v]].mean() >= S[v, (y >= 0) & (y != y[v])].mean() - 1e-9 for v in np.flatnonzero(y >= 0)
    ]
    value = aggregation_similarity(case.edge_index, case.x, case.y, normalization=name, **case.options)
    assert value == pytest.approx(np.mean(passed))


def test_harmless_heterophily() -> None:
    """ACM paper, figure 1: every edge joins two classes, yet averages keep the classes apart."""
    edge_index = torch.cartesian_prod(torch.arange(3), torch.arange(3, 6)).T
    y = torch.tensor([0, 0, 0, 1, 1, 1])
    assert aggregation_homophily(edge_index, y) == modified_aggregation_homophily(edge_index, y) == 1


def test_similarity_matrix_of_figure_3_through_class_means() -> None:
    edges = [(1, 2), (1, 4), (1, 5), (4, 5), (4, 6), (4, 7), (5, 6), (6, 7), (3, 6), (3, 7)]
    S = torch.tensor(
        [
            [1 / 2] * 7,
            [1 / 2, 1, 1 / 3, 1 / 5, 1 / 4, 1 / 5, 1 / 4],
            [1 / 2, 1 / 3, 5 / 9, 3 / 5, 7 / 12, 3 / 5, 7 / 12],
            [1 / 2, 1 / 5, 3 / 5, 0.68, 0.65, 0.68, 0.65],
            [1 / 2, 1 / 4, 7 / 12, 0.65, 0.625, 0.65, 0.625],
            [1 / 2, 1 / 5, 3 / 5, 0.68, 0.65, 0.68, 0.65],
            [1 / 2, 1 / 4, 7 / 12, 0.65, 0.625, 0.65, 0.625],
        ],
        dtype=torch.float64,
    )
    graph = LabelledGraph.build(torch.tensor(edges).T - 1, torch.tensor([0, 0, 0, 1, 1, 1, 1]))
    means = torch.stack([S[:, :3].mean(1), S[:, 3:].mean(1)], 1)
    torch.testing.assert_close(label_similarity(graph).means, means)
    # Node 3 alone is drawn to the other class; node 1 is torn exactly.
    assert label_similarity(graph).aggregates().tolist() == [True, True, False, True, True, True, True]


def test_exact_ties_survive_rounding() -> None:
    """A regular graph on which every class is alike: without a tolerance rounding would decide each node."""
    generator = torch.Generator().manual_seed(3)
    shifts = torch.randperm(17, generator=generator)[:6] + 1
    ring = torch.arange(21)
    edge_index = torch.cat([torch.stack([ring, (ring + shift) % 21]) for shift in shifts], 1)
    y = ring % 3
    full = torch.combinations(ring).T
    assert aggregation_homophily(full, y) == 1
    case = Case(21, tuple(map(tuple, edge_index.T.tolist())), None, tuple(y.tolist()), (), 0, False, "out")
    A = reference.normalized(reference.adjacency(case), "A_hat_rw")
    expected = reference.aggregating(reference.similarity(A, reference.one_hot(case.labels)), case.labels)
    assert reference.agree(aggregation_homophily(edge_index, y), reference.share(expected))


def test_one_class_is_undefined_and_says_why() -> None:
    graph = LabelledGraph.build(torch.tensor([[0], [1]]), torch.tensor([1, 1, -1]), torch.ones(3, 1))
    for measured in (measure_aggregation_homophily(graph), measure_aggregation_similarity(graph)):
        assert math.isnan(measured.value)
        assert measured.reason == "fewer than two classes: there is no other class to compare with"
    assert math.isnan(modified_aggregation_homophily(torch.tensor([[0], [1]]), torch.tensor([1, 1])))


def test_bad_input_is_refused() -> None:
    edge_index, y = torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, 1, 1])
    with pytest.raises(InputError, match="comparison='median'"):
        aggregation_homophily(edge_index, y, comparison="median")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="zero_over_zero='skip'"):
        aggregation_similarity(edge_index, torch.ones(3, 1), y, zero_over_zero="skip")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="NaN or infinite"):
        aggregation_similarity(edge_index, torch.full((3, 1), math.nan), y)
