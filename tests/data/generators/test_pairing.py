"""Regular simple graphs, from the smallest possible sizes up, and the impossible ones refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from allpass.data.generators.pairing import regular_between, regular_within
from allpass.errors import InputError


def check(pairs: np.ndarray, num_nodes: int, degree: int) -> None:
    graph = nx.Graph(pairs.T.tolist())
    assert graph.number_of_edges() == pairs.shape[1] == num_nodes * degree // 2
    assert nx.number_of_selfloops(graph) == 0
    assert set(dict(graph.degree).values()) <= {degree}


@pytest.mark.parametrize("seed", [0, 1])
def test_every_possible_small_graph_is_found(seed):
    for C in range(1, 5):
        for n in range(1, 6):
            for degree in range(n):
                if n * degree % 2 == 0:
                    pairs = regular_within(C, n, degree, np.random.default_rng(seed))
                    check(pairs, C * n, degree)
                    assert (pairs[0] // n == pairs[1] // n).all()
            for degree in range((C - 1) * n + 1):
                if C * n * degree % 2 == 0:
                    pairs = regular_between(C, n, degree, np.random.default_rng(seed))
                    check(pairs, C * n, degree)
                    assert (pairs[0] // n != pairs[1] // n).all()


@pytest.mark.parametrize(("C", "n", "degree"), [(300, 5, 2), (4, 60, 29), (4, 60, 45), (1, 200, 3)])
def test_within_larger_classes(C, n, degree):
    check(regular_within(C, n, degree, np.random.default_rng(0)), C * n, degree)


@pytest.mark.parametrize(
    ("C", "n", "degree"), [(5, 80, 79), (5, 80, 300), (2, 100, 49), (3, 90, 90), (40, 3, 7)]
)
def test_between_larger_classes(C, n, degree):
    check(regular_between(C, n, degree, np.random.default_rng(0)), C * n, degree)


def test_classes_mix_evenly():
    first, second = regular_between(5, 400, 10, np.random.default_rng(0)) // 400
    counts = np.zeros((5, 5))
    np.add.at(counts, (np.minimum(first, second), np.maximum(first, second)), 1)
    counts = counts[np.triu_indices(5, k=1)]  # ten kinds of edge, 1000 expected of each
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000)


@pytest.mark.parametrize(
    ("draw", "C", "n", "degree", "message"),
    [
        (regular_within, 3, 5, 5, "5 neighbours in its own class, where there are 4 others"),
        (regular_within, 3, 5, 3, "15 edge ends, an odd number"),
        (regular_between, 3, 5, 11, "11 neighbours in other classes, where there are 10 others"),
        (regular_between, 3, 5, 3, "15 nodes of 3 undirected edges each have 45 edge ends"),
    ],
)
def test_impossible_degrees_are_refused(draw, C, n, degree, message):
    with pytest.raises(InputError, match=message):
        draw(C, n, degree, np.random.default_rng(0))
