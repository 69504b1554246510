"""Wrappers of Gymnasium that record every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from allpass.errors import InputError
from allpass.rl.gymnasium_extra import require_gymnasium
from allpass.rl.recording.states import StateFunction, StateTable
from allpass.rl.recording.transitions import Transitions

require_gymnasium("Recording an environment")
import gymnasium as gym  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402


class Tape:
    """Steps as they come, in columns that grow."""

    def __init__(self, space: gym.Space[Any], state_fn: StateFunction | None) -> None:
        self.state_of = StateTable(state_fn or _default_state_fn(space))
        self.policy = 0
        self.clear()

    def clear(self) -> None:
        """Forget all steps."""
        self.columns: dict[str, list[Any]] = {
            name: []
            for name in (
                "state",
                "action",
                "reward",
                "next_state",
                "terminated",
                "truncated",
                "episode",
                "policy",
            )
        }

    def add(self, *step: Any) -> None:
        """Append state, action, reward, next state, terminated, truncated and episode."""
        for column, value in zip(self.columns.values(), (*step, self.policy), strict=True):
            column.append(value)

    def transitions(self) -> Transitions:
        """All steps so far."""
        if not self.columns["reward"]:
            raise InputError("The recorder holds no step.", "Call env.reset() and env.step(action) first.")
        names = self.state_of.names
        steps = Transitions.from_arrays(**{name: np.array(column) for name, column in self.columns.items()})
        if names is None:
            return steps
        columns = {name: getattr(steps, name) for name in self.columns}
        return Transitions(**columns, state_names=names)


class TransitionRecorder(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Records every step of an environment; what the environment does stays as it is.

    Args:
        env: The environment.
        state_fn: Makes a state of an observation: a whole number (:class:`Discretizer`), a vector
            (:func:`as_vector`, or an encoder), or a hashable value such as a tuple, which becomes a name. By
            default the number of a discrete observation; other spaces need one.

    Attributes:
        policy: Set it to the number of the policy that acts now; each step keeps it.

    Example:
        >>> import gymnasium as gym
        >>> env = TransitionRecorder(gym.make("FrozenLake-v1", is_slippery=False))
        >>> observation, info = env.reset(seed=0)
        >>> for action in (2, 2, 1):
        ...     _ = env.step(action)
        >>> env.transitions().next_state
        array([1, 2, 6])
    """

    def __init__(self, env: gym.Env[Any, Any], state_fn: StateFunction | None = None) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, state_fn=state_fn)
        super().__init__(env)
        self._tape = Tape(env.observation_space, state_fn)
        self._state: Any = None
        self._episode = -1

    @property
    def policy(self) -> int:
        """The number of the policy that acts now."""
        return self._tape.policy

    @policy.setter
    def policy(self, number: int) -> None:
        self._tape.policy = number

    def __len__(self) -> int:
        return len(self._tape.columns["reward"])

    def __bool__(self) -> bool:
        return True  # an environment without a step is still one

    def transitions(self) -> Transitions:
        """All steps recorded so far."""
        return self._tape.transitions()

    def clear(self) -> None:
        """Forget the recorded steps; states keep their numbers."""
        self._tape.clear()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = self.env.reset(seed=seed, options=options)
        self._state = self._tape.state_of(observation)
        self._episode += 1
        return observation, info

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = self._tape.state_of(observation)
        if self._state is not None:
            ends = bool(terminated), bool(truncated)
            self._tape.add(self._state, action, float(reward), after, *ends, self._episode)
        self._state = None if terminated or truncated else after  # after an end only reset begins anew
        return observation, reward, terminated, truncated, info


class VectorTransitionRecorder(gym.vector.VectorWrapper[Any, Any, Any, Any, Any]):
    """Records every step of a vector environment. Steps that only reset are left out.

    Args:
        env: The vector environment, with any autoreset mode.
        state_fn: As for :class:`TransitionRecorder`; it gets the observation of one environment.

    Example:
        >>> import gymnasium as gym
        >>> env = VectorTransitionRecorder(gym.make_vec("FrozenLake-v1", 3, is_slippery=False))
        >>> _ = env.reset(seed=0)
        >>> _ = env.step(env.action_space.sample() * 0 + 2)
        >>> env.transitions().next_state
        array([1, 1, 1])
    """

    def __init__(
        self, env: gym.vector.VectorEnv[Any, Any, Any], state_fn: StateFunction | None = None
    ) -> None:
        super().__init__(env)
        self._tape = Tape(env.single_observation_space, state_fn)
        self._mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._states: list[Any] = [None] * env.num_envs
        self._episodes = list(range(env.num_envs))
        self._next_episode = env.num_envs

    @property
    def policy(self) -> int:
        """The number of the policy that acts now."""
        return self._tape.policy

    @policy.setter
    def policy(self, number: int) -> None:
        self._tape.policy = number

    def transitions(self) -> Transitions:
        """All steps recorded so far, of all environments."""
        return self._tape.transitions()

    def clear(self) -> None:
        """Forget the recorded steps; states keep their numbers."""
        self._tape.clear()

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        chosen = (options or {}).get("reset_mask")
        observations, info = self.env.reset(seed=seed, options=options)
        for number, observation in enumerate(_each(self.single_observation_space, observations)):
            if chosen is None or chosen[number]:
                self._begin(number, observation)
        return observations, info

    def step(self, actions: Any) -> Any:
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        taken = _each(self.single_action_space, actions)
        for number, observation in enumerate(_each(self.single_observation_space, observations)):
            state, ended = self._states[number], bool(terminated[number] or truncated[number])
            if state is None:  # NEXT_STEP: this step was the reset
                self._begin(number, observation)
                continue
            same_step = ended and self._mode == AutoresetMode.SAME_STEP
            last = info["final_obs"][number] if same_step else observation
            after = self._tape.state_of(last)
            ends = bool(terminated[number]), bool(truncated[number])
            self._tape.add(state, taken[number], float(rewards[number]), after, *ends, self._episodes[number])
            if same_step:
                self._begin(number, observation)
            else:
                self._states[number] = None if ended else after
        return observations, rewards, terminated, truncated, info

    def _begin(self, number: int, observation: Any) -> None:
        self._states[number] = self._tape.state_of(observation)
        self._episodes[number] = self._next_episode
        self._next_episode += 1


def _each(space: gym.Space[Any], batch: Any) -> Sequence[Any]:
    """The members of a batch of a space."""
    return list(gym.vector.utils.iterate(gym.vector.utils.batch_space(space, _batch_size(batch)), batch))


def _batch_size(batch: Any) -> int:
    while isinstance(batch, (dict, tuple)):
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    return len(batch)


def _default_state_fn(space: gym.Space[Any]) -> StateFunction:
    if isinstance(space, gym.spaces.Discrete):
        return int
    raise InputError(
        f"Got an environment with observations in {_described(space)} and no state_fn.",
        "Pass state_fn= that makes a number, a vector or a hashable value of an observation, such as Discretizer(...).",
    )


def _described(space: gym.Space[Any]) -> str:
    shape = getattr(space, "shape", None)
    return f"{type(space).__name__}{list(shape) if shape else ''}"
