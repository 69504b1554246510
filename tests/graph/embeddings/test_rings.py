from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.graph import Operator
from allpass.graph.embeddings.rings import degree_rings, relative_difference, ring_distances, warped
from allpass.graph.embeddings.simple import simple_graph

Runs = list[tuple[int, int]]
TABLE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))


def by_recursion(a: Runs, b: Runs) -> float:
    """Dynamic time warping as it is defined: the cheapest path from the first pair to the last."""
    best: dict[tuple[int, int], float] = {}
    for i, j in itertools.product(range(len(a)), range(len(b))):
        before = [best[p] for p in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if p in best]
        cost = TABLE[a[i][0], b[j][0]] * max(a[i][1], b[j][1])
        best[i, j] = cost + min(before, default=0.0)
    return best[len(a) - 1, len(b) - 1]


def batch(sequences: list[Runs]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    width = max(map(len, sequences))
    padded = np.array([[*sequence, *[(0, 0)] * (width - len(sequence))] for sequence in sequences])
    return padded[:, :, 0], padded[:, :, 1].astype(float), np.array([len(s) for s in sequences])


runs = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=5)


@given(st.lists(st.tuples(runs, runs), min_size=1, max_size=4))
def test_warping_many_pairs_at_once_equals_the_definition(pairs: list[tuple[Runs, Runs]]) -> None:
    found = warped(TABLE, *batch([a for a, _ in pairs]), *batch([b for _, b in pairs]))
    np.testing.assert_allclose(found, [by_recursion(a, b) for a, b in pairs])


def test_warping_by_hand() -> None:
    one = warped(TABLE, *batch([[(1, 1), (3, 2)]]), *batch([[(1, 1), (2, 1), (3, 1)]]))
    assert one.tolist() == [1.0]  # 1-1, 1-2, 3-3; the second run of 3 is matched for nothing
    assert warped(TABLE, *batch([[(2, 3)]]), *batch([[(5, 1)]])).tolist() == [9.0]


def test_the_cost_is_relative() -> None:
    assert relative_difference(np.array([1.5]), np.array([3.5])).tolist() == [1.0]
    assert np.isfinite(relative_difference(np.array([0.0]), np.array([5.0]))).all()


@pytest.mark.parametrize("seed", range(3))
def test_rings_count_degrees_by_distance(seed: int) -> None:
    graph = nx.gnp_random_graph(25, 0.08, seed=seed)
    rings = degree_rings(simple_graph(Operator.from_networkx(graph)), 4)
    for node, far in nx.all_pairs_shortest_path_length(graph):
        for k, counts in enumerate(rings.counts):
            wanted = [sum(graph.degree[v] == d for v, s in far.items() if s == k) for d in rings.degrees]
            assert counts[[node]].toarray()[0].tolist() == wanted


def test_ring_distances_of_a_path() -> None:
    rings = degree_rings(simple_graph(Operator.from_networkx(nx.path_graph(5))), 2)
    u, v = np.array([0, 0, 1]), np.array([4, 2, 3])
    np.testing.assert_allclose(ring_distances(rings, 0, u, v), [0, 2.5 / 1.5 - 1, 0])
    np.testing.assert_allclose(ring_distances(rings, 1, u, v), [0, 0, 0])  # {2} against {2, 2}


def test_many_degrees_are_grouped() -> None:
    graph = nx.barabasi_albert_graph(300, 3, seed=0)
    whole, few = (degree_rings(simple_graph(Operator.from_networkx(graph)), 2, groups) for groups in (48, 5))
    assert few.degrees.size <= 5 < whole.degrees.size
    for k in range(2):
        total = whole.counts[k] @ whole.degrees
        np.testing.assert_array_equal(few.counts[k].sum(1), whole.counts[k].sum(1))
        assert np.corrcoef(few.counts[k] @ few.degrees, total)[0, 1] > 0.9
