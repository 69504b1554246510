from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rl.processes import random_mdp, random_policy

from allpass.errors import InputError
from allpass.rl import TabularMDP, TransitionRecorder, Transitions, td_successor


@given(st.integers(0, 1000))
def test_successor_representation_gives_values(seed: int) -> None:
    mdp = random_mdp(seed)
    pi = random_policy(mdp, seed)
    M = mdp.successor(pi)
    np.testing.assert_allclose(M @ mdp.state_rewards(pi), mdp.values(pi), atol=1e-10)
    np.testing.assert_allclose(M.sum(axis=1), 10, atol=1e-10)
    np.testing.assert_allclose(mdp.successor(pi, states=[3, 1]), M[[3, 1]], atol=1e-12)


def test_learned_step_by_step_it_comes_near() -> None:
    mdp = TabularMDP.from_grid("...\n...\n...", 0.9)
    env = TransitionRecorder(mdp.to_env())
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(20_000):
        env.step(int(rng.integers(4)))
    steps = env.transitions()
    exact = mdp.successor()
    rough = td_successor(steps, discount=0.9, learning_rate=0.05)
    fine = td_successor(steps, discount=0.9, learning_rate=0.01, initial=rough)

    def error(M: np.ndarray) -> float:
        return float(np.linalg.norm(M - exact) / np.linalg.norm(exact))

    assert error(fine) < error(rough) < error(np.eye(9))
    assert error(fine) < 0.06


def test_an_end_has_no_successors() -> None:
    steps = Transitions.from_arrays([0, 1], [0, 0], [0, 1], [1, 2], terminated=[0, 1])
    M = td_successor(Transitions.concatenate([steps] * 400), discount=0.5, learning_rate=0.1)
    np.testing.assert_allclose(M, [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], atol=1e-9)


def test_bad_input_is_named() -> None:
    corridor = TabularMDP.from_grid("S.G", 1.0)
    with pytest.raises(InputError, match="discount=1: a terminal state is visited for ever"):
        corridor.successor()
    vectors = Transitions.from_arrays([[0.5]], [0], [0], [[0.5]])
    with pytest.raises(InputError, match="are vectors"):
        td_successor(vectors, discount=0.9)
    steps = Transitions.from_arrays([0], [0], [0], [5])
    with pytest.raises(InputError, match=r"state 5. Expected numbers from 0 to 2"):
        td_successor(steps, discount=0.9, num_states=3)
    with pytest.raises(InputError, match="learning_rate=2"):
        td_successor(steps, discount=0.9, learning_rate=2)
