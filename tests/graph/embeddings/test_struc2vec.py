from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from allpass.errors import InputError
from allpass.graph import Operator, struc2vec_embedding
from allpass.graph.embeddings.rings import degree_rings
from allpass.graph.embeddings.simple import simple_graph
from allpass.graph.embeddings.struc2vec import _walks, similarity_layers

BARBELL = nx.barbell_graph(8, 9)  # two cliques and the path between them; node i is the mirror of node 24 - i


def layers(graph: nx.Graph, depth: int = 3) -> list:
    rings = degree_rings(simple_graph(Operator.from_networkx(graph)), depth)
    return similarity_layers(rings, np.random.default_rng(0))


@pytest.mark.parametrize("seed", [0, 1])
def test_mirror_nodes_of_a_barbell_come_close(seed: int) -> None:
    Z = struc2vec_embedding(Operator.from_networkx(BARBELL), seed=seed).numpy()
    d = np.linalg.norm(Z[:, None] - Z[None], axis=-1)
    mirror = d[np.arange(25), np.arange(25)[::-1]]
    assert mirror.mean() < d.mean() / 4
    clique, path = [*range(7), *range(18, 25)], range(8, 17)
    assert d[np.ix_(clique, clique)].mean() < d[np.ix_(clique, path)].mean() / 3


def test_roles_count_and_not_places() -> None:
    twice = nx.disjoint_union(nx.star_graph(6), nx.star_graph(6))
    Z = struc2vec_embedding(Operator.from_networkx(twice))
    assert (Z[0] - Z[7]).norm() < (Z[0] - Z[1:7]).norm(dim=1).min()


def test_nodes_alike_are_at_structural_distance_0() -> None:
    for f in layers(BARBELL):
        f = f.tocoo()
        alike = f.row + f.col == 24
        assert alike.any()
        assert not f.data[alike].any()
        assert (f.data >= 0).all()


def test_distances_grow_with_the_rings_and_stop_where_there_are_none() -> None:
    first, second = layers(nx.star_graph(5), 2)
    both = second.toarray() > 0
    assert (second.toarray()[both] >= first.toarray()[both]).all()
    assert len(layers(nx.empty_graph(6))) == 1


def test_walks_step_by_weight_and_begin_at_every_node() -> None:
    graph = nx.path_graph(7)
    walks = _walks(layers(graph), 40, 30, np.random.default_rng(0))
    assert walks.shape == (280, 30)
    assert np.bincount(walks[:, 0]).tolist() == [40] * 7
    after_end = walks[:, 1:][walks[:, :-1] == 0]
    assert (after_end == 6).mean() > (after_end == 3).mean()  # the other end is its like


def test_the_seed_decides() -> None:
    A, B = (Operator.from_networkx(nx.path_graph(8)) for _ in range(2))
    assert torch.equal(struc2vec_embedding(A), struc2vec_embedding(B))
    assert not torch.equal(struc2vec_embedding(A, seed=1), struc2vec_embedding(A))
    assert struc2vec_embedding(A) is struc2vec_embedding(A)


@pytest.mark.parametrize("nodes", [0, 1, 2, 6])
def test_no_edges(nodes: int) -> None:
    A = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=nodes)
    Z = struc2vec_embedding(A)
    assert Z.shape == (nodes, 2)
    assert Z.isfinite().all()


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="length = 1"):
        struc2vec_embedding(Operator.from_networkx(nx.path_graph(3)), length=1)
