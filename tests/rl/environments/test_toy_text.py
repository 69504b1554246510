from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl import TabularMDP, TransitionRecorder

TOY_TEXT = ["FrozenLake8x8-v1", "Taxi-v4", "CliffWalking-v1"]


@pytest.mark.parametrize("name", TOY_TEXT)
def test_toy_text_is_read_entry_by_entry(name: str) -> None:
    env: Any = gym.make(name).unwrapped
    mdp = TabularMDP.from_gymnasium(name, use_mask=False)
    S, A = env.observation_space.n, env.action_space.n
    assert (mdp.num_states, mdp.num_actions) == (S + 1, A)
    assert mdp.terminal[S]
    P, r = np.zeros((S, A, S + 1)), np.zeros((S, A))
    for state in range(S):
        for action in range(A):
            for chance, after, reward, ended in env.P[state][action]:
                P[state, action, S if ended else after] += chance
                r[state, action] += chance * reward
    np.testing.assert_allclose(mdp.P.toarray()[: S * A].reshape(S, A, -1), P, atol=1e-15)
    np.testing.assert_allclose(mdp.r[: S * A].reshape(S, A), r, atol=1e-15)
    np.testing.assert_allclose(mdp.start[:S], env.initial_state_distrib)


def test_the_mask_of_taxi_is_its_action_mask() -> None:
    env: Any = gym.make("Taxi-v4")
    mdp = TabularMDP.from_gymnasium(env)
    for seed in range(20):
        state, info = env.reset(seed=seed)
        np.testing.assert_array_equal(mdp.mask[state], info["action_mask"].astype(bool))
    forbidden = np.flatnonzero(~mdp.mask.ravel())
    assert mdp.P[forbidden].nnz == 0


def test_environments_of_allpass_give_back_their_process() -> None:
    env = gym.make("allpass/FourRooms-v0", slip=0.1)
    mdp = TabularMDP.from_gymnasium(env, 0.5)
    assert mdp.discount == 0.5
    assert (mdp.P != TabularMDP.from_grid("four-rooms", slip=0.1).P).nnz == 0
    recorded = TransitionRecorder(gym.make("FrozenLake-v1"))
    assert TabularMDP.from_gymnasium(recorded).num_states == 17


def test_without_a_table_there_is_another_way() -> None:
    with pytest.raises(InputError, match=r"'CartPole-v1' does not know its transitions.*TransitionRecorder"):
        TabularMDP.from_gymnasium("CartPole-v1")
    with pytest.raises(InputError, match="Got int as the environment"):
        TabularMDP.from_gymnasium(3)
