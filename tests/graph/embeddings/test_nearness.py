from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from allpass.graph.embeddings.nearness import nearest_pairs


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=9), st.integers(0, 40))
def test_all_pairs_nearer_than_the_first_that_is_too_many(
    places: list[tuple[int, int]], at_most: int
) -> None:
    positions = np.array(places, dtype=float)
    distances = np.sort(pdist(positions))
    rho = distances[at_most] if at_most < distances.size else np.inf
    N = len(positions)
    pairs = [(u, v) for u in range(N) for v in range(u + 1, N)]
    wanted = [(u, v) for u, v in pairs if np.linalg.norm(positions[u] - positions[v]) < rho]
    assert nearest_pairs(positions, at_most).T.tolist() == [list(pair) for pair in wanted]


def test_a_heap_of_nodes_in_one_place_does_not_fill_the_memory() -> None:
    assert nearest_pairs(np.zeros((20_000, 2)), 1000).shape == (2, 0)
