"""Least squares, LSTD and LSPI against direct solutions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.test_laplacians import random_chain

from allpass.errors import InputError
from allpass.rl.bases import chain_walks, proto_value_functions, random_basis
from allpass.rl.laplacians import stationary_distribution
from allpass.rl.projection import least_squares, lspi, lstd, projected_values

GAMMA = 0.9


def test_least_squares_is_the_normal_equation() -> None:
    generator = np.random.default_rng(0)
    basis, values, weights = generator.random((20, 4)), generator.random(20), generator.random(20)
    D = np.diag(weights)
    expected = basis @ np.linalg.solve(basis.T @ D @ basis, basis.T @ D @ values)
    np.testing.assert_allclose(least_squares(basis, values, weights=weights), expected, atol=1e-12)
    known = np.array([3, 5, 8, 11, 13])
    expected = basis @ np.linalg.lstsq(basis[known], values[known], rcond=None)[0]
    np.testing.assert_allclose(least_squares(basis, values[known], states=known), expected, atol=1e-12)
    with pytest.raises(InputError, match="5 values for 20 states"):
        least_squares(basis, values[known])


def test_projected_values_are_exact_in_a_full_basis_and_bounded_in_a_small_one() -> None:
    P, r = random_chain(30, 1), np.random.default_rng(1).standard_normal(30)
    V = np.linalg.solve(np.eye(30) - GAMMA * P, r)
    np.testing.assert_allclose(projected_values(random_basis(30, 30), P, r, discount=GAMMA), V, atol=1e-9)
    psi = stationary_distribution(P)

    def length(x: np.ndarray) -> float:
        return float(np.sqrt(psi @ x**2))

    for seed in range(5):
        basis = random_basis(30, 6, seed=seed)
        nearest = length(V - least_squares(basis, V, weights=psi))
        fixed = length(V - projected_values(basis, P, r, discount=GAMMA, weights=psi))
        assert nearest - 1e-12 <= fixed <= nearest / np.sqrt(1 - GAMMA**2)


def test_lstd_reaches_the_projected_values() -> None:
    P, r = random_chain(12, 2, density=0.4), np.arange(12.0)
    walk = chain_walks(P, np.zeros(1, dtype=int), 60_000, np.random.default_rng(3))[0]
    basis = proto_value_functions(P, 5)
    found = lstd(basis, walk[:-1], r[walk[:-1]], walk[1:], np.zeros(len(walk) - 1, bool), discount=GAMMA)
    visits = np.bincount(walk[:-1], minlength=12) / (len(walk) - 1)
    empirical = np.zeros((12, 12))
    np.add.at(empirical, (walk[:-1], walk[1:]), 1)
    empirical /= empirical.sum(axis=1, keepdims=True)
    exact = projected_values(basis, empirical, r, discount=GAMMA, weights=visits)
    np.testing.assert_allclose(found, exact, atol=1e-8)  # the same sums in another order
    np.testing.assert_allclose(
        found, projected_values(basis, P, r, discount=GAMMA, weights=stationary_distribution(P)), rtol=0.05
    )


def test_nothing_follows_a_terminal_step() -> None:
    basis = np.eye(2)
    found = lstd(
        basis, np.array([0, 1]), np.array([1.0, 5.0]), np.array([1, 0]), np.array([False, True]), discount=0.5
    )
    np.testing.assert_allclose(found, [1 + 0.5 * 5, 5])


def corridor(S: int, slip: float) -> tuple[np.ndarray, np.ndarray]:
    """P ``[S, 2, S]`` of steps left and right that slip the other way, and the reward 1 in the two ends."""
    P = np.zeros((S, 2, S))
    for s in range(S):
        left, right = max(s - 1, 0), min(s + 1, S - 1)
        P[s, 0, left] += 1 - slip
        P[s, 0, right] += slip
        P[s, 1, right] += 1 - slip
        P[s, 1, left] += slip
    reward = np.zeros(S)
    reward[[0, -1]] = 1
    return P, reward


def test_lspi_finds_the_best_policy_of_a_corridor() -> None:
    S = 20
    P, reward = corridor(S, 0.1)
    generator = np.random.default_rng(0)
    state = generator.integers(S, size=20_000)
    action = generator.integers(2, size=20_000)
    chance = P[state, action].cumsum(axis=1)
    after = (generator.random((20_000, 1)) > chance).sum(axis=1).clip(max=S - 1)
    ended = np.zeros(20_000, bool)
    found = lspi(np.eye(S), state, action, reward[after], after, ended, num_actions=2, discount=GAMMA)
    V = np.zeros(S)
    for _ in range(500):
        Q = P @ (reward + GAMMA * V)
        V = Q.max(axis=1)
    assert found.converged
    np.testing.assert_array_equal(found.policy, np.arange(S) >= S // 2)
    np.testing.assert_allclose(found.action_values, Q, atol=0.25)
    smooth = lspi(
        proto_value_functions(P.mean(axis=1), 9),
        state,
        action,
        reward[after],
        after,
        ended,
        num_actions=2,
        discount=GAMMA,
    )
    np.testing.assert_array_equal(smooth.policy, np.arange(S) >= S // 2)


def test_lspi_takes_no_action_that_a_state_lacks() -> None:
    P, reward = corridor(6, 0.0)
    state, action = np.repeat(np.arange(6), 2), np.tile([0, 1], 6)
    after = P[state, action].argmax(axis=1)
    mask = np.ones((6, 2), bool)
    mask[:, 1] = False
    found = lspi(
        np.eye(6),
        state,
        action,
        reward[after],
        after,
        np.zeros(12, bool),
        num_actions=2,
        discount=GAMMA,
        mask=mask,
    )
    assert (found.policy == 0).all()
    with pytest.raises(InputError, match="at least one action"):
        lspi(
            np.eye(6),
            state,
            action,
            reward[after],
            after,
            np.zeros(12, bool),
            num_actions=2,
            discount=GAMMA,
            mask=np.zeros((6, 2), bool),
        )
