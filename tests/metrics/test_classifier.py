"""Classifier-based metrics: kernels against integrals and scikit-learn, verdicts on graphs with a known answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import integrate, sparse, stats
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import linear_kernel
from sklearn.naive_bayes import GaussianNB
from torch import Tensor

from allpass.errors import InputError
from allpass.metrics import LabelledGraph, classifier_test, run_classifier
from allpass.metrics.classifier import (
    Classifier,
    _arc_cosine_kernel,
    _draw,
    _kernel_regression,
    _linear_kernel,
    measure_classifier,
)

CLASSIFIERS: tuple[Classifier, ...] = ("linear", "arc-cosine", "naive-bayes")


def planted(homophily: float, separation: float, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Two classes of 150 nodes, ten edges a node, Gaussian features ``separation`` apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(300) % 2
    source = rng.integers(0, 300, 1500)
    same = rng.random(1500) < homophily
    target = 2 * rng.integers(0, 150, 1500) + np.where(same, y[source], 1 - y[source])
    x = rng.normal(size=(300, 8)) + separation * (2 * y[:, None] - 1) / 2
    return torch.from_numpy(np.stack([source, target])), torch.from_numpy(x), torch.from_numpy(y)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_random_wiring_of_informative_features_hurts(classifier: Classifier) -> None:
    outcome = classifier_test(*planted(0.5, 1.5), classifier, repeats=20, sample=200)
    assert outcome.p_value < 0.01
    assert outcome.with_graph < outcome.without_graph - 0.05
    assert outcome.repeats == 20


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_strong_homophily_of_weak_features_helps(classifier: Classifier) -> None:
    outcome = classifier_test(*planted(0.95, 0.5), classifier, repeats=20, sample=200)
    assert outcome.p_value > 0.99
    assert outcome.with_graph > outcome.without_graph + 0.05


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_no_edges_make_no_difference(classifier: Classifier) -> None:
    _, x, y = planted(0.5, 1)
    outcome = classifier_test(torch.zeros(2, 0, dtype=torch.int64), x, y, classifier, repeats=5, sample=100)
    assert outcome.p_value == 0.5
    assert outcome.with_graph == outcome.without_graph


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_same_seed_same_numbers(classifier: Classifier) -> None:
    arguments = *planted(0.7, 1), classifier
    first = classifier_test(*arguments, repeats=5, sample=100)
    assert classifier_test(*arguments, repeats=5, sample=100) == first
    assert classifier_test(*arguments, repeats=5, sample=100, seed=1) != first


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("homophily", [0.3, 0.8])
def test_equals_a_dense_reimplementation(classifier: Classifier, homophily: float) -> None:
    """The same samples, with dense matrices, pseudo-inverses, and the tests of SciPy and scikit-learn."""
    edge_index, x, y = planted(homophily, 0.7)
    A = np.zeros((300, 300))
    A[edge_index[0], edge_index[1]] = A[edge_index[1], edge_index[0]] = 1
    A += np.eye(300)
    X = (x / x.abs().sum(1, keepdim=True)).numpy()
    labels, accuracies = y.numpy(), []
    for k in range(8):
        train, test = _draw(labels, 120, np.random.default_rng([3, k]))
        accuracies.append(
            [
                np.mean(_predict(classifier, rows[train], labels[train], rows[test]) == labels[test])
                for rows in (A / A.sum(1, keepdims=True) @ X, X)
            ]
        )
    with_graph, without = np.array(accuracies).T
    p = stats.ttest_ind(with_graph, without, equal_var=False).pvalue
    p = p / 2 if (with_graph > without).mean() <= 0.5 else 1 - p / 2
    for features in (x, x.to_sparse_csr()):
        outcome = classifier_test(edge_index, features, y, classifier, repeats=8, sample=120, seed=3)
        assert outcome.p_value == pytest.approx(p, rel=1e-9)
        assert outcome.with_graph == pytest.approx(with_graph.mean())
        assert outcome.without_graph == pytest.approx(without.mean())


def _predict(classifier: Classifier, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    if classifier == "naive-bayes":
        return GaussianNB().fit(X, y).predict(X_test)
    kernel = _linear_kernel if classifier == "linear" else _arc_cosine_kernel
    return np.argmax(kernel(X_test, X) @ np.linalg.pinv(kernel(X, X), hermitian=True) @ np.eye(2)[y], 1)


def test_linear_kernel_is_half_of_scikit_learns() -> None:
    X, Y = np.random.default_rng(0).normal(size=(2, 6, 4))
    np.testing.assert_allclose(_linear_kernel(X, Y), linear_kernel(X, Y) / 2)


def test_arc_cosine_kernel_is_an_integral() -> None:
    """E[relu(w x) relu(w y)] for Gaussian w; in the plane, over its angle, with E r^2 = 2."""
    X, Y = np.random.default_rng(0).normal(size=(2, 5, 2))
    X[0], Y[0] = (1, 0), (2, 0)  # the same way
    X[1], Y[1] = (1, 0), (-1, 0)  # opposite ways
    X[2] = 0
    K = _arc_cosine_kernel(X, Y)
    for i, x in enumerate(X):
        for j, y in enumerate(Y):

            def rectified(angle: float, x: np.ndarray = x, y: np.ndarray = y) -> float:
                w = np.array([math.cos(angle), math.sin(angle)])
                return max(w @ x, 0) * max(w @ y, 0)

            corners = [
                math.atan2(*v[::-1]) % (2 * math.pi) + turn
                for v in (x, y)
                for turn in (-math.pi / 2, math.pi / 2)
            ]
            corners = sorted(corner % (2 * math.pi) for corner in corners)
            value = integrate.quad(rectified, 0, 2 * math.pi, points=corners)[0] / math.pi
            assert K[i, j] == pytest.approx(value, abs=1e-7)


def test_arc_cosine_kernel_in_many_dimensions() -> None:
    rng = np.random.default_rng(1)
    X, W = rng.normal(size=(4, 6)), rng.normal(size=(200_000, 6))
    H = np.maximum(X @ W.T, 0)
    np.testing.assert_allclose(_arc_cosine_kernel(X, X), H @ H.T / len(W), rtol=0.05, atol=0.02)


@pytest.mark.parametrize("kernel", [_linear_kernel, _arc_cosine_kernel])
def test_kernel_regression_is_ridge_without_the_ridge(kernel: object) -> None:
    rng = np.random.default_rng(2)
    X, y, X_test = rng.normal(size=(12, 20)), rng.integers(0, 3, 12), rng.normal(size=(30, 20))
    ridge = KernelRidge(alpha=1e-12, kernel="precomputed").fit(kernel(X, X), np.eye(3)[y])  # type: ignore[operator]
    expected = ridge.predict(kernel(X_test, X)).argmax(1)  # type: ignore[operator]
    np.testing.assert_array_equal(_kernel_regression(kernel, X, y, X_test), expected)  # type: ignore[arg-type]


def test_samples_are_balanced_and_disjoint() -> None:
    y = np.repeat([0, 1, 2, -1], [100, 40, 3, 20])
    train, test = _draw(y, 90, np.random.default_rng(0))
    assert np.bincount(y[train]).tolist() == [13, 13, 3]  # 60% of 63 nodes: 12.6 of each class at most
    assert np.bincount(y[test], minlength=3).tolist() == [17, 17, 0]
    assert len(set(train) | set(test)) == len(train) + len(test)


def test_a_class_of_one_node_is_no_obstacle() -> None:
    edge_index, x, y = planted(0.9, 1)
    y[0] = 2
    for classifier in CLASSIFIERS:
        assert 0 <= classifier_test(edge_index, x, y, classifier, repeats=3, sample=60).p_value <= 1


def test_features_without_variance_decide_nothing() -> None:
    edge_index, x, y = planted(0.9, 1)
    for classifier in CLASSIFIERS:
        outcome = classifier_test(edge_index, torch.zeros_like(x), y, classifier, repeats=3, sample=60)
        assert outcome.p_value == 0.5


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_rounding_decides_nothing(classifier: Classifier) -> None:
    """Equal and parallel rows in several classes: their scores tie, and processors round in different ways."""
    edge_index, _, y = planted(0.3, 1)
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(0, 4, (len(y), 3), generator=generator).double()
    found = set()
    for size in (0.0, 1e-15, 1e-15):
        noise = torch.randn(x.shape, dtype=torch.float64, generator=generator)
        found.add(
            round(classifier_test(edge_index, x * (1 + size * noise), y, classifier, repeats=20).p_value, 9)
        )
    assert len(found) == 1


def test_kernel_of_parallel_rows_is_exact() -> None:
    X = np.random.default_rng(0).normal(size=(20, 4))
    K = _arc_cosine_kernel(X, 3 * X)
    np.testing.assert_allclose(np.diag(K), 3 * (X**2).sum(1) / 2, rtol=1e-15 * 4)


def test_outcome_is_kept_with_the_graph() -> None:
    edge_index, x, y = planted(0.9, 1)
    graph = LabelledGraph.build(edge_index, y, x)
    assert run_classifier(graph, repeats=3, sample=60) is run_classifier(graph, repeats=3, sample=60)


def test_sparse_features_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rows of a sample become dense, never the whole matrix."""
    edge_index, x, y = planted(0.9, 1)
    whole = []
    todense = sparse.csr_array.todense
    monkeypatch.setattr(
        sparse.csr_array,
        "todense",
        lambda block, *a, **k: whole.append(block.shape[0]) or todense(block, *a, **k),
    )
    classifier_test(edge_index, x.to_sparse_csr(), y, repeats=3, sample=60)
    assert max(whole) < 60


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        ([0, 0, 0], "fewer than two classes"),
        ([-1, -1, -1], "fewer than two"),
        ([0, 1, 2], "no class has two"),
    ],
)
def test_what_cannot_be_tested_says_why(y: list[int], reason: str) -> None:
    graph = LabelledGraph.build(torch.tensor([[0, 1], [1, 2]]), torch.tensor(y), torch.ones(3, 2))
    measured = measure_classifier(graph)
    assert math.isnan(measured.value)
    assert reason in measured.reason
    with pytest.raises(InputError, match=reason):
        run_classifier(graph)


def test_bad_options_are_refused() -> None:
    arguments = planted(0.9, 1)
    with pytest.raises(InputError, match=r"'svm'.*linear, arc-cosine, naive-bayes"):
        classifier_test(*arguments, "svm")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"1 repeats.*at least 2"):
        classifier_test(*arguments, repeats=1)
    with pytest.raises(InputError, match=r"'L_rw'.*averaging matrix"):
        classifier_test(*arguments, normalization="L_rw")
    no_features = LabelledGraph.build(arguments[0], arguments[2], torch.ones(300, 0))
    assert measure_classifier(no_features).reason == "no features"


def test_more_classes_than_a_sample_holds_are_undefined_at_once():
    y = torch.arange(600) // 2
    edge_index = torch.stack([torch.arange(600), (torch.arange(600) + 1) % 600])
    found = measure_classifier(LabelledGraph.build(edge_index, y, torch.randn(600, 3)))
    assert math.isnan(found.value)
    assert found.reason == "more than 250 classes, so a sample of 500 nodes has fewer than two of each"
