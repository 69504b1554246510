"""The definitions by brute force, in exact fractions and plain loops; shares nothing with the library.

A matrix is a list of rows, ``None`` a quantity that is not defined. Dense NumPy is used where a definition has
logarithms, roots or singular values.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from tests.metrics.cases import Case

Matrix = list[list[Fraction]]


def adjacency(case: Case) -> Matrix:
    """A_vu: weight of u as a neighbour of v."""
    N = case.num_nodes
    A = [[Fraction(0)] * N for _ in range(N)]
    for place, (source, target) in enumerate(case.edges):
        v, u = (source, target) if case.neighbours == "out" else (target, source)
        if case.weights is None:
            A[v][u] = Fraction(1)
        else:
            A[v][u] += case.weights[place]
    if case.directed:
        return A
    return [[max(A[v][u], A[u][v]) for u in range(N)] for v in range(N)]


def with_loops(A: Matrix, self_loops: str) -> Matrix:
    """Its own loops dropped or kept, or exactly one for every node."""
    A = [list(row) for row in A]
    if self_loops != "keep":
        for v in range(len(A)):
            A[v][v] = Fraction(1 if self_loops == "add" else 0)
    return A


def classes_of(labels: tuple[int, ...]) -> list[int]:
    return sorted({label for label in labels if label >= 0})


def labelled_entries(A: Matrix, labels: tuple[int, ...]) -> list[tuple[int, int, Fraction]]:
    N = len(A)
    return [(v, u, A[v][u]) for v in range(N) for u in range(N) if labels[v] >= 0 and labels[u] >= 0]


def edge_homophily(A: Matrix, labels: tuple[int, ...]) -> Fraction | None:
    entries = labelled_entries(A, labels)
    total = sum(w for _, _, w in entries)
    return sum(w for v, u, w in entries if labels[v] == labels[u]) / Fraction(total) if total else None


def label_smoothness(A: Matrix, labels: tuple[int, ...]) -> Fraction | None:
    entries = labelled_entries(A, labels)
    total = sum(w for _, _, w in entries)
    return sum(w for v, u, w in entries if labels[v] != labels[u]) / Fraction(total) if total else None


def node_homophily(A: Matrix, labels: tuple[int, ...]) -> Fraction | None:
    shares = []
    for v in range(len(A)):
        if labels[v] >= 0:
            degree = sum(w for u, w in enumerate(A[v]) if labels[u] >= 0)
            if degree:
                shares.append(sum(w for u, w in enumerate(A[v]) if labels[u] == labels[v]) / degree)
    return sum(shares) / Fraction(len(shares)) if shares else None


def classwise_homophily(A: Matrix, labels: tuple[int, ...]) -> list[Fraction | None]:
    shares: list[Fraction | None] = []
    for k in classes_of(labels):
        entries = [(u, w) for v, u, w in labelled_entries(A, labels) if labels[v] == k]
        degree = sum(w for _, w in entries)
        shares.append(sum(w for u, w in entries if labels[u] == k) / Fraction(degree) if degree else None)
    return shares


def class_homophily(A: Matrix, labels: tuple[int, ...], empty_class: str = "undefined") -> Fraction | None:
    classes = classes_of(labels)
    if len(classes) < 2:
        return None
    known = sum(label >= 0 for label in labels)
    total = Fraction(0)
    for k, h in zip(classes, classwise_homophily(A, labels), strict=True):
        if h is None and empty_class == "undefined":
            return None
        total += max((h or Fraction(0)) - Fraction(labels.count(k), known), Fraction(0))
    most = max(labels) + 1
    return total / ((most if most <= len(labels) else len(classes)) - 1)


def end_shares(A: Matrix, labels: tuple[int, ...]) -> dict[int, Fraction] | None:
    """Share of all ends of edges that lie in each class; nothing when there are fewer than two such classes."""
    entries = labelled_entries(A, labels)
    total = 2 * sum(w for _, _, w in entries)
    if not total:
        return None
    shares = {
        k: sum(w for v, u, w in entries for end in (v, u) if labels[end] == k) / Fraction(total)
        for k in classes_of(labels)
    }
    return shares if sum(share > 0 for share in shares.values()) > 1 else None


def adjusted_homophily(A: Matrix, labels: tuple[int, ...]) -> Fraction | None:
    shares = end_shares(A, labels)
    edge = edge_homophily(A, labels)
    if shares is None or edge is None:
        return None
    chance = sum(share * share for share in shares.values())
    return (edge - chance) / (1 - chance)


def label_informativeness(A: Matrix, labels: tuple[int, ...]) -> float | None:
    """Mutual information of the labels at the two ends of a random edge, over the entropy of one of them."""
    shares = end_shares(A, labels)
    if shares is None:
        return None
    entries = labelled_entries(A, labels)
    total = sum(w for _, _, w in entries)
    information = 0.0
    for k in shares:
        for l in shares:
            there = sum(w for v, u, w in entries if (labels[v], labels[u]) == (k, l))
            back = sum(w for v, u, w in entries if (labels[v], labels[u]) == (l, k))
            p = float((there + back) / Fraction(2 * total))
            if p:
                information += p * np.log(p / float(shares[k] * shares[l]))
    return information / -sum(float(s) * np.log(float(s)) for s in shares.values() if s)


def neighbourhood_identifiability(A: Matrix, labels: tuple[int, ...]) -> float | None:
    classes = classes_of(labels)
    if len(classes) < 2:
        return None
    rows: dict[int, list[list[float]]] = {k: [] for k in classes}
    for v in range(len(A)):
        counts = [sum(w for u, w in enumerate(A[v]) if labels[u] == k) for k in classes]
        if labels[v] >= 0 and sum(counts):
            rows[labels[v]].append([float(c / Fraction(sum(counts))) for c in counts])
    counted = sum(len(stack) for stack in rows.values())
    if not counted:
        return None
    total = 0.0
    for stack in rows.values():
        if stack:
            sizes = np.linalg.svd(np.array(stack), compute_uv=False)
            p = sizes[sizes > 1e-14] / sizes.sum()
            total += len(stack) / counted * -float((p * np.log(p)).sum()) / float(np.log(len(classes)))
    return total


def normalized(A: Matrix, name: str) -> Matrix:
    """The rational matrices by name."""
    N = len(A)
    one = [[Fraction(int(v == u)) for u in range(N)] for v in range(N)]
    if name == "A":
        return A
    if name == "I":
        return one
    if name == "A_hat_rw":
        A = [[A[v][u] + one[v][u] for u in range(N)] for v in range(N)]
    elif name != "A_rw":
        raise AssertionError(name)
    degrees = [sum(row) for row in A]
    return [[A[v][u] / degrees[v] if degrees[v] else Fraction(0) for u in range(N)] for v in range(N)]


def high_pass(H: Matrix) -> Matrix:
    return [[int(v == u) - H[v][u] for u in range(len(H))] for v in range(len(H))]


def feature_rows(case: Case, row_normalize: bool) -> Matrix:
    rows = [[Fraction(value) for value in row] for row in case.features]
    if not row_normalize:
        return rows
    sizes = [sum(abs(value) for value in row) for row in rows]
    return [[value / size for value in row] if size else row for row, size in zip(rows, sizes, strict=True)]


def one_hot(labels: tuple[int, ...]) -> Matrix:
    return [[Fraction(int(label == k)) for k in classes_of(labels)] for label in labels]


def similarity(H: Matrix, X: Matrix) -> Matrix:
    """S = H X (H X)^T, all N x N of it."""
    N, F = len(X), len(X[0]) if X else 0
    M = [[sum((H[v][u] * X[u][f] for u in range(N)), Fraction(0)) for f in range(F)] for v in range(N)]
    return [[sum((M[v][f] * M[u][f] for f in range(F)), Fraction(0)) for u in range(N)] for v in range(N)]


def class_means(S: Matrix, labels: tuple[int, ...], v: int) -> tuple[Fraction, Fraction, list[Fraction]]:
    """Mean similarity of v to its own class, to all others, and to every class."""

    def mean(chosen: list[Fraction]) -> Fraction:
        return sum(chosen) / Fraction(len(chosen))

    own = mean([S[v][u] for u in range(len(S)) if labels[u] == labels[v]])
    other = mean([S[v][u] for u in range(len(S)) if labels[u] >= 0 and labels[u] != labels[v]])
    each = [mean([S[v][u] for u in range(len(S)) if labels[u] == k]) for k in classes_of(labels)]
    return own, other, each


def aggregating(
    S: Matrix, labels: tuple[int, ...], comparison: str = "mean", zero_over_zero: str = "pass"
) -> list[bool] | None:
    """Which labelled nodes are at least as similar to their own class; nothing with fewer than two classes."""
    if len(classes_of(labels)) < 2:
        return None
    passed = []
    for v in range(len(S)):
        if labels[v] >= 0:
            own, other, each = class_means(S, labels, v)
            holds = own >= other if comparison == "mean" else own == max(each)
            passed.append(holds and not (zero_over_zero == "fail" and own == other == 0))
    return passed


def distinguishable(S: Matrix, labels: tuple[int, ...], strict: bool = False) -> list[bool] | None:
    """Which labelled nodes the high-pass similarity sets apart."""
    if len(classes_of(labels)) < 2:
        return None
    passed = []
    for v in range(len(S)):
        if labels[v] >= 0:
            own, other, _ = class_means(S, labels, v)
            passed.append((own > 0 if strict else own >= 0) and other <= 0)
    return passed


def share(passed: list[bool] | None) -> Fraction | None:
    return None if passed is None else Fraction(sum(passed), len(passed))


def modified(share: Fraction | None) -> Fraction | None:
    return None if share is None else max(2 * share - 1, Fraction(0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes else 0.0


def generalized_edge_homophily(A: Matrix, X: np.ndarray) -> float | None:
    pairs = [(v, u, float(w)) for v, row in enumerate(A) for u, w in enumerate(row) if u != v and w]
    total = sum(w for _, _, w in pairs)
    return sum(w * cosine(X[v], X[u]) for v, u, w in pairs) / total if total else None


def feature_smoothness(A: Matrix, X: np.ndarray) -> float | None:
    edges = sum(float(w) for v, row in enumerate(A) for u, w in enumerate(row) if u != v) / 2
    if not edges or not X.shape[1]:
        return None
    total = 0.0
    for v, row in enumerate(A):
        differences = sum(
            (float(w) * (X[v] - X[u]) for u, w in enumerate(row) if u != v), np.zeros(X.shape[1])
        )
        total += float(np.abs(differences**2).sum())
    return total / (edges * X.shape[1])


def mean_average_distance(A: Matrix, X: np.ndarray) -> float | None:
    distances = []
    for v, row in enumerate(A):
        around = [(u, float(w)) for u, w in enumerate(row) if u != v and w]
        if around:
            distances.append(sum(w * (1 - cosine(X[v], X[u])) for u, w in around) / sum(w for _, w in around))
    return float(np.mean(distances)) if distances else None


def dense(A: Matrix) -> np.ndarray:
    return np.array([[float(w) for w in row] for row in A]).reshape(len(A), len(A))


def dense_matrix(A: Matrix, name: str) -> np.ndarray:
    """Every named matrix in float64."""
    W = dense(A)
    if name == "L":
        return np.diag(W.sum(1)) - W
    if name.startswith("L"):
        return np.eye(len(W)) - dense_matrix(A, "A" + name[1:])
    if "hat" in name:
        W = W + np.eye(len(W))
    degrees = W.sum(1)
    scale = np.divide(1, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    if name.endswith("_rw"):
        return np.diag(scale) @ W
    if name.endswith("_sym"):
        return np.diag(np.sqrt(scale)) @ W @ np.diag(np.sqrt(scale))
    return W


def agree(value: float, expected: Fraction | float | None, tolerance: float = 1e-12) -> bool:
    """Whether a measured number is the expected one; NaN stands for "not defined"."""
    if expected is None:
        return bool(np.isnan(value))
    return abs(value - float(expected)) <= tolerance * max(1.0, abs(float(expected)))


def morans_i(W: np.ndarray, x: np.ndarray) -> float | None:
    """The double sum as esda and the textbooks write it."""
    n = len(x)
    if n < 2 or np.ptp(x) == 0 or W.sum() == 0:
        return None
    z = x - x.mean()
    cross = sum(W[i, j] * z[i] * z[j] for i in range(n) for j in range(n))
    return float(n / W.sum() * cross / (z**2).sum())


def gearys_c(W: np.ndarray, x: np.ndarray) -> float | None:
    n = len(x)
    if n < 2 or np.ptp(x) == 0 or W.sum() == 0:
        return None
    squares = sum(W[i, j] * (x[i] - x[j]) ** 2 for i in range(n) for j in range(n))
    return float((n - 1) * squares / (2 * W.sum() * ((x - x.mean()) ** 2).sum()))


def neighbour_correlation(W: np.ndarray, x: np.ndarray) -> float | None:
    joined = [v for v in range(len(x)) if W[v].sum() > 0]
    means = np.array([W[v] @ x / W[v].sum() for v in joined])
    own = x[joined]
    if morans_i(W, x) is None or np.ptp(own) == 0 or np.ptp(means) <= 1e-12 * np.abs(means).max():
        return None
    return float(np.corrcoef(own, means)[0, 1])
