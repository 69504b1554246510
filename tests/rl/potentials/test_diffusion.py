"""Labels at both ends of successful episodes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.potentials.recordings import Recording, as_vectors, corridor_walk

from allpass.errors import InputError
from allpass.rl.potentials import DiffusionPotential
from allpass.rl.potentials.visited import VisitedGraph

STATES = [0, 1, 2, 3, 4, 5, 0, 7]
AFTER = [1, 2, 3, 4, 5, 6, 7, 8]


def two_episodes() -> Recording:
    """From 0 to the goal 6, and from 0 to 8 without a reward."""
    reward = [0, 0, 0, 0, 0, 1, 0, 0]
    ended = [False] * 5 + [True] + [False] * 2
    return Recording(*map(np.array, (STATES, reward, AFTER, ended, [0] * 6 + [1] * 2)))


@pytest.mark.parametrize(
    ("span", "zeros", "ones"), [(1, [0], [6]), (2, [0, 1], [5, 6]), (40, [0, 1, 2], [4, 5, 6])]
)
def test_labels_are_those_of_both_ends(span: int, zeros: list[int], ones: list[int]) -> None:
    steps = two_episodes()
    nodes, labels = DiffusionPotential(span=span)._labels(steps, VisitedGraph.of(steps))
    assert nodes[labels == 0].tolist() == zeros
    assert nodes[labels == 1].tolist() == ones


def test_vectors_have_the_same_labels() -> None:
    steps = as_vectors(corridor_walk(12, 6), 12)
    potential = DiffusionPotential(span=4)
    for _ in range(4):
        potential.fit(steps)
    phi = potential.potential(np.unique(steps.next_state, axis=0))
    assert np.argmax(phi) >= len(phi) - 3


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="span = 0"):
        DiffusionPotential(span=0)
