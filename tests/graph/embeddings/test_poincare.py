from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from allpass.errors import InputError
from allpass.graph import Operator, poincare_embedding
from allpass.graph.embeddings.poincare import distances, translated

TREE = nx.balanced_tree(3, 4)


def points(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.6, 0.6, (2, 9))


def test_distances_and_their_gradients_are_those_of_the_formula() -> None:
    x, y = (torch.tensor(points(seed), requires_grad=True) for seed in (0, 1))
    gamma = 1 + 2 * (x - y).square().sum(0) / ((1 - x.square().sum(0)) * (1 - y.square().sum(0)))
    theirs = torch.acosh(gamma)
    ours, *gradients = distances(points(0), points(1))
    np.testing.assert_allclose(ours, theirs.detach().numpy())
    for mine, wanted in zip(gradients, torch.autograd.grad(theirs.sum(), [x, y]), strict=True):
        np.testing.assert_allclose(mine, wanted.numpy())


def test_a_point_is_at_distance_0_from_itself_and_pulls_nowhere() -> None:
    d, to_x, to_y = distances(points(0), points(0))
    assert not d.any()
    assert not to_x.any()
    assert not to_y.any()


def test_translation_is_an_isometry_that_moves_0() -> None:
    by = np.array([0.3, -0.4])
    x, y = translated(points(0), by), translated(points(1), by)
    np.testing.assert_allclose(distances(x, y)[0], distances(points(0), points(1))[0])
    np.testing.assert_allclose(translated(np.zeros((2, 1)), by)[:, 0], by)


@pytest.mark.parametrize("seed", [0, 1])
def test_on_a_tree_the_root_is_in_the_middle_and_neighbours_are_near(seed: int) -> None:
    Z = poincare_embedding(Operator.from_networkx(TREE), seed=seed).numpy()
    radius = np.linalg.norm(Z, axis=1)
    assert radius.max() < 1
    depth = np.array([nx.shortest_path_length(TREE, 0, node) for node in TREE])
    means = [radius[depth == level].mean() for level in range(5)]
    assert means == sorted(means)
    d = distances(Z.T[:, :, None], Z.T[:, None, :])[0]
    linked = nx.to_numpy_array(TREE) > 0
    others = ~linked & ~np.eye(len(Z), dtype=bool)
    assert d[linked].mean() < d[others].mean() / 3


def test_hubs_are_nearer_the_middle() -> None:
    graph = nx.barabasi_albert_graph(150, 2, seed=0)
    radius = poincare_embedding(Operator.from_networkx(graph)).norm(dim=1).numpy()
    order = np.argsort([degree for _, degree in graph.degree])
    assert radius[order[-10:]].mean() < radius[order[:50]].mean() - 0.1


def test_the_seed_decides() -> None:
    A, B = (Operator.from_networkx(nx.path_graph(8)) for _ in range(2))
    assert torch.equal(poincare_embedding(A), poincare_embedding(B))
    assert not torch.equal(poincare_embedding(A, seed=1), poincare_embedding(A))
    assert poincare_embedding(A) is poincare_embedding(A)


@pytest.mark.parametrize("nodes", [0, 1, 6])
def test_no_edges(nodes: int) -> None:
    A = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=nodes)
    Z = poincare_embedding(A)
    assert Z.shape == (nodes, 2)
    assert Z.isfinite().all()


def test_a_complete_graph_has_no_other_pairs_and_stays_finite() -> None:
    assert poincare_embedding(Operator.from_networkx(nx.complete_graph(7)), dim=3).isfinite().all()


def test_bad_settings() -> None:
    with pytest.raises(InputError, match=r"lr = -1"):
        poincare_embedding(Operator.from_networkx(nx.path_graph(3)), lr=-1)
