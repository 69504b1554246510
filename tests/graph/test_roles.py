"""Degrees, triangles and cores against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from allpass.graph import ROLES, Operator, node_roles
from allpass.graph import roles as module
from allpass.graph.roles import clustering, core_numbers, simple


def operator(graph: nx.Graph) -> Operator:
    return Operator.from_scipy(nx.to_scipy_sparse_array(graph, dtype=float)).symmetrized()


def check(graph: nx.Graph) -> None:
    csr = simple(operator(graph))
    bare = nx.Graph(graph)
    bare.remove_edges_from(nx.selfloop_edges(graph))
    assert core_numbers(csr).tolist() == list(nx.core_number(bare).values())
    assert clustering(csr) == pytest.approx(list(nx.clustering(bare).values()))
    found = node_roles(operator(graph)).double().numpy()
    assert found.shape == (len(graph), len(ROLES))
    logs = np.log1p([degree for _, degree in bare.degree()])
    for v, near in enumerate(bare.adjacency()):
        around = [logs[u] for u in near[1]] or [0.0]
        expected = [
            logs[v],
            np.mean(around),
            max(around),
            nx.clustering(bare, v),
            np.log1p(nx.core_number(bare)[v]),
        ]
        assert found[v] == pytest.approx(expected, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25), st.floats(0, 0.6), st.integers(0, 10_000))
def test_equals_networkx(n: int, p: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, p, seed=seed)
    if seed % 3 == 0:
        graph.add_edge(0, 0)
    check(graph)


@pytest.mark.parametrize(
    "graph",
    [
        nx.karate_club_graph(),
        nx.path_graph(40),
        nx.complete_graph(9),
        nx.star_graph(12),
        nx.barabasi_albert_graph(200, 3, seed=0),
        nx.empty_graph(5),
    ],
    ids=["karate", "path", "complete", "star", "hubs", "no edges"],
)
def test_known_graphs(graph: nx.Graph) -> None:
    check(graph)


def test_small_blocks_give_the_same_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    csr = simple(operator(nx.barabasi_albert_graph(300, 4, seed=1)))
    whole = clustering(csr)
    monkeypatch.setattr(module, "_BLOCK", 10)
    assert np.array_equal(clustering(csr), whole)


def test_weights_do_not_count() -> None:
    edges = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 3]])
    heavy = Operator.from_edge_index(edges, torch.tensor([5.0, 0.1, 2.0, 9.0])).symmetrized()
    assert torch.equal(node_roles(heavy), node_roles(Operator.from_edge_index(edges).symmetrized()))
