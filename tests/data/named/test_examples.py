from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from allpass.data.named.catalog import load_named
from allpass.data.named.examples import harmless_bipartite, high_pass_fails, high_pass_helps, karate


def similarity(data, *, high_pass: bool) -> np.ndarray:
    """S = (F X)(F X)^T with F = D^-1 (A + I), or I minus that: dense, straight from the definition."""
    A = np.eye(data.num_nodes)
    A[tuple(data.edge_index.numpy())] = 1
    F = A / A.sum(axis=1, keepdims=True)
    M = (np.eye(data.num_nodes) - F if high_pass else F) @ data.x.numpy()
    return M @ M.T


def own_and_other_means(S: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    same = y[:, None] == y
    return (S * same).sum(1) / same.sum(1), (S * ~same).sum(1) / (~same).sum(1)


def test_the_bipartite_graph_joins_only_different_classes_and_aggregation_tells_them_apart():
    data = harmless_bipartite()
    source, target = data.edge_index
    assert (data.y[source] != data.y[target]).all()
    assert nx.is_isomorphic(nx.Graph(data.edge_index.T.tolist()), nx.complete_bipartite_graph(3, 3))
    own, other = own_and_other_means(similarity(data, high_pass=False), data.y.numpy())
    assert (own >= other).all()


def test_the_matrices_of_the_seven_node_figure():
    data = high_pass_helps()
    low, high = similarity(data, high_pass=False), similarity(data, high_pass=True)
    # Rows of the printed matrices; the printed .25 at (6, 2) is a slip, symmetry gives .20.
    np.testing.assert_allclose(low[1], [0.5, 1, 1 / 3, 0.2, 0.25, 0.2, 0.25], atol=1e-7)
    np.testing.assert_allclose(low[3], [0.5, 0.2, 0.6, 0.68, 0.65, 0.68, 0.65], atol=1e-7)
    np.testing.assert_allclose(high[0], [0.5, 0, 2 / 3, -0.2, -0.25, -0.2, -0.25], atol=1e-7)
    np.testing.assert_allclose(high[4], [-0.25, 0, -1 / 3, 0.1, 0.125, 0.1, 0.125], atol=1e-7)
    own, other = own_and_other_means(high, data.y.numpy())
    assert ((own >= -1e-12) & (other <= 1e-12)).all()


def test_the_matrix_of_the_ten_node_figure():
    high = similarity(high_pass_fails(), high_pass=True)
    np.testing.assert_allclose(high[0], [0.5, 0.5, 0.25, -0.5, -0.25, 0, -0.25, 0.25, 0.125, 0], atol=1e-7)
    np.testing.assert_allclose(
        high[9], [0, 1 / 9, 1 / 6, 0, -1 / 6, -1 / 3, -1 / 6, 1 / 6, 0.25, 2 / 9], atol=1e-7
    )


def test_karate():
    data = karate()
    assert nx.is_isomorphic(nx.Graph(data.edge_index.T.tolist()), nx.karate_club_graph())
    assert data.class_names == ["Mr. Hi", "Officer"]
    assert data.y.bincount().tolist() == [17, 17]
    assert "x" not in data


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (harmless_bipartite, "example-bipartite"),
        (high_pass_helps, "example-high-pass"),
        (high_pass_fails, "example-limitation"),
        (karate, "karate"),
    ],
)
def test_they_are_named_sets_too(make, name):
    data, named = make(), load_named(name)
    assert (data.name, data.source) == (name, "embedded")
    assert data.fingerprint == named.fingerprint
    if "x" in data:
        assert torch.equal(data.x, torch.nn.functional.one_hot(data.y).float())
