from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.rl.processes import random_mdp, random_policy
from tests.rl.solvers.references import dense_values

from allpass.errors import InputError
from allpass.rl import TabularMDP
from allpass.rl.solvers.evaluation import values

METHODS = ("auto", "factorization", "krylov", "sweeps")


@given(st.integers(0, 1000), st.booleans(), st.sampled_from(METHODS))
def test_values_equal_the_dense_inverse(seed: int, masked: bool, method: str) -> None:
    mdp = random_mdp(seed, masked=masked)
    pi = random_policy(mdp, seed)
    V = mdp.values(pi, method=method, tolerance=1e-12)  # type: ignore[arg-type]
    np.testing.assert_allclose(V, dense_values(mdp, pi), atol=1e-9)


@given(st.integers(0, 1000))
def test_values_are_the_mean_of_action_values(seed: int) -> None:
    """V = Pi Q and Q = (I - gamma P Pi)^-1 r, the report's two systems."""
    mdp = random_mdp(seed, masked=True)
    pi = random_policy(mdp, seed)
    Q = mdp.action_values(pi)
    assert np.isneginf(Q[~mdp.mask]).all()
    pairs = mdp.state_action_chain(pi).toarray()
    want = np.linalg.solve(np.eye(len(pairs)) - mdp.discount * pairs, mdp.r)
    np.testing.assert_allclose(Q[mdp.mask], want[mdp.mask.ravel()], atol=1e-10)
    np.testing.assert_allclose(mdp.values(pi), mdp.policy(pi) @ np.where(mdp.mask, Q, 0).ravel(), atol=1e-10)


def test_a_grid_of_some_size_by_every_method() -> None:
    mdp = TabularMDP.from_grid("\n".join(["." * 40] * 39 + ["." * 39 + "G"]), 0.97, slip=0.3)
    want = dense_values(mdp, np.full((1600, 4), 0.25))
    for method in METHODS:
        got = mdp.values(method=method, tolerance=1e-11)  # type: ignore[arg-type]
        np.testing.assert_allclose(got, want, atol=1e-9)


def test_without_a_discount_values_are_expected_sums() -> None:
    mdp = TabularMDP.from_grid("S...G", 1.0, step_reward=-1.0, goal_reward=-1.0)
    right = np.ones(5, dtype=int)
    assert mdp.values(right).tolist() == [-4, -3, -2, -1, 0]
    # A symmetric walk with a wall on its left needs d (2 N - d) steps, N = 4 cells, for moves half of the time.
    ahead = np.array([0.0, 0.5, 0.0, 0.5])
    distance = np.array([4, 3, 2, 1])
    np.testing.assert_allclose(mdp.values(np.tile(ahead, (5, 1)))[:4], -(distance * (9 - distance)))
    with pytest.raises(InputError, match=r"From state \(0, 0\) no terminal state is reached"):
        mdp.values(np.full(5, 3))


def slipping_chain(length: int, discount: float) -> TabularMDP:
    """Forward with .7, backward with .3; the reward is at the far end, which does not end."""
    state = np.arange(length)
    rows = np.concatenate([state, state])
    columns = np.concatenate([np.minimum(state + 1, length - 1), np.maximum(state - 1, 0)])
    chances = np.repeat([0.7, 0.3], length)
    P = sp.csr_array((chances, (rows, columns)), shape=(length, length))
    return TabularMDP(P, (state == length - 1).astype(float), discount)


def test_a_line_of_states_is_solved_as_a_band() -> None:
    mdp = slipping_chain(30_000, 0.99999)
    V = mdp.values()
    P, r = mdp.state_chain("uniform"), mdp.r
    assert np.abs(r + mdp.discount * (P @ V) - V).max() / np.abs(V).max() < 1e-12
    np.testing.assert_allclose(V, values(mdp, method="factorization"), rtol=1e-9)
    assert V[-1] > 40_000


@pytest.mark.slow
def test_a_million_states_on_a_line() -> None:
    mdp = slipping_chain(1_000_000, 0.99999)
    V = mdp.values()
    error = mdp.r + mdp.discount * (mdp.state_chain("uniform") @ V) - V
    assert np.abs(error).max() / max(1, np.abs(V).max()) < 1e-10


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="method='lu'"):
        random_mdp(0).values(method="lu")  # type: ignore[arg-type]
    for tolerance in (-1.0, float("nan")):
        with pytest.raises(InputError, match="Got tolerance="):
            random_mdp(0).values(tolerance=tolerance)
