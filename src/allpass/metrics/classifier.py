r"""Classifier-based metrics: does a simple classifier do better on X or on the averaged features?

Many times over: draw a class-balanced sample, split it 60/40, fit the same training-free classifier on X and on
:math:`\hat A X`, compare. A Welch test over the repetitions turns the two sets of accuracies into one p-value: near 0
the graph hurts, near 1 it helps.

The classifiers: kernel regression with the linear kernel :math:`X X^\top / 2`; kernel regression with the
arc-cosine kernel of one ReLU layer,
:math:`\frac{1}{2\pi} \big( G (\pi - \arccos(G / n)) + \sqrt{n^2 - G^2} \big)` with :math:`G = X X^\top` and n the
product of the norms; Gaussian naive Bayes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Operator, matrix
from allpass.metrics.base import Measurement
from allpass.metrics.features import features_as_map
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph

MANY = 250
"""Classes above which the metrics are undefined: two nodes of each are more than a sample holds."""

Classifier = Literal["linear", "arc-cosine", "naive-bayes"]


@dataclass(frozen=True)
class GraphTest:
    """The outcome of comparing a classifier with and without the graph.

    Args:
        p_value: One-sided: small when the graph hurts.
        with_graph: Mean accuracy on averaged features.
        without_graph: Mean accuracy on plain features.
        repeats: Number of samples drawn.
    """

    p_value: float
    with_graph: float
    without_graph: float
    repeats: int


def classifier_test(
    edge_index: Graph,
    x: Tensor,
    y: Tensor,
    classifier: Classifier = "linear",
    *,
    normalization: str = "A_hat_rw",
    repeats: int = 100,
    sample: int = 500,
    seed: int = 0,
    **options: Unpack[GraphOptions],
) -> GraphTest:
    """Compare a simple classifier on X and on ÂX.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        x: Features ``[N, F]``, dense or sparse; rows are normalised first.
        y: Class of every node; negative where unknown.
        classifier: ``"linear"`` or ``"arc-cosine"`` kernel regression, or ``"naive-bayes"``.
        normalization: The averaging matrix Â.
        repeats: Number of samples.
        sample: Nodes in a sample, the same number from each class (a smaller class whole).
        seed: Seed of the samples.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.
    """
    graph = LabelledGraph.build(edge_index, y, x, **options)
    return run_classifier(graph, classifier, normalization, repeats, sample, seed)


def run_classifier(
    graph: LabelledGraph,
    classifier: Classifier = "linear",
    normalization: str = "A_hat_rw",
    repeats: int = 100,
    sample: int = 500,
    seed: int = 0,
) -> GraphTest:
    """The same for a prepared graph, which keeps the outcome."""
    key = ("classifier test", classifier, normalization, repeats, sample, seed)
    return graph.once(key, lambda: _run(graph, classifier, normalization, repeats, sample, seed))


def _run(
    graph: LabelledGraph, classifier: Classifier, normalization: str, repeats: int, sample: int, seed: int
) -> GraphTest:
    if classifier not in _PREDICTORS:
        raise InputError(f"Got the classifier {classifier!r}.", f"Expected one of {', '.join(_PREDICTORS)}.")
    if repeats < 2:
        raise InputError(f"Got {repeats} repeats.", "A test needs at least 2.")
    if reason := _untestable(graph):
        raise InputError(f"Got a graph that cannot be tested: {reason}.", "Expected more labelled nodes.")
    predict = _PREDICTORS[classifier]
    y = graph.labels.cpu().numpy()
    draws = [_draw(y, sample, np.random.default_rng([seed, k])) for k in range(repeats)]
    plain, averaged = _rows(
        graph, normalization, np.unique(np.concatenate([np.concatenate(d) for d in draws]))
    )
    with threadpool_limits(1):  # matrices of a few hundred rows only lose by being shared among threads
        scores = np.array(
            [
                [np.mean(predict(rows(train), y[train], rows(test)) == y[test]) for rows in (averaged, plain)]
                for train, test in draws
            ]
        )
    with_graph, without = scores.T
    wins = float(np.mean(with_graph > without))
    p = _welch(with_graph, without)
    one_sided = p / 2 if wins <= 0.5 else 1 - p / 2
    return GraphTest(one_sided, float(with_graph.mean()), float(without.mean()), repeats)


def _welch(a: np.ndarray, b: np.ndarray) -> float:
    """Two-sided p-value of Welch's test; all values equal within both samples make it certain."""
    if np.ptp(a) == np.ptp(b) == 0:
        return 1.0 if a[0] == b[0] else 0.0
    means, spreads = (a.mean(), b.mean()), (a.std(ddof=1), b.std(ddof=1))
    outcome = stats.ttest_ind_from_stats(
        means[0], spreads[0], len(a), means[1], spreads[1], len(b), equal_var=False
    )
    return float(outcome.pvalue)


def _draw(y: np.ndarray, sample: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Nodes for training and testing: a class-balanced sample, 60% of it in equal numbers from each class."""
    C = int(y.max()) + 1
    members = [rng.permutation(np.flatnonzero(y == k))[: max(sample // C, 2)] for k in range(C)]
    size = sum(len(m) for m in members)
    cap = max(round(0.6 * size / C), 1)
    train = np.concatenate([m[:cap] for m in members])
    test = np.concatenate([m[cap:] for m in members])
    return train, test


def _rows(graph: LabelledGraph, normalization: str, nodes: np.ndarray) -> tuple[Any, Any]:
    """Two functions from node numbers to dense rows: of X, and of ÂX."""
    X = features_as_map(graph.features, row_normalize=True)
    A = matrix(graph.adjacency, normalization)
    if not isinstance(A, Operator):
        raise InputError(
            f"Got the matrix {normalization!r}.", "Expected an averaging matrix such as 'A_hat_rw'."
        )
    features = X.values.cpu().numpy() if X.sparse is None else X.sparse.to_scipy()
    averaged = A.to_scipy()[nodes] @ features
    place = {int(node): i for i, node in enumerate(nodes)}

    def dense(block: Any) -> np.ndarray:
        return np.asarray(block.todense() if hasattr(block, "todense") else block)

    return (
        lambda chosen: dense(features[chosen]),
        lambda chosen: dense(averaged[[place[int(v)] for v in chosen]]),
    )


def _kernel_regression(
    kernel: Callable[[np.ndarray, np.ndarray], np.ndarray], X: np.ndarray, y: np.ndarray, X_test: np.ndarray
) -> np.ndarray:
    """argmax of K(test, train) K(train, train)^+ Y; of classes that tie, as for equal rows of several, the first."""
    targets = np.eye(int(y.max()) + 1)[y]
    values, V = np.linalg.eigh(kernel(X, X))
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    weights = (V[:, kept] / values[kept]) @ (V[:, kept].T @ targets)
    return np.argmax(np.round(kernel(X_test, X) @ weights, _DIGITS), axis=1)


def _linear_kernel(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return X @ Y.T / 2


def _arc_cosine_kernel(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    norms = np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Y, axis=1))
    cosine = np.divide(X @ Y.T, norms, out=np.zeros_like(norms), where=norms > 0).clip(-1, 1)
    # Angle and sine of the same cosine: of rows that are nearly parallel their errors are large, and cancel.
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    return norms * (cosine * (np.pi - np.arccos(cosine)) + sine) / (2 * np.pi)


def _naive_bayes(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    from sklearn.naive_bayes import GaussianNB

    if not np.ptp(X, axis=0).any():  # nothing to tell nodes apart, and a variance of 0 to divide by
        return np.full(len(X_test), np.bincount(y).argmax())
    return GaussianNB().fit(X, y).predict(X_test)


_DIGITS = 6  # of scores that are about 0 or 1: what follows may be rounding, which decides no tie
_PREDICTORS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "linear": partial(_kernel_regression, _linear_kernel),
    "arc-cosine": partial(_kernel_regression, _arc_cosine_kernel),
    "naive-bayes": _naive_bayes,
}


def measure_classifier(graph: LabelledGraph, classifier: Classifier = "linear") -> Measurement:
    """p-value of the test on a prepared graph."""
    if reason := _untestable(graph):
        return Measurement.undefined(reason)
    if graph.num_classes > MANY:
        return Measurement.undefined(
            f"more than {MANY} classes, so a sample of 500 nodes has fewer than two of each"
        )
    return Measurement(run_classifier(graph, classifier).p_value)


def _untestable(graph: LabelledGraph) -> str:
    """Why no sample can be drawn, or nothing. A class of one node is always in the training half."""
    if not graph.features.shape[1]:
        return "no features"
    if graph.num_classes < 2:
        return "fewer than two classes"
    return "no class has two nodes, one to train and one to test" if int(graph.class_sizes.max()) < 2 else ""
