from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.rl.processes import random_arrays, random_mdp, random_policy

from allpass.errors import InputError, UnknownNameError
from allpass.rl import TabularMDP


@given(st.integers(0, 1000), st.booleans())
def test_chains_equal_sums_over_states_and_actions(seed: int, masked: bool) -> None:
    mdp = random_mdp(seed, masked=masked)
    P, r = random_arrays(seed)
    pi = random_policy(mdp, seed)
    np.testing.assert_allclose(mdp.state_chain(pi).toarray(), np.einsum("sa,sat->st", pi, P), atol=1e-14)
    np.testing.assert_allclose(mdp.state_rewards(pi), (pi * r).sum(axis=1), atol=1e-14)
    pairs = np.einsum("sat,tb->satb", P * mdp.mask[..., None], pi).reshape(21, 21)
    np.testing.assert_allclose(mdp.state_action_chain(pi).toarray(), pairs, atol=1e-14)


@given(st.integers(0, 1000))
def test_a_deterministic_policy_is_its_probabilities(seed: int) -> None:
    mdp = random_mdp(seed)
    actions = np.random.default_rng(seed).integers(3, size=7)
    want = mdp.state_chain(np.eye(3)[actions]).toarray()
    np.testing.assert_allclose(mdp.state_chain(actions).toarray(), want, atol=1e-15)
    np.testing.assert_allclose(mdp.state_chain(mdp.policy(actions)).toarray(), want, atol=1e-15)


def test_every_layout_is_the_same_process() -> None:
    P, r = random_arrays(3)
    by_state = TabularMDP(P, r, 0.9, layout="S,A,S")
    for transitions, layout in (
        (P.reshape(21, 7), "SA,S"),
        (sp.csr_array(P.reshape(21, 7)), "SA,S"),
        (P.transpose(1, 0, 2), "A,S,S"),
        ([sp.csr_array(P[:, a]) for a in range(3)], "A,S,S"),
        (list(P), "S,A,S"),
    ):
        mdp = TabularMDP(transitions, r.ravel(), 0.9, layout=layout)  # type: ignore[arg-type]
        assert (mdp.P != by_state.P).nnz == 0
        np.testing.assert_array_equal(mdp.r, by_state.r)


def test_a_reward_per_transition_is_its_expectation() -> None:
    P, _ = random_arrays(4)
    each = np.random.default_rng(4).normal(size=P.shape)
    want = (P * each).sum(axis=2).ravel()
    np.testing.assert_allclose(TabularMDP(P, each, 0.9, layout="S,A,S").r, want)
    turned = TabularMDP(P.transpose(1, 0, 2), each.transpose(1, 0, 2), 0.9, layout="A,S,S")
    np.testing.assert_allclose(turned.r, want)
    flat = TabularMDP(P.reshape(21, 7), sp.csr_array(each.reshape(21, 7)), 0.9)
    np.testing.assert_allclose(flat.r, want)


def test_actions_that_are_not_allowed_have_no_transitions() -> None:
    P, r = random_arrays(5)
    mask = np.ones((7, 3), dtype=bool)
    mask[2, 1] = False
    P[2, 1], r[2, 1] = np.nan, np.nan
    mdp = TabularMDP(P, r, 0.9, mask=mask, layout="S,A,S")
    assert mdp.P[[2 * 3 + 1]].nnz == 0
    assert mdp.r[2 * 3 + 1] == 0
    assert mdp.policy("uniform").toarray()[2, 6:9].tolist() == [0.5, 0, 0.5]
    with pytest.raises(InputError, match="takes action 1 in state 2, where it is not allowed"):
        mdp.policy(np.ones(7, dtype=int))
    with pytest.raises(InputError, match="takes action 1 in state 2"):
        mdp.policy(np.full((7, 3), 1 / 3))


def test_terminal_states_keep_to_themselves_without_reward() -> None:
    P = np.array([[[0, 1.0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]], [[0, 0, 1], [0, 0, 1]]])
    mdp = TabularMDP(P, [[0, 0], [0, 0], [0, 1]], 0.9, layout="S,A,S")
    assert mdp.terminal.tolist() == [False, True, False]
    assert mdp.start.tolist() == [0.5, 0, 0.5]


def test_names_stand_for_numbers() -> None:
    mdp = TabularMDP(np.eye(2), [1, 2], 0.5, states=["left", "right"])
    assert mdp.index("right") == 1
    with pytest.raises(UnknownNameError, match="Did you mean 'right'"):
        mdp.index("rigth")
    assert TabularMDP(np.eye(2), [1, 2], 0.5).index(1) == 1


def test_another_discount_shares_the_matrices() -> None:
    mdp = random_mdp(0)
    other = mdp.with_discount(0.5)
    assert (mdp.discount, other.discount) == (0.9, 0.5)
    assert other.P is mdp.P
    with pytest.raises(InputError, match="terminal state"):
        mdp.with_discount(1)


EYE = np.eye(2)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((EYE * 0.5, [0, 0], 0.9), {}, "action 0 in state 0 sum to 0.5. Expected 1"),
        (([[1.5, -0.5], [0, 1]], [0, 0], 0.9), {}, "state 0 have a negative, NaN"),
        (([[1, 0], [np.nan, 1]], [0, 0], 0.9), {}, "state 1 have a negative, NaN"),
        (([[np.inf, 0], [0, 1]], [0, 0], 0.9), {}, "state 0 have a negative, NaN or infinite"),
        ((5, [0], 0.9), {"layout": "A,S,S"}, "transitions as one int with layout 'A,S,S'"),
        (([], [], 0.9), {"layout": "A,S,S"}, "0 parts of shapes none"),
        ((EYE, np.array([[np.nan, 0], [0, 0]]), 0.9), {}, "reward of action 0 in state 0 is nan"),
        ((EYE, [0, np.nan], 0.9), {"states": ["a", "b"]}, "reward of action 0 in state 'b' is nan"),
        ((EYE, [0, 0, 0], 0.9), {}, "rewards of shape \\[3\\]"),
        ((EYE, [1, 1], 1), {}, "discount=1 for a process without a terminal state"),
        ((EYE, [1, 1], 1.5), {}, "Got discount=1.5"),
        ((np.ones((3, 2)) / 2, [0] * 3, 0.9), {}, "transitions of shape \\[3, 2\\]"),
        ((np.ones((2, 2, 2)) / 2, [0] * 4, 0.9), {}, "layout 'SA,S'"),
        ((EYE, [0, 0], 0.9), {"layout": "S,S,A"}, "Got the layout 'S,S,A'"),
        ((EYE, [0, 0], 0.9), {"states": ["a"]}, "Got 1 names for 2 states"),
        ((EYE, [0, 0], 0.9), {"mask": [[1], [0]]}, "no action in state 1"),
        ((EYE, [0, 0], 0.9), {"mask": [1, 1]}, "mask of shape \\[2\\]"),
        ((EYE, [0, 0], 0.9), {"start": [1, 1]}, "with sum 2"),
        ((["a", "b"], [0, 0], 0.9), {}, "transitions are not an array of numbers"),
    ],
)
def test_bad_input_is_named(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TabularMDP(*arguments, **options)
