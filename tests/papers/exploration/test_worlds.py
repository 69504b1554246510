"""The vectorised worlds against the environments that they stand for."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import minigrid  # noqa: F401 - registers its environments
import numpy as np
import pytest

from allpass.papers.exploration.doorkey import ENVIRONMENT, DoorKeyWorld, read_layout
from allpass.papers.exploration.measure import ARMS, TASKS, first_rewards
from allpass.papers.exploration.mountaincar import HIGH, LOW, MountainCarWorld


def helpful(env: Any, generator: Any) -> int:
    """Often the action that uses what is ahead, so that keys are taken and doors opened and closed."""
    ahead = env.grid.get(*env.front_pos)
    if ahead is not None and ahead.type in ("key", "door") and generator.random() < 0.7:
        is_door = ahead.type == "door"
        return 3 if not is_door else 2 if ahead.is_open and generator.random() < 0.5 else 5
    return int(generator.choice(7, p=[0.15, 0.15, 0.45, 0.05, 0.05, 0.1, 0.05]))


@pytest.mark.parametrize("seed", [3, 8])
def test_doorkey_is_that_of_minigrid(seed: int) -> None:
    generator = np.random.default_rng(seed)
    world, row = DoorKeyWorld([seed]), np.array([0])
    env: Any = gym.make(ENVIRONMENT).unwrapped
    doors, goals, carried = set(), 0, 0
    for _ in range(3):
        env.reset(seed=seed)
        state = world.reset(row, np.zeros(1))
        for _ in range(600):
            x, y, direction, key, door = read_layout(env)["first"]
            assert state[0] == (((x * 8 + y) * 4 + direction) * 65 + key) * 3 + door
            assert (key == 64) == (env.carrying is not None)
            doors.add(door)
            carried += key == 64
            action = helpful(env, generator)
            _, reward, terminated, _, _ = env.step(action)
            state, earned, ended = world.step(row, np.array([action]), np.zeros(1))
            assert ended[0] == terminated == (reward > 0) == earned[0]
            if terminated:
                goals += 1
                break
    assert doors == {0, 1, 2}
    assert carried
    assert goals


def test_mountaincar_is_that_of_gymnasium() -> None:
    generator = np.random.default_rng(0)
    world, row = MountainCarWorld(1, bins=20), np.array([0])
    env: Any = gym.make("MountainCar-v0").unwrapped
    reached = 0
    for episode in range(3):
        seen, _ = env.reset(seed=episode)
        world.reset(row, np.array([(env.state[0] + 0.6) / 0.2]))
        for _ in range(400):
            action = 2 if env.state[1] >= 0 else 0
            action = int(generator.integers(3)) if generator.random() < 0.2 else action
            seen, _, terminated, _, _ = env.step(action)
            state, earned, ended = world.step(row, np.array([action]), np.zeros(1))
            np.testing.assert_allclose([world.position[0], world.velocity[0]], seen, atol=1e-6)
            cell = np.clip((env.state - LOW) / (HIGH - LOW) * 20, 0, 19).astype(int)
            assert state[0] == cell[0] * 20 + cell[1]
            assert ended[0] == terminated == earned[0]
            if terminated:
                reached += 1
                break
    assert reached


@pytest.mark.parametrize("arm", ARMS)
def test_the_corner_is_found_by_every_bonus_and_seeds_are_apart(arm: str) -> None:
    two = first_rewards("grid", arm, [5, 6])
    assert (two > 39).all()  # the shortest way
    assert first_rewards("grid", arm, [6])[0] == two[1]


def test_a_seed_gives_up() -> None:
    assert first_rewards("mountaincar", "epsilon-greedy", [0], max_steps=300)[0] == -1
    assert set(TASKS) == {"grid", "mountaincar", "doorkey"}
