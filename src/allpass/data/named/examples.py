"""Graphs that fit in a few lines: the report's examples, and Zachary's karate club."""

from __future__ import annotations

import numpy as np
from torch_geometric.data import Data

from allpass.data.draft import Draft, assemble
from allpass.data.readers.arrays import simple_edges


def harmless_bipartite() -> Data:
    """Three nodes of one class, each joined to all three of the other: heterophily that does no harm.

    H_edge = H_node = H_class = 0 and yet aggregation separates the classes perfectly: H_agg = 1
    (Luan et al. 2022, figure 1).
    """
    return assemble(draft_bipartite(), name="example-bipartite", source="embedded")


def high_pass_helps() -> Data:
    """Seven nodes that diversification tells apart where aggregation cannot (Luan et al. 2022, figure 3)."""
    return assemble(draft_high_pass(), name="example-high-pass", source="embedded")


def high_pass_fails() -> Data:
    """Ten nodes in four classes where diversification fails too (Luan et al. 2022, figure 13).

    The edge between the nodes 9 and 10 of the figure is hidden in its drawing; its printed matrix implies it.
    """
    return assemble(draft_limitation(), name="example-limitation", source="embedded")


def karate() -> Data:
    """Zachary's karate club: 34 members, who was friends with whom, and the club each joined after the split."""
    return assemble(draft_karate(), name="karate", source="embedded")


def draft_bipartite() -> Draft:
    """The arrays of :func:`harmless_bipartite`."""
    return _example(
        [(1, 4), (1, 5), (1, 6), (2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6)], [0, 0, 0, 1, 1, 1]
    )


def draft_high_pass() -> Draft:
    """The arrays of :func:`high_pass_helps`."""
    edges = [(1, 2), (1, 4), (1, 5), (4, 5), (4, 6), (4, 7), (5, 6), (6, 7), (3, 6), (3, 7)]
    return _example(edges, [0, 0, 0, 1, 1, 1, 1])


def draft_limitation() -> Draft:
    """The arrays of :func:`high_pass_fails`."""
    edges = [(1, 4), (2, 4), (2, 7), (3, 7), (4, 5), (6, 7), (5, 8), (5, 9), (6, 9), (6, 10), (9, 10)]
    return _example(edges, [0, 0, 0, 1, 1, 2, 2, 3, 3, 3])


def draft_karate() -> Draft:
    """The arrays of :func:`karate`."""
    import networkx as nx

    graph = nx.karate_club_graph()
    draft = Draft(graph.number_of_nodes(), np.empty((2, 0), np.int64))
    pairs = np.array(list(graph.edges()), dtype=np.int64).T
    draft.edge_index = simple_edges(pairs, draft.num_nodes, draft.account, undirected=True)
    clubs = [graph.nodes[node]["club"] for node in range(draft.num_nodes)]
    draft.class_names = ["Mr. Hi", "Officer"]
    draft.y = np.array([draft.class_names.index(club) for club in clubs], dtype=np.int64)
    return draft


def _example(edges: list[tuple[int, int]], labels: list[int]) -> Draft:
    """An undirected graph on nodes counted from 1, as drawn; the features are the one-hot labels."""
    y = np.array(labels, dtype=np.int64)
    draft = Draft(y.size, np.empty((2, 0), np.int64), x=np.eye(y.max() + 1, dtype=np.float32)[y], y=y)
    draft.edge_index = simple_edges(np.array(edges).T - 1, y.size, draft.account, undirected=True)
    return draft
