"""Copies of a process move as its matrix says."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.rl import TabularMDP
from allpass.rl.learners import TableWorld


@pytest.mark.parametrize("state", [0, 3])
def test_next_states_and_rewards_follow_the_process(state: int) -> None:
    generator = np.random.default_rng(0)
    S, A, R = 5, 2, 20_000
    P = generator.dirichlet(np.ones(S), size=S * A)
    P[generator.random(P.shape) < 0.3] = 0
    P[:, 0] += 0.1
    P /= P.sum(axis=1, keepdims=True)
    rewards = generator.normal(size=P.shape)
    mdp = TabularMDP(P, rewards, 0.9, start=np.eye(S)[state])
    world = TableWorld(mdp, R)
    rows = np.arange(R)
    np.testing.assert_array_equal(world.reset(rows, generator.random(R)), state)
    after, reward, terminated = world.step(rows, np.ones(R, dtype=int), generator.random(R))
    np.testing.assert_allclose(np.bincount(after, minlength=S) / R, P[state * A + 1], atol=0.02)
    np.testing.assert_allclose(reward, rewards[state * A + 1, after])
    assert not terminated.any()
