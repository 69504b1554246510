"""The columns of a graph against loops over nodes, and who may know whose label."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from allpass.graph.operator import Operator
from allpass.models.graph_columns import WIDEST, Selection, graph_columns, node_positions, reduction

NONE = Selection(**{part.name: 0 if part.name == "positions" else False for part in fields(Selection)})


def only(**chosen: object) -> Selection:
    return Selection(**{**vars(NONE), **chosen})


def dense_graph(seed: int, nodes: int = 12, density: float = 0.25) -> np.ndarray:
    """An undirected graph with weights, self-loops and at least one node alone."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((nodes, nodes)) < density, 1) * rng.uniform(0.5, 2, (nodes, nodes))
    A = upper + upper.T + np.diag((rng.random(nodes) < 0.2) * 1.0)
    A[-1, :] = A[:, -1] = 0
    return A


def operator(A: np.ndarray) -> Operator:
    row, col = A.nonzero()
    index = torch.tensor(np.array([col, row]))
    return Operator.from_edge_index(index, torch.tensor(A[row, col], dtype=torch.float32), len(A))


def close(found: np.ndarray, wanted: object) -> None:
    np.testing.assert_allclose(found, np.array(wanted, dtype=np.float64), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_features_of_neighbours_one_node_at_a_time(seed: int) -> None:
    A, X = dense_graph(seed), np.random.default_rng(seed).normal(size=(12, 3)).astype(np.float32)
    x, graph = torch.tensor(X), operator(A)
    found = graph_columns(x, graph, only(features=True, neighbours=True, extremes=True))
    without = graph_columns(x, graph, only(features=True, neighbours=True))
    np.testing.assert_array_equal(without, np.delete(found, range(6, 12), axis=1))
    bare = A - np.diag(np.diag(A))
    degree = (bare + np.eye(12)).sum(1)
    smooth = (bare + np.eye(12)) / np.sqrt(np.outer(degree, degree))
    for node in range(12):
        near = bare[node].nonzero()[0]
        nothing = [math.nan] * 3
        mean = [0.0] * 3 if not len(near) else (bare[node, near] @ X[near]) / bare[node, near].sum()
        least = X[near].min(0) if len(near) else nothing
        most = X[near].max(0) if len(near) else nothing
        once, twice = (smooth @ X)[node], (smooth @ smooth @ X)[node]
        close(found[node], np.concatenate([X[node], mean, least, most, once, twice, X[node] - once]))


@pytest.mark.parametrize("seed", range(5))
def test_degrees_one_and_two_steps_away(seed: int) -> None:
    A = dense_graph(seed)
    found = graph_columns(torch.zeros(12, 1), operator(A), only(structure=True))
    bare = A - np.diag(np.diag(A))
    own = [math.log(1 + np.count_nonzero(bare[node])) for node in range(12)]

    def mean(values: list[float], node: int) -> float:
        total = bare[node].sum()
        return sum(w * v for w, v in zip(bare[node], values, strict=True)) / total if total else 0.0

    one = [mean(own, node) for node in range(12)]
    close(found, np.stack([own, one, [mean(one, node) for node in range(12)]], axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_labels_around_a_node_are_counted_without_its_own(seed: int) -> None:
    """Walks of one and two steps, written out; walks of two steps that come back do not count."""
    A, rng = dense_graph(seed, density=0.3), np.random.default_rng(seed)
    y, mask = rng.integers(0, 3, 12), rng.random(12) < 0.6
    one_hot = torch.eye(3)[y]
    found = graph_columns(
        torch.zeros(12, 1), operator(A), only(labels=True), labels=one_hot, mask=torch.tensor(mask)
    )
    P = A - np.diag(np.diag(A))
    P = np.divide(P, P.sum(1, keepdims=True), out=np.zeros_like(P), where=P.sum(1, keepdims=True) > 0)
    for node in range(12):
        weights: tuple[list[float], list[float]] = ([0.0] * 3, [0.0] * 3)
        for u in range(12):
            if mask[u]:
                weights[0][y[u]] += P[node, u]
                if u != node:
                    weights[1][y[u]] += sum(P[node, k] * P[k, u] for k in range(12))
        wanted = []
        for each in weights:
            total = sum(each)
            wanted += [w / total if total > 0 else math.nan for w in each] + [total]
        close(found[node, :8], wanted)


def column_of_others(A: np.ndarray, y: np.ndarray, mask: np.ndarray, node: int) -> np.ndarray:
    """Label propagation for a node without a label of its own: 10 steps with alpha 0.9."""
    bare = A - np.diag(np.diag(A))
    d = bare.sum(1)
    S = bare / np.sqrt(np.where(d > 0, d, 1))[:, None] / np.sqrt(np.where(d > 0, d, 1))[None, :]
    Z = np.where(mask[:, None], np.eye(3)[y], 0)
    Y = Z
    for _ in range(10):
        Y = 0.9 * S @ Y + 0.1 * Z
    return Y[node] / Y[node].sum() if Y[node].sum() > 1e-7 else np.full(3, math.nan)


@pytest.mark.parametrize("seed", range(5))
def test_propagated_labels_of_nodes_without_one(seed: int) -> None:
    A, rng = dense_graph(seed, density=0.3), np.random.default_rng(seed)
    y, mask = rng.integers(0, 3, 12), rng.random(12) < 0.6
    found = graph_columns(
        torch.zeros(12, 1), operator(A), only(labels=True), labels=torch.eye(3)[y], mask=torch.tensor(mask)
    )
    for node in np.flatnonzero(~mask):
        close(found[node, 8:], column_of_others(A, y, mask, node))


@given(st.integers(0, 10_000))
def test_no_row_knows_its_own_label(seed: int) -> None:
    """Another label at a training node leaves its own row as it is, to the last bit; others may change."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(4, 30))
    A = operator(dense_graph(seed, nodes, density=float(rng.uniform(0.1, 0.9))))
    y, mask = torch.tensor(rng.integers(0, 3, nodes)), torch.tensor(rng.random(nodes) < 0.7)
    x, changed = torch.tensor(rng.normal(size=(nodes, 2))).float(), int(rng.integers(0, nodes))
    mask[changed] = True
    other = y.clone()
    other[changed] = (y[changed] + 1) % 3
    rows = [
        graph_columns(x, A, Selection(), labels=torch.eye(3)[one], mask=mask)[changed] for one in (y, other)
    ]
    np.testing.assert_array_equal(*rows)


@pytest.mark.parametrize("leaves", [3, 1000, 30_000])
def test_what_rounding_leaves_of_an_own_label_is_no_column(leaves: int) -> None:
    """The walks of two steps from a hub all come back: it knows nothing, however many they are."""
    index = torch.stack([torch.arange(1, leaves + 1), torch.zeros(leaves, dtype=torch.int64)])
    star = Operator.from_edge_index(torch.cat([index, index.flip(0)], 1), num_nodes=leaves + 1)
    mask = torch.arange(leaves + 1) == 0
    labels = torch.eye(2)[torch.ones(leaves + 1, dtype=torch.int64)]
    found = graph_columns(torch.zeros(leaves + 1, 1), star, only(labels=True), labels=labels, mask=mask)
    hub = found[0]
    assert np.isnan(hub[[0, 1, 3, 4, 6, 7]]).all()
    assert np.abs(hub[[2, 5]]).max() < 1e-9


def test_labels_outside_the_mask_are_not_read() -> None:
    A, rng = operator(dense_graph(0, 20)), np.random.default_rng(0)
    y, mask = torch.tensor(rng.integers(0, 3, 20)), torch.tensor(rng.random(20) < 0.5)
    hidden = torch.where(mask, y, (y + 1) % 3)
    found = [
        graph_columns(torch.zeros(20, 1), A, Selection(), labels=torch.eye(3)[one], mask=mask)
        for one in (y, hidden)
    ]
    np.testing.assert_array_equal(*found)
    numbers = torch.where(mask, y.double(), torch.nan).unsqueeze(1)
    assert np.isfinite(
        graph_columns(torch.zeros(20, 1), A, only(labels=True), labels=numbers, mask=mask)[:, [1, 3]]
    ).all()


def test_numbers_around_a_node_are_their_weighted_mean() -> None:
    A = np.zeros((4, 4))
    A[0, 1] = A[1, 0] = 1.0
    A[0, 2] = A[2, 0] = 3.0
    numbers = torch.tensor([[100.0], [10.0], [20.0], [5.0]])
    mask = torch.tensor([True, True, True, True])
    found = graph_columns(torch.zeros(4, 1), operator(A), only(labels=True), labels=numbers, mask=mask)
    assert found[0, 0] == pytest.approx((10 + 3 * 20) / 4)
    assert found[1, 0] == pytest.approx(100)
    assert found[1, 2] == pytest.approx(20)  # two steps away, not itself
    assert np.isnan(found[3, [0, 2, 4]]).all()


def test_wide_features_become_narrow_by_singular_vectors_and_narrow_ones_stay() -> None:
    generator = torch.Generator().manual_seed(0)
    low = torch.randn(60, 4, generator=generator) @ torch.randn(4, WIDEST + 10, generator=generator)
    A = operator(dense_graph(0, 60))
    matrix = reduction(low, A, 4)
    assert matrix is not None
    assert matrix.shape == (WIDEST + 10, 4)
    close(matrix.T @ matrix, np.eye(4))
    close(low.numpy() @ matrix @ matrix.T, low.numpy())  # it has four dimensions
    assert reduction(low, A, 4) is matrix  # the next split asks again
    assert reduction(low[:, :WIDEST], A, 4) is None
    narrow = (torch.rand(60, 5, generator=generator) < 0.2).float()
    plain = graph_columns(narrow, A, only(features=True))
    np.testing.assert_array_equal(
        plain, narrow.numpy()
    )  # sparse ones too: trees ask for one column at a time
    np.testing.assert_array_equal(graph_columns(narrow.to_sparse_csr(), A, only(features=True)), plain)


def test_other_features_on_the_same_graph_are_not_those_that_were_kept() -> None:
    A = operator(dense_graph(0))
    for value in (1.0, 2.0):
        found = graph_columns(torch.full((12, 2), value), A, only(features=True, neighbours=True))
        assert found[0, 0] == value


def test_positions_are_singular_vectors_scaled() -> None:
    A = dense_graph(1, density=0.5)
    bare = A - np.diag(np.diag(A))
    d = np.where(bare.sum(1) > 0, bare.sum(1), 1)
    S = bare / np.sqrt(np.outer(d, d))
    found = node_positions(operator(A), 12)
    close(found @ found.T, S @ S.T)
    assert node_positions(operator(A), 50).shape == (12, 12)


@pytest.mark.parametrize(
    "chosen", [NONE, Selection(), only(structure=True)], ids=["nothing", "all", "structure"]
)
def test_a_graph_without_edges(chosen: Selection) -> None:
    bare = Operator.from_edge_index(torch.empty(2, 0, dtype=torch.int64), num_nodes=4)
    known = {"labels": torch.eye(2)[torch.tensor([0, 1, 0, 1])], "mask": torch.ones(4, dtype=torch.bool)}
    found = graph_columns(torch.ones(4, 2), bare, chosen, **known)
    assert found.shape[0] == 4
    assert not np.isinf(found).any()
