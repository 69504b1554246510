"""Class sums of the similarity matrix against the whole matrix, and ties against exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import InputError, UnknownNameError
from allpass.metrics import LabelledGraph, feature_similarity, label_similarity, node_similarity
from allpass.metrics.similarity import ClassSimilarity

NAMES = ["A", "A_rw", "A_sym", "A_hat_rw", "A_hat_sym", "L", "L_rw", "L_sym", "L_hat_rw", "L_hat_sym"]
MANY_CLASSES = ((0, 1), (0, 1, 2), (-1, 0, 1), (-1, 2, 5, 9))


def class_means(S: np.ndarray, labels: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y = np.array(labels)
    known = y >= 0
    own = np.array([S[v, y == y[v]].mean() for v in np.flatnonzero(known)])
    other = np.array([S[v, known & (y != y[v])].mean() for v in np.flatnonzero(known)])
    each = np.stack([S[known][:, y == k].mean(1) for k in reference.classes_of(labels)], 1)
    return own, other, each


@given(case=cases(labels=MANY_CLASSES), name=st.sampled_from(NAMES))
def test_class_means_equal_the_dense_matrix(case: Case, name: str) -> None:
    if len(reference.classes_of(case.labels)) < 2:
        return
    H = reference.dense_matrix(reference.adjacency(case), name)
    Z = np.array(reference.one_hot(case.labels), dtype=float)
    X = np.array(reference.feature_rows(case, False), dtype=float).reshape(case.num_nodes, case.num_features)
    graph = LabelledGraph.build(case.edge_index, case.y, case.x, **case.options)
    I = np.eye(case.num_nodes)
    for similarity, M in (
        (label_similarity(graph, name), H @ Z),
        (feature_similarity(graph, name), H @ X),
        (feature_similarity(graph, name, high_pass=True), (I - H) @ X),
    ):
        own, other, each = class_means(M @ M.T, case.labels)
        np.testing.assert_allclose(similarity.own, own, atol=1e-9)
        np.testing.assert_allclose(similarity.other, other, atol=1e-9)
        np.testing.assert_allclose(similarity.means, each, atol=1e-9)
        assert bool((similarity.own_scale >= similarity.own.abs() - 1e-9).all())
        assert bool((similarity.other_scale >= similarity.other.abs() - 1e-9).all())


@given(case=cases(), name=st.sampled_from(NAMES), high_pass=st.booleans(), row_normalize=st.booleans())
def test_rows_of_the_similarity_matrix(case: Case, name: str, high_pass: bool, row_normalize: bool) -> None:
    """S(Â, X) = Â X (Â X)^T and S(I - Â, X), written out."""
    H = reference.dense_matrix(reference.adjacency(case), name)
    H = np.eye(case.num_nodes) - H if high_pass else H
    rows = reference.feature_rows(case, row_normalize)
    M = H @ np.array(rows, dtype=float).reshape(case.num_nodes, case.num_features)
    nodes = torch.arange(case.num_nodes).flip(0)[::2]
    settings = {"normalization": name, "high_pass": high_pass, "row_normalize": row_normalize}
    for x in (case.x, case.x.to_sparse_csr()):
        found = node_similarity(case.edge_index, x, nodes, **settings, **case.options)
        np.testing.assert_allclose(found, (M @ M.T)[nodes.numpy()], atol=1e-9)


@pytest.mark.parametrize(
    "nodes", [torch.tensor([3]), torch.tensor([-1]), torch.tensor([0.0]), torch.ones(3) > 0]
)
def test_rows_of_no_node_are_refused(nodes: torch.Tensor) -> None:
    with pytest.raises(InputError, match="numbers of nodes"):
        node_similarity(torch.tensor([[0, 1], [1, 2]]), torch.eye(3), nodes)


def test_no_normalisation_takes_the_operator_itself() -> None:
    graph = LabelledGraph.build(torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, 1, 1]), torch.eye(3))
    for similarity in (label_similarity, feature_similarity):
        torch.testing.assert_close(similarity(graph, None).sums, similarity(graph, "A").sums)


def test_work_is_shared() -> None:
    graph = LabelledGraph.build(torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, 1, 1]), torch.eye(3))
    assert label_similarity(graph) is label_similarity(graph)
    assert feature_similarity(graph) is feature_similarity(graph)
    assert feature_similarity(graph) is not feature_similarity(graph, row_normalize=True)


def test_tolerance_is_relative_and_an_option() -> None:
    sums = torch.tensor(
        [[1.0, 1 + 1e-13], [1.0, 1 + 1e-11], [1e-30, 1e-30 * (1 + 1e-13)]], dtype=torch.float64
    )
    labels, ones = torch.zeros(3, dtype=torch.int64), torch.ones(2, dtype=torch.float64)
    similarity = ClassSimilarity(sums, sums, labels, ones)
    assert similarity.aggregates().tolist() == [True, False, True]
    assert similarity.aggregates("argmax").tolist() == [True, False, True]
    assert similarity.aggregates(rtol=0).tolist() == [False, False, False]
    assert similarity.aggregates(rtol=1e-10).tolist() == [True, True, True]


def test_cancelling_terms_are_a_tie() -> None:
    """0.1 + 0.2 - 0.3 is not 0 in binary; against terms of that size it is nothing."""
    rest = torch.tensor([[0.1 + 0.2 - 0.3, -(0.1 + 0.2 - 0.3)]], dtype=torch.float64)
    size = torch.tensor([[0.6, 0.6]], dtype=torch.float64)
    labels, ones = torch.zeros(1, dtype=torch.int64), torch.ones(2, dtype=torch.float64)
    similarity = ClassSimilarity(-rest, size, labels, ones)
    assert similarity.aggregates().tolist() == [True]
    assert similarity.aggregates(zero_over_zero="fail").tolist() == [False]
    assert similarity.diversifies().tolist() == [True]
    assert similarity.diversifies(strict=True).tolist() == [False]


def test_a_large_own_class_leaves_no_rounding_in_the_others() -> None:
    sums = torch.tensor([[1e17, 1.0, 2.0]], dtype=torch.float64)
    labels, ones = torch.zeros(1, dtype=torch.int64), torch.ones(3, dtype=torch.float64)
    assert ClassSimilarity(sums, sums, labels, ones).other.tolist() == [1.5]


def test_tolerance_is_that_of_the_less_certain_mean() -> None:
    """The own mean is exactly 0; what is left of the rival's has cancelled out of terms of size 1."""
    sums = torch.tensor([[0.0, 1e-17]], dtype=torch.float64)
    scales = torch.tensor([[0.0, 1.0]], dtype=torch.float64)
    labels, ones = torch.zeros(1, dtype=torch.int64), torch.ones(2, dtype=torch.float64)
    similarity = ClassSimilarity(sums, scales, labels, ones)
    assert similarity.aggregates("mean").tolist() == similarity.aggregates("argmax").tolist() == [True]


def test_bad_options_are_refused() -> None:
    graph = LabelledGraph.build(torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, 1, 1]))
    with pytest.raises(InputError, match=r"comparison='max'.*'mean' or 'argmax'"):
        label_similarity(graph).aggregates("max")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"zero_over_zero='nan'.*'pass' or 'fail'"):
        label_similarity(graph).aggregates(zero_over_zero="nan")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="Did you mean 'A_hat_rw'"):
        label_similarity(graph, "A_hat_r")
