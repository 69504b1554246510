from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl import TabularMDP, TransitionRecorder, Transitions


def test_shares_and_means_of_a_small_recording() -> None:
    steps = Transitions.from_arrays(
        [0, 0, 0, 1, 2],
        [0, 0, 1, 0, 0],
        [1.0, 3.0, 0.0, 5.0, 7.0],
        [1, 2, 1, 9, 3],
        terminated=[0, 0, 0, 1, 0],
        truncated=[0, 0, 0, 0, 1],
        episode=[0, 1, 2, 0, 1],
    )
    mdp = TabularMDP.from_transitions(steps, 0.9)
    assert mdp.states is None  # 0 to 3 were visited, 9 was the end
    assert mdp.num_states == 5
    np.testing.assert_allclose(mdp.P[[0]].toarray(), [[0, 0.5, 0.5, 0, 0]])
    np.testing.assert_allclose(mdp.P[[2]].toarray(), [[0, 0, 0, 0, 1]])
    assert mdp.r[[0, 1, 2, 4]].tolist() == [2, 0, 5, 7]
    assert mdp.mask[:3].tolist() == [[True, True], [True, False], [True, False]]
    assert mdp.terminal.tolist() == [False, False, False, True, True]  # what follows the cut is unknown
    np.testing.assert_allclose(mdp.start, [1, 0, 0, 0, 0])


def test_names_and_gaps_are_kept() -> None:
    named = Transitions.from_arrays(["b", "a"], ["go", "go"], [0, 1], ["a", "c"], terminated=[0, 1])
    mdp = TabularMDP.from_transitions(named)
    assert (mdp.states, mdp.actions) == (["a", "b", "end"], ["go"])
    gaps = TabularMDP.from_transitions(Transitions.from_arrays([7, 3], [0, 0], [0, 0], [3, 7]))
    assert gaps.states == [3, 7]
    assert gaps.index(7) == 1


def test_a_long_recording_comes_near_the_environment() -> None:
    env = TransitionRecorder(gym.make("FrozenLake-v1", is_slippery=True))
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(8000):
        _, _, terminated, truncated, _ = env.step(int(rng.integers(4)))
        if terminated or truncated:
            env.reset()
    exact = TabularMDP.from_gymnasium("FrozenLake-v1")
    steps = env.transitions()
    seen = TabularMDP.from_transitions(steps)
    assert seen.states is not None  # holes are ends, never left
    common = [state for state in seen.states if state != "end"]
    for state in common:
        for action in range(4):
            row = seen.P[[seen.index(state) * 4 + action]].toarray().ravel()
            want = exact.P[[state * 4 + action]].toarray().ravel()
            tried = ((steps.state == state) & (steps.action == action)).sum()
            np.testing.assert_allclose(row, want[[*common, 16]], atol=4 * np.sqrt(2 / 9 / tried))


def test_vectors_have_no_table() -> None:
    steps = Transitions.from_arrays([[0.5, 1.0]], [0], [0.0], [[0.7, 1.0]])
    with pytest.raises(InputError, match=r"states of the recording are vectors. Record .*Discretizer"):
        TabularMDP.from_transitions(steps)
