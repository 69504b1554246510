"""The transitions that Gymnasium's toy-text environments know of themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.environments.ids import make


def unwrapped(env: Any) -> Any:
    """An environment without its wrappers, by itself or by id."""
    if isinstance(env, str):
        env = make(env)
    if not hasattr(env, "unwrapped"):
        raise InputError(
            f"Got {type(env).__name__} as the environment.", "Expected a Gymnasium environment or its id."
        )
    return env.unwrapped


def read_environment(inner: Any, use_mask: bool = True) -> dict[str, Any]:
    """What :class:`~allpass.rl.TabularMDP` takes, read from the table ``P`` of an environment without wrappers.

    ``P[s][a]`` lists ``(probability, next state, reward, terminated)``. Entries that terminate lead to one absorbing
    state, which comes last.
    """
    table = getattr(inner, "P", None)
    if not isinstance(table, (dict, list)) or not len(table):
        raise InputError(
            f"The environment {_name(inner)} does not know its transitions (it has no table P).",
            "Record its steps with `allpass rl record` or TransitionRecorder and solve the recording.",
        )
    S, A = len(table), max(len(table[state]) for state in range(len(table)))
    entries = [
        (state * A + action, after, chance, reward, ended)
        for state in range(S)
        for action in range(len(table[state]))
        for chance, after, reward, ended in table[state][action]
        if chance > 0
    ]
    row, after, chance, reward, ended = (np.array(column) for column in zip(*entries, strict=True))
    ended = ended.astype(bool)
    mask = _mask(inner, S, A) if use_mask else np.ones((S, A), dtype=bool)
    if ended.any():
        after = np.where(ended, S, after)
        row = np.append(row, np.arange(S * A, (S + 1) * A))
        after, chance = np.append(after, np.full(A, S)), np.append(chance, np.ones(A))
        reward = np.append(reward, np.zeros(A))
        mask = np.vstack([mask, np.ones((1, A), dtype=bool)])
    total = S + bool(ended.any())
    P = sp.csr_array((chance, (row, after)), shape=(total * A, total))
    P.sum_duplicates()
    earned = sp.csr_array((chance * reward, (row, after)), shape=P.shape)
    earned.sum_duplicates()
    rewards = sp.csr_array((earned.data / P.data, P.indices, P.indptr), shape=P.shape)
    return {
        "transitions": P,
        "rewards": rewards,
        "mask": mask,
        "start": _start(inner, total),
        "positions": _positions(inner, S, total),
    }


def _mask(inner: Any, num_states: int, num_actions: int) -> NDArray[np.bool_]:
    if not hasattr(inner, "action_mask"):
        return np.ones((num_states, num_actions), dtype=bool)
    return np.array([inner.action_mask(state) for state in range(num_states)], dtype=bool)


def _start(inner: Any, total: int) -> NDArray[np.float64] | None:
    known = getattr(inner, "initial_state_distrib", None)
    if known is None:
        return None
    start = np.zeros(total)
    start[: len(known)] = known
    return start


def _positions(inner: Any, num_states: int, total: int) -> NDArray[np.float64] | None:
    """Row and column of the states of FrozenLake and CliffWalking, which are the cells of a grid."""
    shape = getattr(inner, "shape", None) or (getattr(inner, "nrow", 0), getattr(inner, "ncol", 0))
    if len(shape) != 2 or shape[0] * shape[1] != num_states:
        return None
    positions = np.full((total, 2), np.nan)
    positions[:num_states] = np.stack(np.unravel_index(np.arange(num_states), shape), axis=1)
    return positions


def _name(inner: Any) -> str:
    return repr(inner.spec.id) if getattr(inner, "spec", None) else type(inner).__name__
