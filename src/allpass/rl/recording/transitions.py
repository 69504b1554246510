"""Recorded steps as one typed table: state, action, reward, next state, and why an episode ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError

Bools = NDArray[np.bool_]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Transitions:
    """Steps of an agent, a row each. Make one with :meth:`from_arrays`, :meth:`read` or a recorder.

    Args:
        state: The state that each step left: numbers ``[T]``, or vectors ``[T, F]``.
        action: The action taken: numbers ``[T]``, or vectors ``[T, K]``.
        reward: The reward received, ``[T]``.
        next_state: The state that each step reached, as ``state``.
        terminated: Whether the task ended with the step, ``[T]``: nothing follows, and the next state has value 0.
        truncated: Whether the episode was cut short, by a time limit for one, ``[T]``: the next state keeps its value.
        episode: The number of the episode, ``[T]``.
        policy: The number of the policy that acted, ``[T]``.
        state_names: Names of the state numbers, where states have names.
        action_names: Names of the action numbers, where actions have names.

    Example:
        >>> steps = Transitions.from_arrays([0, 1], [0, 0], [0.0, 1.0], [1, 2], terminated=[False, True])
        >>> steps
        Transitions(steps=2, episodes=1, states=3, actions=1)
        >>> steps[steps.reward > 0].state
        array([1])
    """

    state: NDArray[Any]
    action: NDArray[Any]
    reward: NDArray[np.float64]
    next_state: NDArray[Any]
    terminated: Bools
    truncated: Bools
    episode: Index
    policy: Index
    state_names: tuple[Any, ...] | None = None
    action_names: tuple[Any, ...] | None = None

    @classmethod
    def from_arrays(
        cls,
        state: Any,
        action: Any,
        reward: Any,
        next_state: Any,
        *,
        terminated: Any = None,
        truncated: Any = None,
        episode: Any = None,
        policy: Any = None,
    ) -> Self:
        """Steps in the order in which they were taken.

        Args:
            state: Whole numbers ``[T]``, names ``[T]``, or vectors ``[T, F]``.
            action: Whole numbers, names or vectors.
            reward: ``[T]``.
            next_state: As ``state``.
            terminated: ``[T]``; by default no step ended the task.
            truncated: ``[T]``; by default no episode was cut short.
            episode: ``[T]`` numbers or names. By default an episode lasts until a step terminates or truncates it, or
                until the next step leaves another state than this one reached.
            policy: ``[T]`` numbers or names; by default one policy acted.
        """
        states, state_names = _numbered("states", state, next_state)
        (actions,), action_names = _numbered("actions", action)
        r = _rewards(reward)
        length = len(r)
        ended, cut = (_flags(end, length) for end in (terminated, truncated))
        if {len(column) for column in (*states, actions, ended, cut)} != {length}:
            lengths = ", ".join(str(len(column)) for column in (*states, actions, ended, cut))
            raise InputError(
                f"Got {length} rewards with columns of {lengths} rows.", "Expected one row per step in each."
            )
        if not length:
            raise InputError(
                "Got a recording without a step.", "Record at least one step of the environment."
            )
        where = (
            _episodes(states[0], states[1], ended, cut)
            if episode is None
            else _codes(episode, length, "episode")
        )
        who = np.zeros(length, dtype=np.int64) if policy is None else _codes(policy, length, "policy")
        return cls(states[0], actions, r, states[1], ended, cut, where, who, state_names, action_names)

    @classmethod
    def read(cls, log: Any) -> Self:
        """Steps from a CSV or Parquet file or a pandas frame; see :func:`~allpass.rl.recording.logs.read_log`."""
        from allpass.rl.recording.logs import read_log

        return cls.from_arrays(**read_log(log))

    @classmethod
    def from_replay_buffer(cls, buffer: Any, *, state_fn: Any = None) -> Self:
        """Steps in a replay buffer of stable-baselines3; see :func:`~allpass.rl.recording.replay.read_buffer`."""
        from allpass.rl.recording.replay import read_buffer

        return cls.from_arrays(**read_buffer(buffer, state_fn))

    @classmethod
    def concatenate(cls, parts: Sequence[Transitions]) -> Self:
        """Several recordings as one; their episodes stay apart, policies keep their numbers."""
        if not parts:
            raise InputError("Got no recording to join.", "Pass at least one.")
        _same_names(parts)
        columns = {
            column: np.concatenate([getattr(part, column) for part in parts]) for column in _columns(cls)
        }
        offsets = np.cumsum([0] + [int(part.episode.max()) + 1 for part in parts[:-1]])
        columns["episode"] = np.concatenate(
            [part.episode + offset for part, offset in zip(parts, offsets, strict=True)]
        )
        return cls(**columns, state_names=parts[0].state_names, action_names=parts[0].action_names)

    def save(self, path: str | Path) -> Path:
        """Write a CSV or Parquet file, by the ending of its name, which :meth:`read` reads; returns the path."""
        from allpass.rl.recording.logs import write_log

        return write_log(self, path)

    def to_frame(self) -> Any:
        """A pandas frame with one row per step."""
        from allpass.rl.recording.logs import to_frame

        return to_frame(self)

    def __len__(self) -> int:
        return len(self.reward)

    def __getitem__(self, rows: Any) -> Self:
        """The steps of a slice, a mask ``[T]`` or row numbers."""
        columns = {column: getattr(self, column)[rows] for column in _columns(type(self))}
        if not np.ndim(columns["reward"]) or not len(columns["reward"]):
            raise InputError("Got a selection without a step.", "Select a slice, a mask or row numbers.")
        return replace(self, **columns)

    def __repr__(self) -> str:
        states = self.num_states if self.tabular else f"vectors of {self.state.shape[1]}"
        actions = len(np.unique(self.action, axis=0))
        return f"Transitions(steps={len(self)}, episodes={self.num_episodes}, states={states}, actions={actions})"

    @property
    def tabular(self) -> bool:
        """Whether states are numbers, not vectors."""
        return self.state.ndim == 1

    @property
    def num_states(self) -> int:
        """Number of different states, those reached included."""
        return len(np.unique(np.concatenate([self.state, self.next_state]), axis=0))

    @property
    def num_episodes(self) -> int:
        """Number of episodes."""
        return len(np.unique(self.episode))

    def returns(self) -> NDArray[np.float64]:
        """The sum of rewards of each episode, in the order of their numbers."""
        sums: NDArray[np.float64] = np.zeros(self.num_episodes)
        np.add.at(sums, np.unique(self.episode, return_inverse=True)[1], self.reward)
        return sums


def _columns(cls: type[Transitions]) -> list[str]:
    return [field.name for field in fields(cls) if not field.name.endswith("_names")]


def _numbered(what: str, *columns: Any) -> tuple[list[NDArray[Any]], tuple[Any, ...] | None]:
    """Columns as whole numbers or vectors; names become numbers in sorted order, by one list for all columns."""
    arrays = [np.asarray(column) for column in columns]
    if {array.shape[1:] for array in arrays} != {arrays[0].shape[1:]}:
        shapes = " and ".join(str(list(array.shape)) for array in arrays)
        raise InputError(f"Got {what} of shapes {shapes}.", "Expected the same shape.")
    if all(array.size == 0 for array in arrays):
        return [np.zeros(0, dtype=np.int64) for _ in arrays], None
    if all(array.dtype.kind in "OUS" for array in arrays) and arrays[0].ndim == 1:
        names, numbers = np.unique(np.concatenate(arrays).astype(str), return_inverse=True)
        return np.split(numbers, np.cumsum([len(array) for array in arrays[:-1]])), tuple(names.tolist())
    for array in arrays:
        if array.dtype.kind not in "iufb" or array.ndim not in (1, 2):
            raise InputError(
                f"Got {what} of shape {list(array.shape)} and type {array.dtype}.",
                "Expected whole numbers or names [T], or vectors [T, F].",
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            row = int((~np.isfinite(array.reshape(len(array), -1)).all(axis=1)).argmax())
            raise InputError(f"The {what} of step {row} are not finite.", "Expected finite numbers.")
    if arrays[0].ndim == 1:
        if all((array == np.floor(array)).all() for array in arrays):
            return [array.astype(np.int64) for array in arrays], None
        arrays = [array[:, None] for array in arrays]
    return arrays, None


def _rewards(reward: Any) -> NDArray[np.float64]:
    try:
        r = np.asarray(reward, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise InputError("The rewards are not numbers.", "Expected one number per step.") from error
    wrong = ~np.isfinite(r)
    if wrong.any():
        step = int(wrong.argmax())
        raise InputError(f"The reward of step {step} is {r[step]}.", "Expected finite numbers.")
    return r


def _flags(end: Any, length: int) -> Bools:
    array = np.zeros(length, dtype=bool) if end is None else np.asarray(end)
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise InputError("Got ends of episodes that are not 0 or 1.", "Expected true or false for each step.")
    return array.astype(bool).ravel()


def _episodes(state: NDArray[Any], after: NDArray[Any], terminated: Bools, truncated: Bools) -> Index:
    moved = after[:-1] != state[1:]
    moved = moved if moved.ndim == 1 else moved.any(axis=1)
    return np.concatenate([[0], np.cumsum(terminated[:-1] | truncated[:-1] | moved)])


def _codes(column: Any, length: int, what: str) -> Index:
    array = np.asarray(column)
    if array.shape != (length,):
        raise InputError(
            f"Got {what} of shape {list(array.shape)} for {length} steps.", "Expected one per step."
        )
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    return np.unique(array.astype(str), return_inverse=True)[1]


def _same_names(parts: Sequence[Transitions]) -> None:
    first = parts[0]
    for part in parts:
        if (part.state_names, part.action_names) != (first.state_names, first.action_names):
            raise InputError(
                "Got recordings whose states or actions have different names.", "Record with one state_fn."
            )
        if part.state.shape[1:] != first.state.shape[1:]:
            raise InputError("Got recordings with states of different shapes.", "Record with one state_fn.")
