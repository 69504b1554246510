"""Steps in a replay buffer of stable-baselines3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from allpass.errors import InputError


def read_buffer(buffer: Any, state_fn: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The columns of a buffer by the names that :meth:`Transitions.from_arrays` takes, each environment apart.

    Args:
        buffer: A ``ReplayBuffer`` in memory, such as ``model.replay_buffer``.
        state_fn: Makes a state of an observation; by default a number of a discrete observation and a flat vector of
            any other.
    """
    if not all(hasattr(buffer, name) for name in ("observations", "actions", "rewards", "dones", "timeouts")):
        raise InputError(
            f"Got {type(buffer).__name__} as the replay buffer.",
            "Expected a ReplayBuffer of stable-baselines3, such as model.replay_buffer.",
        )
    if isinstance(buffer.observations, dict) and state_fn is None:
        raise InputError(
            "The observations of the replay buffer are dictionaries.",
            "Pass state_fn= to make states of them.",
        )
    if getattr(buffer, "optimize_memory_usage", False):
        raise InputError(
            "The replay buffer keeps no next observations (optimize_memory_usage=True).",
            "Make the model without it.",
        )
    rows = np.arange(buffer.size())
    if buffer.full:  # the oldest step is the one that would be overwritten next
        rows = (rows + buffer.pos) % buffer.buffer_size
    done, cut = _each(buffer.dones, rows) > 0, _each(buffer.timeouts, rows) > 0
    environment = np.repeat(np.arange(buffer.n_envs), len(rows))
    ended = np.concatenate([[0], np.cumsum(done | (np.diff(environment, append=0) != 0))[:-1]])
    action = _each(buffer.actions, rows)
    return {
        "state": _states(buffer.observations, rows, state_fn),
        "action": action[:, 0] if action.shape[1] == 1 and action.dtype.kind in "iu" else action,
        "reward": _each(buffer.rewards, rows),
        "next_state": _states(buffer.next_observations, rows, state_fn),
        "terminated": done & ~cut,
        "truncated": cut,
        "episode": ended,
    }


def _each(array: Any, rows: Any) -> Any:
    """``[B, E, ...]`` to ``[E * T, ...]``: the steps of the first environment, then of the second, ..."""
    return np.concatenate([array[rows, number] for number in range(array.shape[1])])


def _states(observations: Any, rows: Any, state_fn: Callable[[Any], Any] | None) -> Any:
    if isinstance(observations, dict):
        parts = {name: _each(part, rows) for name, part in observations.items()}
        count = len(next(iter(parts.values())))
        seen: Any = ({name: part[row] for name, part in parts.items()} for row in range(count))
    else:
        seen = _each(observations, rows)
    if state_fn is not None:
        return np.array([state_fn(observation) for observation in seen])
    flat = seen.reshape(len(seen), -1)
    return flat[:, 0] if flat.shape[1] == 1 and flat.dtype.kind in "iu" else flat
