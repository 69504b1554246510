"""The noisy rooms: goals, vectors and noise."""

from __future__ import annotations

import numpy as np

from allpass.papers.auxiliary.rooms import GOALS, NoisyRooms, rooms


def test_both_goals_have_the_same_cells_but_for_themselves() -> None:
    first, second = (set(rooms(goal, 0.97).states or []) for goal in GOALS)
    assert first ^ second == set(GOALS)


def test_cells_are_their_vectors_with_noise() -> None:
    one, other = (NoisyRooms(goal, 3) for goal in GOALS)
    shared = (2, 2)
    a, b = (env.vectors[env.mdp.index(shared)] for env in (one, other))
    np.testing.assert_array_equal(a, b)
    one.reset(seed=0)
    state = one.mdp.index(shared)
    seen = np.stack([one._seen(state) for _ in range(4000)])
    np.testing.assert_allclose(seen.mean(axis=0), a, atol=0.03)
    np.testing.assert_allclose(seen.std(axis=0), 0.3, atol=0.03)


def test_an_episode_is_cut_short_at_the_limit() -> None:
    env = NoisyRooms(GOALS[0], 0, limit=5)
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(5)]
    assert [bool(cut) for _, cut in ends] == [False] * 4 + [True]
