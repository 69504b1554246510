"""Q-learning against its own identities, Dyna-Q and the actor-critic against the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl import TabularMDP
from allpass.rl.learners import ActorCritic, DynaQ, QLearning, TableWorld, learn
from allpass.rl.shaping import shaping_reward

CORRIDOR = "S.........G"


def optimal_values(mdp: TabularMDP) -> Any:
    V = np.zeros(mdp.num_states)
    for _ in range(2000):
        V = (mdp.r + mdp.discount * (mdp.P @ V)).reshape(mdp.num_states, -1).max(axis=1)
    return V


@pytest.mark.parametrize("seed", range(3))
def test_shaping_is_the_potential_as_first_values(seed: int) -> None:
    generator = np.random.default_rng(seed)
    S, A, T = 12, 3, 4000
    phi = generator.normal(size=S)
    shaped = QLearning(1, S, A, discount=0.95)
    begun = QLearning(1, S, A, discount=0.95, initial=phi)
    row = np.zeros(1, dtype=np.int64)
    for _ in range(T):
        s, after, a = (
            generator.integers(S, size=1),
            generator.integers(S, size=1),
            generator.integers(A, size=1),
        )
        reward, terminated = generator.normal(size=1), generator.random(1) < 0.1
        F = shaping_reward(phi[s], phi[after], terminated, 0.95)
        draw = np.zeros((1, 3))
        shaped.learn(row, s, a, reward + F, after, terminated, draw)
        begun.learn(row, s, a, reward, after, terminated, draw)
    np.testing.assert_allclose(shaped.Q[0] + phi[:, None], begun.Q[0], atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_shaping_leaves_the_optimal_policies_as_they_are(seed: int) -> None:
    generator = np.random.default_rng(seed)
    S, A = 9, 3
    P = generator.dirichlet(np.ones(S), size=S * A)
    P[(S - 1) * A :] = np.eye(S)[S - 1]
    r = generator.normal(size=S * A)
    r[(S - 1) * A :] = 0
    phi = np.append(generator.normal(size=S - 1) * 10, 0.0)  # the end has potential 0
    F = 0.9 * (P @ phi) - phi.repeat(A)
    values = {}
    for name, reward in (("raw", r), ("shaped", r + F)):
        policy = np.zeros(S, dtype=int)
        while True:  # policy iteration
            pair = np.arange(S) * A + policy
            V = np.linalg.solve(np.eye(S) - 0.9 * P[pair], reward[pair])
            Q = (reward + 0.9 * P @ V).reshape(S, A)
            if (Q.max(axis=1) <= Q[np.arange(S), policy] + 1e-12).all():
                break
            policy = Q.argmax(axis=1)
        values[name] = policy, V
    np.testing.assert_array_equal(values["raw"][0], values["shaped"][0])
    np.testing.assert_allclose(values["shaped"][1] + phi, values["raw"][1], atol=1e-10)


@pytest.mark.parametrize("kind", [QLearning, DynaQ])
def test_values_become_the_optimal_ones(kind: Any) -> None:
    mdp = TabularMDP.from_grid(CORRIDOR, 0.9)
    learner = kind(2, mdp.num_states, mdp.num_actions, discount=0.9, epsilon=1.0)
    learn(TableWorld(mdp, 2), learner, [0, 1], episodes=80)
    np.testing.assert_allclose(learner.Q.max(axis=2), np.tile(optimal_values(mdp), (2, 1)), atol=1e-6)


def test_dyna_plans_with_recorded_steps() -> None:
    mdp = TabularMDP.from_grid(CORRIDOR, 0.9)
    seeds = list(range(8))
    steps = {}
    for planning in (0, 20):
        size = len(seeds), mdp.num_states, mdp.num_actions
        learner = (
            DynaQ(*size, planning=planning, discount=0.9) if planning else QLearning(*size, discount=0.9)
        )
        history = learn(TableWorld(mdp, len(seeds)), learner, seeds, episodes=15)
        np.testing.assert_array_equal(history.updates, history.steps.sum(axis=1) * (1 + planning))
        steps[planning] = history.steps[:, 1:].sum(axis=1).mean()
    assert steps[20] < 0.7 * steps[0]


def test_an_actor_critic_finds_the_goal_faster_in_the_end() -> None:
    mdp = TabularMDP.from_grid(CORRIDOR, 0.95)
    learner = ActorCritic(5, mdp.num_states, mdp.num_actions, discount=0.95)
    history = learn(TableWorld(mdp, 5), learner, range(5), episodes=80)
    assert history.steps[:, -10:].mean() < 0.3 * history.steps[:, 0].mean()


def test_the_actor_moves_along_the_gradient_of_the_logarithm() -> None:
    learner = ActorCritic(1, 1, 3, temperature=0.5, actor_rate=1.0)
    learner.preferences[0, 0] = [0.1, 0.4, -0.2]
    row, state = np.zeros(1, dtype=int), np.zeros(1, dtype=int)

    def log_policy(theta: Any) -> float:
        return float(theta[1] / 0.5 - np.log(np.exp(theta / 0.5).sum()))

    theta = learner.preferences[0, 0].copy()
    gradient = [(log_policy(theta + 1e-6 * e) - log_policy(theta - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    learner.learn(row, state, np.array([1]), np.array([1.0]), state, np.array([True]), np.zeros((1, 3)))
    np.testing.assert_allclose(learner.preferences[0, 0] - theta, gradient, atol=1e-8)


def test_ties_are_broken_at_random() -> None:
    learner = QLearning(1, 1, 4, epsilon=0.0)
    learner.Q[0, 0] = [1.0, 0.0, 1.0, 1.0]
    row, state = np.zeros(3000, dtype=int), np.zeros(3000, dtype=int)
    chosen = learner.act(row, state, np.random.default_rng(0).random((3000, 3)))
    share = np.bincount(chosen, minlength=4) / 3000
    np.testing.assert_allclose(share, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.04)


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="epsilon = 2"):
        QLearning(1, 2, 2, epsilon=2)
    with pytest.raises(InputError, match="planning = 0"):
        DynaQ(1, 2, 2, planning=0)
    with pytest.raises(InputError, match="temperature = 0"):
        ActorCritic(1, 2, 2, temperature=0)
