from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from allpass.errors import InputError
from allpass.rl import Discretizer, TransitionRecorder, Transitions, VectorTransitionRecorder, as_vector


def walk(env: Any, steps: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """Random steps, written down by hand."""
    rng = np.random.default_rng(seed)
    seen, episode = [], 0
    state, _ = env.reset(seed=seed)
    for _ in range(steps):
        action = int(rng.integers(env.action_space.n))
        after, reward, terminated, truncated, _ = env.step(action)
        seen.append((state, action, reward, after, terminated, truncated, episode))
        state = after
        if terminated or truncated:
            state, _ = env.reset()
            episode += 1
    return seen


def test_every_step_is_recorded() -> None:
    env = TransitionRecorder(gym.make("FrozenLake-v1", max_episode_steps=5))
    seen = walk(env, 200)
    steps = env.transitions()
    columns = ("state", "action", "reward", "next_state", "terminated", "truncated", "episode")
    for column, values in zip(columns, zip(*seen, strict=True), strict=True):
        np.testing.assert_array_equal(getattr(steps, column), values)
    assert steps.truncated.any()
    assert steps.terminated.any()
    assert len(env) == 200
    env.clear()
    with pytest.raises(InputError, match="holds no step"):
        env.transitions()


def test_steps_keep_the_policy_that_acted_and_ends_are_not_crossed() -> None:
    env = TransitionRecorder(gym.make("FrozenLake-v1", is_slippery=False))
    env.reset(seed=0)
    for action in (1, 0, 1, 1, 2, 1):  # the sixth step meets a hole only by another way
        env.policy = action
        env.step(action)
    steps = env.transitions()
    np.testing.assert_array_equal(steps.policy, steps.action)
    env.reset()
    assert env.transitions().episode.max() == 0


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_vector_environment_gives_what_its_members_give(mode: AutoresetMode) -> None:
    def make() -> Any:
        return TransitionRecorder(gym.make("FrozenLake-v1", max_episode_steps=7))

    inner = gym.vector.SyncVectorEnv([make] * 3, autoreset_mode=mode)
    env = VectorTransitionRecorder(inner)
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(100):
        env.step(rng.integers(4, size=3))
    steps = env.transitions()
    want = Transitions.concatenate([member.transitions() for member in inner.envs])
    assert len(steps) == len(want)
    assert steps.truncated.any()

    def rows(table: Transitions) -> list[tuple[Any, ...]]:
        columns = (
            table.state,
            table.action,
            table.reward,
            table.next_state,
            table.terminated,
            table.truncated,
        )
        return sorted(zip(*(column.tolist() for column in columns), strict=True))

    assert rows(steps) == rows(want)
    assert steps.num_episodes == want.num_episodes
    for episode in np.unique(steps.episode):  # each is one unbroken walk with its end at the end
        own = steps[steps.episode == episode]
        np.testing.assert_array_equal(own.state[1:], own.next_state[:-1])
        assert not (own.terminated | own.truncated)[:-1].any()


def test_states_are_what_the_function_says() -> None:
    cells = Discretizer([-1.2, -0.07], [0.6, 0.07], [6, 4])
    for state_fn, tabular in ((cells, True), (as_vector, False), (lambda seen: tuple(seen.round(1)), True)):
        env = TransitionRecorder(gym.make("MountainCar-v0"), state_fn)
        walk(env, 50)
        steps = env.transitions()
        assert steps.tabular == tabular
        assert (steps.state_names is None) == (state_fn in (cells, as_vector))
        np.testing.assert_array_equal(steps.state[1:], steps.next_state[:-1])
    names = steps.state_names
    assert names is not None
    assert steps.state[0] == 0
    assert len(names) == steps.num_states


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")  # which every wrapper is
@pytest.mark.parametrize("name", ["FrozenLake-v1", "MountainCar-v0"])
def test_the_wrapper_passes_the_checks(name: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check_for_agents
    from stable_baselines3.common.env_util import make_vec_env

    state_fn = as_vector if name == "MountainCar-v0" else None
    env = TransitionRecorder(gym.make(name).unwrapped, state_fn)
    check_env(env, skip_render_check=True)
    check_for_agents(env)
    several = make_vec_env(
        name, 2, wrapper_class=TransitionRecorder, wrapper_kwargs={"state_fn": state_fn}, seed=0
    )
    several.reset()
    for _ in range(5):
        several.step([several.action_space.sample()] * 2)
    assert len(Transitions.concatenate(several.env_method("transitions"))) == 10


def test_discretizer_numbers_cells_by_their_edges() -> None:
    cell = Discretizer([0, 0], [1, 2], [10, 4])
    for number, center in enumerate(cell.centers):
        assert cell(center) == number
    assert cell([1.0, 2.0]) == cell.num_states - 1
    with pytest.raises(InputError, match="finite ends"):
        Discretizer([0], [np.inf], 3)
    with pytest.raises(InputError, match="bins=\\[0\\]"):
        Discretizer([0], [1], 0)


def test_states_that_cannot_be_are_named() -> None:
    with pytest.raises(InputError, match="Box\\[2\\] and no state_fn"):
        TransitionRecorder(gym.make("MountainCar-v0"))
    with pytest.raises(InputError, match="Box\\[2\\] and no state_fn"):
        VectorTransitionRecorder(gym.make_vec("MountainCar-v0", 2))
    for wrong, message in (
        (lambda seen: [1], "returned a list"),
        (lambda seen: np.zeros((2, 2)), "array of shape \\[2, 2\\]"),
    ):
        with pytest.raises(InputError, match=message):
            TransitionRecorder(gym.make("MountainCar-v0"), wrong).reset()
    kinds = iter([0, "one"])
    env = TransitionRecorder(gym.make("MountainCar-v0"), lambda seen: next(kinds))
    env.reset()
    with pytest.raises(InputError, match="a name after a number"):
        env.step(0)
