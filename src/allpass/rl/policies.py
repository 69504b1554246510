r"""Policies as the sparse matrix :math:`\Pi \in \mathbb{R}^{|S| \times |S||A|}`, block diagonal with a row a state."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError

TOLERANCE = 1e-6
"""How far probabilities may sum from 1: what single precision leaves."""


def policy_matrix(policy: Any, mask: NDArray[np.bool_]) -> Any:
    r"""The matrix :math:`\Pi_{(s, sa)} = \pi(a|s)`.

    Args:
        policy: ``"uniform"`` over the allowed actions, an action a state ``[S]`` of integers, probabilities ``[S, A]``,
            or :math:`\Pi` itself, sparse ``[S, S*A]``.
        mask: ``[S, A]``, the actions allowed in each state.
    """
    num_states, num_actions = mask.shape
    if isinstance(policy, str):
        if policy != "uniform":
            raise InputError(f"Got the policy {policy!r}.", "Expected 'uniform' or an array.")
        return from_probabilities(mask / mask.sum(axis=1, keepdims=True), mask)
    if sp.issparse(policy):
        return _checked_matrix(policy, mask)
    array = np.asarray(policy)
    if array.shape == (num_states,) and np.issubdtype(array.dtype, np.integer):
        return from_actions(array, mask)
    if array.shape == mask.shape and np.issubdtype(array.dtype, np.number):
        return from_probabilities(array.astype(np.float64), mask)
    raise InputError(
        f"Got a policy of shape {list(array.shape)} and type {array.dtype}.",
        f"Expected integers [{num_states}], an action a state, or probabilities [{num_states}, {num_actions}].",
    )


def from_actions(actions: NDArray[np.integer[Any]], mask: NDArray[np.bool_]) -> Any:
    r""":math:`\Pi` of a deterministic policy ``[S]``."""
    num_states, num_actions = mask.shape
    outside = (actions < 0) | (actions >= num_actions)
    if outside.any():
        state = int(outside.argmax())
        raise InputError(
            f"The policy takes action {actions[state]} in state {state}.",
            f"Expected numbers from 0 to {num_actions - 1}.",
        )
    _check_allowed(~mask[np.arange(num_states), actions], actions)
    columns = np.arange(num_states) * num_actions + actions
    return sp.csr_array(
        (np.ones(num_states), columns, np.arange(num_states + 1)),
        shape=(num_states, num_states * num_actions),
    )


def from_probabilities(probabilities: NDArray[np.float64], mask: NDArray[np.bool_]) -> Any:
    r""":math:`\Pi` of a stochastic policy ``[S, A]``."""
    num_states, num_actions = mask.shape
    if not (np.isfinite(probabilities).all() and (probabilities >= 0).all()):
        raise InputError("The policy has a negative or NaN probability.", "Expected numbers from 0 to 1.")
    wrong = np.abs(probabilities.sum(axis=1) - 1) > TOLERANCE
    if wrong.any():
        state = int(wrong.argmax())
        raise InputError(
            f"The probabilities of the policy in state {state} sum to {probabilities[state].sum():g}.",
            "Expected 1 in every state.",
        )
    used = probabilities > 0
    forbidden = used & ~mask
    _check_allowed(np.asarray(forbidden.any(axis=1)), forbidden.argmax(axis=1))
    columns = np.flatnonzero(used)
    indptr = np.zeros(num_states + 1, dtype=np.int64)
    np.cumsum(used.sum(axis=1), out=indptr[1:])
    return sp.csr_array(
        (probabilities.ravel()[columns], columns, indptr), shape=(num_states, num_states * num_actions)
    )


def _checked_matrix(policy: Any, mask: NDArray[np.bool_]) -> Any:
    num_states, num_actions = mask.shape
    if policy.shape != (num_states, num_states * num_actions):
        raise InputError(
            f"Got a policy matrix of shape {list(policy.shape)}.",
            f"Expected [{num_states}, {num_states * num_actions}].",
        )
    entries = policy.tocoo()
    if (entries.row != entries.col // num_actions).any():
        raise InputError(
            "The policy matrix has an entry outside its diagonal blocks.",
            "Row s may have entries in columns s*A to s*A + A - 1 alone.",
        )
    probabilities = np.zeros(mask.size)
    np.add.at(probabilities, entries.col, entries.data)
    return from_probabilities(probabilities.reshape(mask.shape), mask)


def _check_allowed(wrong: NDArray[np.bool_], actions: NDArray[Any]) -> None:
    if wrong.any():
        state = int(wrong.argmax())
        raise InputError(
            f"The policy takes action {actions[state]} in state {state}, where it is not allowed.",
            "Give it probability 0 there, or allow it in mask.",
        )
