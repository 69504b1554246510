from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl import TabularMDP
from allpass.rl.recording.runs import record_steps, state_function


def test_random_steps_take_allowed_actions() -> None:
    env = gym.make("Taxi-v4")
    steps = record_steps(env, 500)
    assert len(steps) == 500
    assert TabularMDP.from_gymnasium(env).mask[steps.state, steps.action].all()
    again = record_steps(gym.make("Taxi-v4"), 500)
    np.testing.assert_array_equal(again.state, steps.state)


def test_optimal_steps_have_the_optimal_return() -> None:
    steps = record_steps(gym.make("CliffWalking-v1"), 26, policy="optimal")
    assert steps.returns().tolist() == [-13, -13]


def test_state_functions_follow_the_space() -> None:
    assert state_function(gym.make("FrozenLake-v1")) is None
    vectors = record_steps(gym.make("CartPole-v1"), 50, state_fn=state_function(gym.make("CartPole-v1")))
    assert vectors.state.shape == (50, 4)
    with pytest.raises(InputError, match="no bounds"):
        state_function(gym.make("CartPole-v1"), bins=3)
    blackjack = gym.make("Blackjack-v1")  # tuples of numbers
    steps = record_steps(blackjack, 50, state_fn=state_function(blackjack))
    assert steps.state_names is not None
    assert len(steps.state_names) == steps.num_states
