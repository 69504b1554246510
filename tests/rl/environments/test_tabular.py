from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_agents
from tests.rl.processes import random_mdp, random_policy

import allpass.rl
from allpass.errors import InputError, UnknownNameError
from allpass.rl import TabularMDP
from allpass.rl.environments.ids import ENVIRONMENTS, make


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_registered_environments_pass_the_checks(name: str) -> None:
    check_env(gym.make(name).unwrapped)
    check_for_agents(gym.make(name))
    several = gym.make_vec(name, 3)
    several.reset(seed=0)
    for _ in range(10):
        several.step(several.action_space.sample())
    several.close()


def test_a_process_passes_the_checks_as_an_environment() -> None:
    env = random_mdp(1, masked=True).to_env()
    check_env(env, skip_render_check=True)
    check_for_agents(env)


def test_the_registry_names_the_arguments() -> None:
    env: Any = gym.make("allpass/Grid-v0", grid="S.\n.G", slip=0.2, step_reward=-1.0, render_mode="ansi")
    env.reset()
    assert env.render() == "A.\n.G\n"
    assert env.unwrapped.mdp.num_states == 4
    picture = TabularMDP.from_grid("S.\n.G").to_env(render_mode="rgb_array")
    picture.reset()
    assert picture.render().shape == (32, 32, 3)
    assert len({tuple(pixel) for pixel in picture.render().reshape(-1, 3)}) == 3


def test_samples_follow_the_process() -> None:
    mdp = TabularMDP.from_grid("S.H\n..G", slip=0.4, hole_reward=-1.0)
    env = mdp.to_env()
    row = mdp.index((1, 1)) * 4  # up: sides are left and right, where the goal is
    counts, earned = np.zeros(mdp.num_states), 0.0
    for trial in range(3000):
        env.reset(seed=0 if trial == 0 else None, options={"state": (1, 1)})
        after, reward, terminated, truncated, _ = env.step(0)
        counts[after] += 1
        earned += reward
        assert terminated == (after == mdp.index("end"))
        assert not truncated
        assert reward == (1.0 if terminated else 0.0)  # not the expectation of 0.2
    np.testing.assert_allclose(counts / 3000, mdp.P[[row]].toarray().ravel(), atol=0.03)
    assert abs(earned / 3000 - mdp.r[row]) < 0.03


def test_what_a_mask_forbids_does_nothing() -> None:
    mdp = random_mdp(3, masked=True)
    env = mdp.to_env()
    state, action = np.argwhere(~mdp.mask)[0]
    _, info = env.reset(seed=0, options={"state": int(state)})
    np.testing.assert_array_equal(info["action_mask"], mdp.mask[state])
    assert env.step(int(action))[:3] == (state, 0.0, False)


def test_the_same_seed_is_the_same_episode() -> None:
    env = random_mdp(2).to_env()

    def episode() -> list[Any]:
        return [env.reset(seed=5)[0], *(env.step(step % 3)[:2] for step in range(30))]

    assert episode() == episode()


def test_returns_agree_with_values() -> None:
    mdp = random_mdp(5, discount=0.7)
    pi = random_policy(mdp, 5)
    P, r = mdp.state_chain(pi).toarray(), mdp.state_rewards(pi)
    V = np.linalg.solve(np.eye(7) - 0.7 * P, r)
    env, rng = mdp.to_env(), np.random.default_rng(0)
    state, _ = env.reset(seed=1, options={"state": 0})
    totals = []
    for _ in range(600):
        state, _ = env.reset(options={"state": 0})
        total = 0.0
        for step in range(25):
            state, reward, *_ = env.step(int(rng.choice(3, p=pi[state])))
            total += 0.7**step * reward
        totals.append(total)
    assert abs(np.mean(totals) - V[0]) < 4 * np.std(totals) / np.sqrt(600)


def test_bad_calls_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean .*FrozenLake-v1"):
        make("FrozenLak-v1")
    with pytest.raises(UnknownNameError, match="allpass/FourRooms-v0"):
        make("allpass/FourRoom-v0")
    with pytest.raises(InputError, match="cannot be made with colour='red'"):
        make("FrozenLake-v1", colour="red")
    with pytest.raises(UnknownNameError, match="Did you mean 'CliffWalking-v1'"):
        make("CliffWalking-v0")
    with pytest.raises(UnknownNameError, match=r"no argument 'slippy'\. Did you mean 'slip'"):
        gym.make("allpass/Grid-v0", slippy=0.2)
    assert gym.make("allpass/Grid-v0", discount=0.5).unwrapped.mdp.discount == 0.5  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="render_mode='human'"):
        random_mdp(0).to_env(render_mode="human")
    env = random_mdp(0).to_env()
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    env.reset()
    with pytest.raises(InputError, match="Got action 3"):
        env.step(3)


def test_every_environment_is_registered_on_import() -> None:
    assert allpass.rl.TabularMDP is TabularMDP
    assert set(ENVIRONMENTS) <= set(gym.registry)
    env = gym.make("allpass.rl:allpass/FourRooms-v0")
    assert env.spec is not None
    assert env.spec.max_episode_steps == 500
