from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import DataError, InputError
from allpass.rl import Transitions
from allpass.rl.potentials import HarmonicPotential, create_potential
from allpass.rl.potentials.interface import Steps

COLUMNS = ("state", "action", "reward", "next_state", "terminated", "truncated", "episode", "policy")


def random_steps(seed: int, vectors: bool = False) -> Transitions:
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 30))
    shape = (length, 3) if vectors else length
    draw = rng.normal(size=(2, length, 3)) if vectors else rng.integers(0, 9, size=(2, *np.atleast_1d(shape)))
    ends = rng.random((2, length)) < 0.2
    return Transitions.from_arrays(
        draw[0],
        rng.integers(0, 4, length),
        rng.normal(size=length),
        draw[1],
        terminated=ends[0],
        truncated=ends[1] & ~ends[0],
        episode=np.sort(rng.integers(0, 5, length)),
        policy=rng.integers(0, 2, length),
    )


def assert_same(one: Transitions, other: Transitions) -> None:
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column), err_msg=column)
    assert (one.state_names, one.action_names) == (other.state_names, other.action_names)


@given(st.integers(0, 1000), st.booleans(), st.sampled_from([".csv", ".parquet"]))
def test_a_file_keeps_every_step(tmp_path_factory: Any, seed: int, vectors: bool, suffix: str) -> None:
    steps = random_steps(seed, vectors)
    path = tmp_path_factory.mktemp("log") / f"steps{suffix}"
    assert steps.save(path) == path
    assert_same(Transitions.read(path), steps)


def test_an_episode_lasts_until_an_end_or_a_jump() -> None:
    steps = Transitions.from_arrays(
        [0, 1, 0, 1, 5, 6],
        [0] * 6,
        [0] * 6,
        [1, 2, 1, 2, 6, 7],
        terminated=[0, 1, 0, 0, 0, 0],
        truncated=[0, 0, 0, 0, 1, 0],
    )
    assert steps.episode.tolist() == [0, 0, 1, 1, 2, 3]
    np.testing.assert_allclose(steps.returns(), np.zeros(4))


def test_names_become_numbers_and_stay_names(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "S": ["hall", "kitchen"],
            "A": ["go", "cook"],
            "R": [0, 1],
            "S'": ["kitchen", "done"],
            "terminated": ["False", "True"],
            "policy": ["first", "second"],
        }
    )
    steps = Transitions.read(frame)
    assert steps.state_names == ("done", "hall", "kitchen")
    assert steps.action_names == ("cook", "go")
    assert steps.state.tolist() == [1, 2]
    assert steps.terminated.tolist() == [False, True]
    assert steps.policy.tolist() == [0, 1]
    assert steps.to_frame()["next_state"].tolist() == ["kitchen", "done"]
    assert_same(Transitions.read(steps.save(tmp_path / "named.csv")), steps)


def test_joined_recordings_keep_their_episodes_apart() -> None:
    one, two = random_steps(1), random_steps(2)
    both = Transitions.concatenate([one, two])
    assert both.num_episodes == one.num_episodes + two.num_episodes
    np.testing.assert_allclose(np.sort(both.returns()), np.sort(np.r_[one.returns(), two.returns()]))
    assert_same(both[: len(one)], one)


def test_potentials_learn_from_it() -> None:
    steps: Steps = Transitions.from_arrays(
        [0, 1, 2, 1], [1, 1, 0, 1], [0, 0, 0, 1], [1, 2, 1, 3], terminated=[0, 0, 0, 1]
    )
    assert isinstance(create_potential("harmonic"), HarmonicPotential)
    phi = create_potential("harmonic").fit(steps).potential(np.arange(4))
    assert phi.argmax() == 3


def test_a_replay_buffer_of_several_environments_is_read_in_order() -> None:
    from gymnasium import spaces
    from stable_baselines3.common.buffers import ReplayBuffer

    space = spaces.Box(-9, 9, (2,), np.float32)
    buffer = ReplayBuffer(8, space, spaces.Discrete(3), n_envs=2)  # 4 rows
    for step in range(6):  # wraps round: steps 2 to 5 remain
        here = np.array([[step, 0], [step, 1]], dtype=np.float32)
        info = [{}, {"TimeLimit.truncated": step == 3}]
        done = np.array([step == 4, step == 3])
        buffer.add(here, here + 1, np.array([step % 3, 0]), np.array([step, -step]), done, info)
    steps = Transitions.from_replay_buffer(buffer)
    assert steps.state[:, 0].tolist() == [2, 3, 4, 5] * 2
    assert steps.state[:, 1].tolist() == [0] * 4 + [1] * 4
    np.testing.assert_array_equal(steps.next_state, steps.state + 1)
    assert steps.action.tolist() == [2, 0, 1, 2, 0, 0, 0, 0]
    assert steps.reward.tolist() == [2, 3, 4, 5, -2, -3, -4, -5]
    assert steps.terminated.tolist() == [False, False, True, False] + [False] * 4
    assert steps.truncated.tolist() == [False] * 4 + [False, True, False, False]
    assert steps.episode.tolist() == [0, 0, 0, 1, 2, 2, 3, 3]
    numbered = Transitions.from_replay_buffer(buffer, state_fn=lambda observation: int(observation[0]))
    assert numbered.state.tolist() == [2, 3, 4, 5] * 2


def test_discrete_observations_of_a_buffer_are_numbers() -> None:
    from stable_baselines3 import DQN

    model = DQN("MlpPolicy", "FrozenLake-v1", buffer_size=100, learning_starts=200, device="cpu")
    model.learn(60)
    steps = Transitions.from_replay_buffer(model.replay_buffer)
    assert len(steps) == 60
    assert steps.tabular
    same = steps.episode[1:] == steps.episode[:-1]
    np.testing.assert_array_equal(steps.state[1:][same], steps.next_state[:-1][same])
    assert (steps.terminated | steps.truncated)[:-1].tolist() == (~same).tolist()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"state": [0, 1]}, "Got 1 rewards with columns of 2, 1, 1, 1, 1 rows"),
        ({"reward": [np.nan]}, "The reward of step 0 is nan"),
        ({"reward": ["much"]}, "rewards are not numbers"),
        ({"state": [[0.0, 1.0]]}, "states of shapes \\[1, 2\\] and \\[1\\]"),
        ({"state": [[np.nan]], "next_state": [[0.0]]}, "states of step 0 are not finite"),
        ({"terminated": [2]}, "not 0 or 1"),
        ({"episode": [0, 1]}, "episode of shape \\[2\\] for 1 steps"),
        ({"state": [None]}, "type object"),
        ({name: [] for name in COLUMNS}, "recording without a step"),
    ],
)
def test_bad_columns_are_named(columns: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {"state": [0], "action": [0], "reward": [0], "next_state": [1]}
    with pytest.raises(InputError, match=message):
        Transitions.from_arrays(**(right | columns))


def test_bad_logs_are_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"state": [0], "action": [0], "reward": [0.0], "next_state": [1]})
    with pytest.raises(DataError, match="'done' does not say"):
        Transitions.read(frame.assign(done=True))
    with pytest.raises(DataError, match="no column 'reward'"):
        Transitions.read(frame.drop(columns="reward"))
    with pytest.raises(DataError, match="'terminated' holds 'perhaps'"):
        Transitions.read(frame.assign(terminated="perhaps"))
    with pytest.raises(DataError, match="Row 1 of the log has no next_state"):
        Transitions.read(frame.assign(next_state=[None]))
    with pytest.raises(InputError, match="ends in"):
        Transitions.read(frame).save(tmp_path / "steps.xlsx")
    with pytest.raises(InputError, match="without a step"):
        Transitions.read(frame)[[False]]
    with pytest.raises(InputError, match="Got list as the replay buffer"):
        Transitions.from_replay_buffer([])
