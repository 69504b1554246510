"""Block models: the mixing that was asked for, and a million nodes in bounded memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from allpass.data.generators import contextual_sbm, planted_partition
from allpass.errors import InputError


def mixing_of(data: Data) -> np.ndarray:
    C = int(data.y.max()) + 1
    source, target = data.y[data.edge_index]
    return torch.bincount(source * C + target, minlength=C * C).reshape(C, C).numpy()


@pytest.mark.parametrize("level", [0.0, 0.123, 0.5, 1.0])
@pytest.mark.parametrize("num_classes", [2, 5])
def test_planted_homophily_is_exact(level, num_classes, check_form, digraph, homophily):
    data = planted_partition(203, num_classes, 7, level, num_features=3, seed=1)
    check_form(data)
    graph = digraph(data)
    assert graph.to_undirected(reciprocal=True).number_of_edges() == round(203 * 7 / 2)
    assert homophily(data) == (2 * round(level * round(203 * 7 / 2)), 2 * round(203 * 7 / 2))
    sizes = torch.bincount(data.y)
    assert sizes.max() - sizes.min() <= 1
    mixing = mixing_of(data)
    across = mixing[~np.eye(num_classes, dtype=bool)]
    assert np.ptp(np.diag(mixing)) <= 2
    assert np.ptp(across) <= 1


@given(
    sizes=st.lists(st.integers(20, 40), min_size=1, max_size=4),
    weights=st.lists(st.integers(0, 5), min_size=10, max_size=10).filter(lambda w: w[0] > 0),
    seed=st.integers(0, 99),
)
def test_the_mixing_matrix_is_met(sizes, weights, seed):
    C = len(sizes)
    M = np.zeros((C, C))
    M[np.triu_indices(C)] = weights[: C * (C + 1) // 2]
    M += M.T
    data = contextual_sbm(sizes, M, average_degree=4, seed=seed)
    N, found = sum(sizes), mixing_of(data)
    assert data.num_edges == 2 * round(N * 2)
    assert len(torch.unique(data.edge_index[0] * N + data.edge_index[1])) == data.num_edges
    full = np.zeros((C, C))
    full[: len(found), : len(found)] = found
    assert (np.abs(full - M / M.sum() * data.num_edges) <= 2).all()


def test_features_lie_around_class_centres():
    data = planted_partition(20_000, 2, 1, 0.5, num_features=3)
    for label in (0, 1):
        assert data.x[data.y == label].std(dim=0).tolist() == pytest.approx([1, 1, 1], rel=0.05)
    assert (data.x[data.y == 0].mean(dim=0) - data.x[data.y == 1].mean(dim=0)).norm() > 0.1
    assert planted_partition(100, 2, 1, 0.5).get("x") is None


def test_the_seed_decides_everything():
    draws = [planted_partition(100, 3, 6, 0.4, num_features=2, seed=seed) for seed in (0, 0, 1)]
    assert draws[0].fingerprint == draws[1].fingerprint != draws[2].fingerprint


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((100, 0, 5, 0.5), "Got num_classes=0"),
        ((3, 5, 2, 0.5), "Got num_nodes=3"),
        ((100, 2, 100, 0.5), "Got average_degree=100 for 100 nodes"),
        ((100, 2, -1, 0.5), "Got average_degree=-1"),
        ((100, 2, 5, 1.1), "Got homophily=1.1"),
        ((100, 1, 5, 0.5), "One class cannot have homophily 0.5"),
        ((100, 2, 60, 1.0), "1500 edges are wanted between class 0 and class 0, where there are 1225 pairs"),
    ],
)
def test_impossible_partitions_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        planted_partition(*arguments)


@pytest.mark.parametrize(
    ("sizes", "mixing", "message"),
    [
        ([10, 10], [[1]], r"shape \[1, 1\] for 2 classes"),
        ([10, 10], [[1, 2], [3, 1]], "Expected it symmetric"),
        ([10, 10], [[1, -2], [-2, 1]], "0 or more"),
        ([10, 10], [[0, 0], [0, 0]], "not all 0"),
        ([], [], "for 0 classes"),
        ([10, -1], [[1, 0], [0, 1]], "Got class_sizes=-1"),
        ([10, 10], [[1, 0], [0, 0]], "100 edges are wanted between class 0 and class 0, where there are 45"),
    ],
)
def test_impossible_mixings_are_refused(sizes, mixing, message):
    with pytest.raises(InputError, match=message):
        contextual_sbm(sizes, mixing, average_degree=10)


@pytest.mark.slow
def test_a_million_nodes_and_twenty_million_edges():
    data = planted_partition(1_000_000, 10, 20, 0.3, num_features=8)
    assert data.num_edges == 20_000_000
    keys = data.edge_index[0] * 1_000_000 + data.edge_index[1]
    assert (keys.diff() > 0).all()  # ascending, so nothing is stored twice
    assert not (data.edge_index[0] == data.edge_index[1]).any()
    assert int((data.y[data.edge_index[0]] == data.y[data.edge_index[1]]).sum()) == 6_000_000
