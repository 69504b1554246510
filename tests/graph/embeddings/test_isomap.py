from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import KernelPCA
from tests.references.geom import isomap

from allpass.errors import InputError
from allpass.graph import Operator, isomap_embedding
from allpass.graph.embeddings import isomap as module


def steps(graph: nx.Graph) -> np.ndarray:
    return np.asarray(nx.floyd_warshall_numpy(graph))


@pytest.mark.parametrize("nodes", [40, 230], ids=["dense solver", "Lanczos"])
def test_it_is_scaling_of_path_lengths_as_scikit_learn_does_it(nodes: int) -> None:
    graph = nx.random_geometric_graph(nodes, 2.2 / nodes**0.5, seed=1)
    graph = graph.subgraph(max(nx.connected_components(graph), key=len)).copy()
    theirs = KernelPCA(2, kernel="precomputed").fit_transform(-0.5 * steps(graph) ** 2)
    ours = isomap_embedding(Operator.from_networkx(graph)).numpy()
    np.testing.assert_allclose(pdist(ours), pdist(theirs), atol=1e-6)
    assert (np.diff(ours.std(0)) < 0).all()
    assert ((ours**3).sum(0) > 0).all()


def test_a_graph_that_is_flat_keeps_its_distances() -> None:
    path = Operator.from_networkx(nx.path_graph(9))
    Z = isomap_embedding(path).numpy()
    np.testing.assert_allclose(squareform(pdist(Z)), steps(nx.path_graph(9)), atol=1e-6)
    np.testing.assert_allclose(Z[:, 1], 0)


def test_components_stand_side_by_side() -> None:
    pieces = [nx.path_graph(3), nx.cycle_graph(6), nx.empty_graph(1)]
    Z = isomap_embedding(Operator.from_networkx(nx.disjoint_union_all(pieces)))
    alone = [isomap_embedding(Operator.from_networkx(piece)) for piece in pieces]
    path, cycle, single = Z.split([3, 6, 1])
    torch.testing.assert_close(cycle, alone[1])
    torch.testing.assert_close(path - path[0], alone[0] - alone[0][0])
    assert float(path[:, 0].min() - cycle[:, 0].max()) == pytest.approx(1)
    assert float(single[0, 0] - path[:, 0].max()) == pytest.approx(1)


def test_landmarks_find_the_same_places_where_the_plane_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_UP_TO", 0)
    path = nx.path_graph(60)
    Z = isomap_embedding(Operator.from_networkx(path), landmarks=12).numpy()
    np.testing.assert_allclose(squareform(pdist(Z)), steps(path), atol=1e-6)


def test_landmarks_are_near_the_exact_places(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 14))
    exact = pdist(isomap_embedding(Operator.from_networkx(grid)).numpy())
    monkeypatch.setattr(module, "EXACT_UP_TO", 0)
    few = pdist(isomap_embedding(Operator.from_networkx(grid), landmarks=50).numpy())
    assert np.corrcoef(exact, few)[0, 1] > 0.99


def test_other_orders_of_the_nodes_give_the_same_places() -> None:
    graph = nx.gnp_random_graph(30, 0.15, seed=3)
    A = Operator.from_networkx(graph)
    order = torch.randperm(30, generator=torch.Generator().manual_seed(0))
    moved = Operator.from_edge_index(order.argsort()[A.edge_index], num_nodes=30)
    torch.testing.assert_close(isomap_embedding(moved), isomap_embedding(A)[order], rtol=0, atol=1e-7)


def test_leaves_of_one_node_are_in_one_place_to_the_last_bit() -> None:
    graph = nx.gnp_random_graph(30, 0.2, seed=0)
    graph.add_edges_from((0, leaf) for leaf in range(30, 34))
    assert len(torch.unique(isomap_embedding(Operator.from_networkx(graph))[30:], dim=0)) == 1


def test_direction_weights_and_loops_do_not_matter() -> None:
    one_way = torch.tensor([[0, 1, 2, 2], [1, 2, 3, 2]])
    A = Operator.from_edge_index(one_way, torch.tensor([3.0, 1.0, 0.5, 9.0]))
    torch.testing.assert_close(
        isomap_embedding(A), isomap_embedding(Operator.from_networkx(nx.path_graph(4)))
    )


@pytest.mark.parametrize("nodes", [0, 1, 2, 5])
def test_no_edges(nodes: int) -> None:
    A = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=nodes)
    Z = isomap_embedding(A)
    assert Z.tolist() == [[float(i), 0.0] for i in range(nodes)]
    assert isomap_embedding(A) is Z


def test_the_reference_agrees() -> None:
    A = Operator.from_networkx(nx.gnp_random_graph(20, 0.1, seed=5))
    torch.testing.assert_close(isomap_embedding(A), isomap(A.to_dense().double()), rtol=0, atol=1e-8)


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="dim = 0"):
        isomap_embedding(Operator.from_networkx(nx.path_graph(3)), dim=0)
