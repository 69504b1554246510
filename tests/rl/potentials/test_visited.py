"""The graph of a recording and its labels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.potentials.recordings import Recording, as_vectors, corridor_walk

from allpass.errors import InputError
from allpass.rl.potentials.visited import VisitedGraph, arrival_labels


def test_counts_starts_and_edges_are_those_of_the_steps() -> None:
    walk = Recording(
        state=np.array([5, 2, 5, 9]),
        reward=np.array([0.0, 0, 0, 1]),
        next_state=np.array([2, 2, 9, 7]),
        terminated=np.array([False, False, False, True]),
        episode=np.array([0, 0, 1, 1]),
    )
    graph = VisitedGraph.of(walk)
    assert graph.states.tolist() == [2, 5, 7, 9]
    counts = np.zeros((4, 4))
    for u, v in ((1, 0), (0, 0), (1, 3), (3, 2)):
        counts[u, v] += 1
    np.testing.assert_array_equal(graph.counts.toarray(), counts)
    edges = (counts + counts.T > 0) & ~np.eye(4, dtype=bool)
    np.testing.assert_array_equal(graph.undirected.toarray(), edges)
    assert graph.starts.tolist() == [1]
    assert (graph.labelled.tolist(), graph.labels.tolist()) == ([2], [1.0])
    assert graph.find([9, 4, 2, 100]).tolist() == [3, -1, 0, -1]


def test_vectors_are_found_like_numbers() -> None:
    walk = corridor_walk(6, 3)
    vectors = as_vectors(walk, 6)
    numbers, places = VisitedGraph.of(walk), VisitedGraph.of(vectors)
    node = places.find(as_vectors(walk, 6).state)
    np.testing.assert_array_equal(places.states[node], vectors.state)
    assert places.find(np.array([[7.0, 7.0]])).tolist() == [-1]
    assert places.counts.sum() == numbers.counts.sum() == len(walk.state)


@pytest.mark.parametrize(
    ("reward", "terminated", "labels"),
    [
        ([0, 0, 0, 0, 1], [0, 0, 0, 0, 1], {9: 1.0}),  # a goal
        ([0, 0, 0, 0, 0], [0, 0, 0, 0, 1], {}),  # a hole that earns nothing
        ([-1, -1, -1, -1, -1], [0, 0, 0, 0, 1], {9: 1.0}),  # every step costs until the end
        ([0, -1, 0, 0, 1], [0, 0, 0, 0, 1], {3: -1.0, 9: 1.0}),  # a trap and a goal
        ([-1, -100, -1, -1, -1], [0, 0, 0, 0, 1], {3: -1.0, 9: 1.0}),  # a cliff
    ],
)
def test_labels_are_what_is_better_or_worse_than_usual(
    reward: list[float], terminated: list[int], labels: dict[int, float]
) -> None:
    nodes, values = arrival_labels(np.array([1, 3, 2, 5, 9]), reward, np.array(terminated, dtype=bool))
    assert dict(zip(nodes.tolist(), values.round(1).tolist(), strict=True)) == labels


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="without a step"):
        VisitedGraph.of(Recording(*([np.array([])] * 5)))
    with pytest.raises(InputError, match="reward of step 1 is nan"):
        arrival_labels(np.array([0, 1]), [0, np.nan], [False, False])
    with pytest.raises(InputError, match="discount = 1"):
        arrival_labels(np.array([0, 1]), [0, 1], [False, False], discount=1)
