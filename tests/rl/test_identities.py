"""The exact identities between Laplacians, successor representation, initialisation and shaping."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.processes import random_mdp, random_policy

from allpass.rl import TabularMDP, laplacian, proto_value_functions, visited_graph

GAMMA = 0.95


@pytest.fixture(scope="module")
def rooms() -> TabularMDP:
    """Four rooms without a goal: bumping stays in place, so the uniform chain is symmetric."""
    from allpass.rl import GRIDS

    return TabularMDP.from_grid(GRIDS["four-rooms"].replace("G", "."), GAMMA)


def test_the_combinatorial_laplacian_is_four_times_i_minus_p(rooms: TabularMDP) -> None:
    P = rooms.state_chain("uniform")
    L = laplacian(visited_graph(P)).to_dense()
    np.testing.assert_allclose(L, 4 * (np.eye(rooms.num_states) - P.toarray()), atol=1e-10)


def test_the_successor_representation_has_its_eigenvectors(rooms: TabularMDP) -> None:
    L = laplacian(visited_graph(rooms.state_chain("uniform")))
    M = rooms.successor()
    np.testing.assert_allclose(M, M.T, atol=1e-10)
    values, vectors = L.smallest(rooms.num_states)
    np.testing.assert_allclose(M @ vectors, vectors / (1 - GAMMA * (1 - values / 4)), atol=1e-10)
    np.testing.assert_allclose(np.linalg.eigvalsh(M)[::-1], 1 / (1 - GAMMA * (1 - values / 4)), atol=1e-10)


def test_a_symmetric_chain_has_one_basis_by_three_names(rooms: TabularMDP) -> None:
    """Combinatorial and directed Laplacian span the same; eigenvalues that repeat leave the vectors open."""
    P = rooms.state_chain("uniform")
    eigenvalues = laplacian(P).smallest(20)[0]
    k = next(size for size in range(12, 20) if eigenvalues[size] - eigenvalues[size - 1] > 1e-6)
    combinatorial = proto_value_functions(P, k)
    directed = proto_value_functions(P, k, laplacian="directed")
    Q = np.linalg.qr(combinatorial)[0]
    R = np.linalg.qr(directed)[0]
    np.testing.assert_allclose(Q @ Q.T, R @ R.T, atol=1e-9)


def test_they_break_for_another_policy(rooms: TabularMDP) -> None:
    P = rooms.state_chain(random_policy(rooms, 0))
    assert (
        np.abs(laplacian(visited_graph(P)).to_dense() - 4 * (np.eye(rooms.num_states) - P.toarray())).max()
        > 0.1
    )


def shaped(mdp: TabularMDP, phi: np.ndarray) -> TabularMDP:
    """The process with F = gamma phi(s') - phi(s) added to its rewards."""
    F = mdp.discount * (mdp.P @ phi) - np.repeat(phi, mdp.num_actions) * mdp.mask.ravel()
    return TabularMDP(mdp.P, mdp.r + F, mdp.discount, mask=mdp.mask)


@pytest.mark.parametrize("seed", range(5))
def test_shaping_leaves_the_policy_and_moves_values_by_the_potential(seed: int) -> None:
    mdp = random_mdp(seed, masked=True)
    phi = np.random.default_rng([seed, 9]).normal(size=mdp.num_states)
    plain, moved = mdp.optimal(), shaped(mdp, phi).optimal()
    np.testing.assert_array_equal(moved.policy, plain.policy)
    np.testing.assert_allclose(moved.values, plain.values - phi, atol=1e-10)
    pi = random_policy(mdp, seed)
    np.testing.assert_allclose(shaped(mdp, phi).values(pi), mdp.values(pi) - phi, atol=1e-10)


def test_a_potential_that_is_not_0_at_the_end_may_change_the_policy() -> None:
    """Two ends; the potential of the nearer one makes up for its smaller reward."""
    P = np.zeros((3, 2, 3))
    P[0, 0, 1] = P[0, 1, 2] = P[1, :, 1] = P[2, :, 2] = 1
    mdp = TabularMDP(P, [[1.0, 2.0], [0, 0], [0, 0]], 0.9, layout="S,A,S")
    phi = np.array([0.0, 5.0, 0.0])
    F = mdp.discount * (mdp.P @ phi) - np.repeat(phi, 2)
    F[2:] = 0  # an episode is over at its end
    wrong = TabularMDP(mdp.P, mdp.r + F, 0.9)
    assert mdp.optimal().policy[0] == 1
    assert wrong.optimal().policy[0] == 0


def test_q_values_that_begin_at_the_potential_are_shaped_q_values() -> None:
    """Wiewiora (2003): the same experience gives the same differences between actions, whatever the learning rate."""
    mdp = TabularMDP.from_grid("four-rooms", GAMMA)
    rng = np.random.default_rng(0)
    phi = rng.normal(size=mdp.num_states)
    phi[mdp.terminal] = 0
    plain = np.tile(phi[:, None], (1, 4))
    with_shaping = np.zeros_like(plain)
    env = mdp.to_env()
    state, _ = env.reset(seed=0)
    for _ in range(4000):
        action = int(rng.integers(4))
        after, reward, ended, _, _ = env.step(action)
        F = GAMMA * phi[after] - phi[state]
        for Q, r in ((plain, reward), (with_shaping, reward + F)):
            target = r + GAMMA * (0 if ended else Q[after].max())
            Q[state, action] += 0.5 * (target - Q[state, action])
        state = env.reset()[0] if ended else after
    live = ~mdp.terminal
    np.testing.assert_allclose(with_shaping[live] + phi[live, None], plain[live], atol=1e-10)
