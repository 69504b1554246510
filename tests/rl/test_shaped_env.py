"""Shaped environments: what they add, what they keep, and the checkers of both libraries."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as check_gymnasium
from gymnasium.wrappers import TimeLimit
from stable_baselines3.common.env_checker import check_env as check_baselines

from allpass.errors import InputError, UnknownNameError
from allpass.rl import BestPathPotential, Discretizer, as_vector
from allpass.rl.shaped_env import PotentialShaping


def corridor(length: int = 5) -> gym.Env[Any, Any]:
    return gym.make("allpass/Grid-v0", grid="S" + "." * (length - 1) + "G")


def test_shaping_sums_to_minus_the_first_potential() -> None:
    env = PotentialShaping(corridor(), BestPathPotential(0.9), discount=0.9, refresh_every=1)
    env.action_space.seed(0)
    for episode in range(5):
        observation, _ = env.reset(seed=episode)
        first = env.potential.potential(np.array([observation]))[0]
        total, t, terminated = 0.0, 0, False
        while not terminated:
            _, reward, terminated, _, info = env.step(env.action_space.sample())
            assert reward == info["env_reward"] + info["shaping"]
            total += 0.9**t * info["shaping"]
            t += 1
        np.testing.assert_allclose(total, -first, atol=1e-12)
        assert (first > 0) == (episode > 0)
    assert env.fits == 5
    assert env.transitions().reward.sum() == 5  # raw rewards


def test_a_truncated_end_keeps_its_potential() -> None:
    env = PotentialShaping(TimeLimit(corridor(), 5), BestPathPotential(0.9), discount=0.9, refresh_every=1)
    env.reset(seed=0)
    for _ in range(5):
        env.step(1)
    state, _ = env.reset()
    for action in (1, 3, 1, 3):
        env.step(action)
    after, _, terminated, truncated, info = env.step(1)
    phi = env.potential.potential(np.array([state, after]))
    assert (terminated, truncated) == (False, True)
    np.testing.assert_allclose(info["shaping"], 0.9 * phi[1] - phi[0])
    assert phi[1] > 0


@pytest.mark.parametrize(
    ("name", "state_fn", "potential"),
    [
        ("FrozenLake-v1", None, "harmonic"),
        ("allpass/FourRooms-v0", None, "gcn"),
        ("MountainCar-v0", Discretizer([-1.2, -0.07], [0.6, 0.07], 10), "soft"),
        ("MountainCar-v0", as_vector, "gcn"),
    ],
)
def test_both_checkers_pass(name: str, state_fn: Any, potential: str) -> None:
    make = partial(gym.make, name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="gymnasium")
        check_gymnasium(
            PotentialShaping(make(), potential, state_fn, refresh_every=1), skip_render_check=True
        )
        check_baselines(
            PotentialShaping(make(), potential, state_fn, refresh_every=1), skip_render_check=True
        )


@pytest.mark.parametrize("mode", [gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv])
def test_it_runs_side_by_side(mode: Any) -> None:
    envs = mode([lambda: PotentialShaping(corridor(2), refresh_every=1)] * 3)
    envs.reset(seed=1)
    walls = np.array([3, 3, 3])
    rewards = np.array([envs.step(np.where(t < 3, [1, 1, 3], walls))[1] for t in range(8)])
    envs.close()
    assert rewards[1, 0] == rewards[1, 1] == 1.0
    assert (rewards[3:, :2] < 0).all()  # the second episode is shaped
    assert (rewards[:, 2] == 0).all()


def test_the_same_seed_gives_the_same_rewards() -> None:
    def rewards() -> list[float]:
        env = PotentialShaping(gym.make("FrozenLake-v1"), "soft", refresh_every=3)
        env.action_space.seed(0)
        found = []
        for episode in range(60):
            env.reset(seed=episode)
            ended = False
            while not ended:
                _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
                found.append(float(reward))
                ended = terminated or truncated
        return found

    one = rewards()
    assert one == rewards()
    assert any(reward not in (0.0, 1.0) for reward in one)


def test_old_steps_are_forgotten() -> None:
    env = PotentialShaping(corridor(), refresh_every=1, memory=7)
    for _ in range(4):
        env.reset(seed=0)
        for _ in range(5):
            env.step(1)
    assert len(env.transitions()) == 7


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="refresh_every = 0"):
        PotentialShaping(corridor(), refresh_every=0)
    with pytest.raises(UnknownNameError, match="harmonic"):
        PotentialShaping(corridor(), "harmonc")
    with pytest.raises(InputError, match="state_fn"):
        PotentialShaping(gym.make("MountainCar-v0"))
