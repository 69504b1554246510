from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from hypothesis import given
from hypothesis import strategies as st

from allpass.rl import TabularMDP
from allpass.rl.solvers.krylov import KrylovSolver


@given(st.integers(0, 1000), st.booleans(), st.sampled_from([0.5, 0.99, 0.999]))
def test_values_are_those_of_the_dense_system(seed: int, sparse_rewards: bool, discount: float) -> None:
    """With few rewards by Gauss-Seidel sweeps, with many without."""
    rng = np.random.default_rng(seed)
    P = rng.random((60, 60)) * (rng.random((60, 60)) < 0.05) + 1e-3 * np.eye(60)
    P /= P.sum(axis=1, keepdims=True)
    reward = rng.normal(size=60)
    if sparse_rewards:
        reward[2:] = 0
    chain = sp.csr_array(P)
    solver = KrylovSolver(chain, reward, discount)
    assert (solver.order is not None) == sparse_rewards
    V = solver.solve(chain, reward, np.zeros(60), 1e-11)
    want = np.linalg.solve(np.eye(60) - discount * P, reward)
    if V is not None:  # None asks for a factorisation
        np.testing.assert_allclose(V, want, atol=1e-10 / (1 - discount) * max(1, np.abs(want).max()))
    assert V is not None or discount > 0.9


@pytest.mark.parametrize("discount", [0.99, 0.9999])
@pytest.mark.parametrize("dense", [False, True])
def test_another_policy_and_a_guess(discount: float, dense: bool) -> None:
    """The order of one policy serves another; single precision does not limit the result."""
    mdp = TabularMDP.from_grid("\n".join(["." * 60] * 59 + ["." * 59 + "G"]), discount, slip=0.2)
    rng = np.random.default_rng(0)
    if dense:
        mdp = TabularMDP(mdp.P, rng.normal(size=len(mdp.r)) * (np.arange(len(mdp.r)) < 4 * 3599), discount)
    first = rng.integers(1, 3, size=mdp.num_states)
    solver = KrylovSolver(mdp.state_chain(first), mdp.state_rewards(first), discount)
    second = np.where(rng.random(mdp.num_states) < 0.05, 0, first)
    chain, reward = mdp.state_chain(second), mdp.state_rewards(second)
    V = solver.solve(chain, reward, mdp.values(first), 1e-12)
    want = sla.spsolve((sp.eye_array(mdp.num_states) - discount * chain).tocsc(), reward)
    assert V is not None
    np.testing.assert_allclose(V, want, atol=1e-11 / (1 - discount) * max(1, np.abs(want).max()))
    again = solver.solve(chain, reward, V, 1e-12)
    assert again is not None
    assert np.array_equal(again, V)


def test_what_does_not_converge_is_none() -> None:
    state = np.arange(2000)
    chain = sp.csr_array((np.ones(2000), (state, np.roll(state, 1))), shape=(2000, 2000))
    reward = np.random.default_rng(0).normal(size=2000)
    assert KrylovSolver(chain, reward, 1 - 1e-9).solve(chain, reward, np.zeros(2000), 1e-12) is None
