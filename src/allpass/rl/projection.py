"""Values and policies within the span of a basis: least squares, LSTD and LSPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError

Array = NDArray[np.float64]
Index = NDArray[np.int64]


def least_squares(
    basis: Array, values: Array, *, states: Index | None = None, weights: Array | None = None
) -> Array:
    """The values of all states in the span of a basis that are nearest to known ones, ``[S]``.

    Args:
        basis: ``[S, k]``.
        values: Known values, ``[S]``, or one for each of ``states``.
        states: The states whose values are known; by default all.
        weights: How much each known value counts, by default 1.
    """
    rows = basis if states is None else basis[states]
    if len(values) != len(rows) or (weights is not None and len(weights) != len(rows)):
        raise InputError(f"Got {len(values)} values for {len(rows)} states.", "Expected one for each state.")
    root = np.ones(len(rows)) if weights is None else np.sqrt(weights)
    coefficients = np.linalg.lstsq(rows * root[:, None], values * root, rcond=None)[0]
    return np.asarray(basis @ coefficients)


def projected_values(
    basis: Array, chain: Any, reward: Array, *, discount: float, weights: Array | None = None
) -> Array:
    r"""The fixed point of the projected Bellman equation, which LSTD reaches with endless samples, ``[S]``.

    .. math::
        \Phi^T D (\Phi - \gamma P \Phi)\, w = \Phi^T D r

    Args:
        basis: :math:`\Phi`, ``[S, k]``.
        chain: P of the policy.
        reward: Mean reward of each state.
        discount: :math:`\gamma`.
        weights: The diagonal of D: how often states are visited; by default 1. With the stationary distribution the
            solution is unique, and at most :math:`1 / \sqrt{1 - \gamma^2}` times as far from the values as the nearest
            function of the span.
    """
    P = sp.csr_array(chain)
    weighted = basis if weights is None else basis * weights[:, None]
    A = weighted.T @ (basis - discount * (P @ basis))
    return np.asarray(basis @ _solve(A, weighted.T @ reward))


def lstd(
    basis: Array,
    state: Index,
    reward: Array,
    next_state: Index,
    terminated: NDArray[np.bool_],
    *,
    discount: float,
    ridge: float = 0.0,
) -> Array:
    """Values from samples of a policy (`Bradtke and Barto, 1996 <https://doi.org/10.1007/BF00114723>`_), ``[S]``.

    Args:
        basis: ``[S, k]``.
        state: States that were left, ``[T]``.
        reward: What was earned, ``[T]``.
        next_state: States that were reached, ``[T]``.
        terminated: Whether the episode ended there, ``[T]``: nothing follows. A truncated episode has not terminated.
        discount: Factor of the next value.
        ridge: Added to the diagonal, for few samples.
    """
    now = basis[state]
    after = basis[next_state] * ~np.asarray(terminated, dtype=bool)[:, None]
    A = now.T @ (now - discount * after) + ridge * np.eye(basis.shape[1])
    return np.asarray(basis @ _solve(A, now.T @ np.asarray(reward, dtype=np.float64)))


@dataclass(frozen=True)
class LeastSquaresPolicy:
    """Result of LSPI.

    Args:
        policy: The action of each state, ``[S]``.
        action_values: Q, ``[S, A]``.
        iterations: Number of evaluations.
        converged: Whether the last evaluation left the policy as it was; else LSPI met an earlier policy again or ran
            out of iterations.
    """

    policy: Index
    action_values: Array
    iterations: int
    converged: bool


def lspi(
    basis: Array,
    state: Index,
    action: Index,
    reward: Array,
    next_state: Index,
    terminated: NDArray[np.bool_],
    *,
    num_actions: int,
    discount: float,
    mask: NDArray[np.bool_] | None = None,
    ridge: float = 1e-6,
    max_iterations: int = 50,
) -> LeastSquaresPolicy:
    r"""Least-squares policy iteration (`Lagoudakis and Parr, 2003 <https://www.jmlr.org/papers/v4/lagoudakis03a.html>`_).

    Each action has its own copy of the basis: :math:`Q(s, a) = \phi(s)^T w_a`. Every evaluation reads the same samples,
    from any policy.

    Args:
        basis: ``[S, k]``.
        state: States that were left, ``[T]``.
        action: Actions taken there, ``[T]``.
        reward: What was earned, ``[T]``.
        next_state: States that were reached, ``[T]``.
        terminated: Whether the episode ended there, ``[T]``.
        num_actions: Number of actions A.
        discount: Factor of the next value.
        mask: Which actions a state has, ``[S, A]``; by default all.
        ridge: Added to the diagonal, for state-action pairs without samples.
        max_iterations: Most evaluations.
    """
    S, k = basis.shape
    allowed = np.ones((S, num_actions), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    if allowed.shape != (S, num_actions) or not allowed.any(axis=1).all():
        raise InputError(
            f"Got a mask of shape {list(allowed.shape)} for {S} states and {num_actions} actions.",
            "Expected [S, A] with at least one action for every state.",
        )
    going = ~np.asarray(terminated, dtype=bool)
    now = _blocks(basis[state], action, num_actions)
    target = now.T @ np.asarray(reward, dtype=np.float64)
    gram = (now.T @ now).toarray() + ridge * np.eye(k * num_actions)
    policy = allowed.argmax(axis=1)
    seen: set[bytes] = set()
    Q = np.zeros((S, num_actions))
    for iteration in range(1, max_iterations + 1):
        seen.add(policy.tobytes())
        after = _blocks(basis[next_state] * going[:, None], policy[next_state], num_actions)
        weights = _solve(gram - discount * (now.T @ after).toarray(), target)
        Q = basis @ weights.reshape(num_actions, k).T
        better = _greedy(Q, allowed, policy)
        if (better == policy).all():
            return LeastSquaresPolicy(policy, Q, iteration, True)
        policy = better
        if policy.tobytes() in seen:
            break
    return LeastSquaresPolicy(policy, Q, iteration, False)


def _greedy(Q: Array, allowed: NDArray[np.bool_], policy: Index) -> Index:
    """The best action of each state; the present one where it is as good, so that ties do not go round."""
    masked = np.where(allowed, Q, -np.inf)
    best = masked.argmax(axis=1)
    rows = np.arange(len(Q))
    gain = masked[rows, best] - masked[rows, policy]
    return np.where(gain > 1e-9 * (1 + np.abs(masked[rows, best])), best, policy)


def _blocks(features: Array, action: Index, num_actions: int) -> Any:
    """Features in the columns of their action, sparse ``[T, A k]``."""
    T, k = features.shape
    columns = np.asarray(action)[:, None] * k + np.arange(k)
    return sp.csr_array(
        (features.ravel(), columns.ravel(), np.arange(0, T * k + 1, k)), shape=(T, num_actions * k)
    )


def _solve(A: Array, b: Array) -> Array:
    """The solution of least norm, so that functions that no sample touches get weight 0."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])
