"""Predictions that need no embedding: any state, the states that followed s, and its neighbours left to explain."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.rl.dynamics.counts import TransitionCounts

Array = NDArray[np.float64]

_SLIGHT = 1e-3


def uniform(counts: TransitionCounts) -> Array:
    """Every state is as likely: with it as the prior, counts are smoothed as Laplace did."""
    S = counts.num_states
    return np.full((S * counts.num_actions, S), 1 / S)


def back_off(counts: TransitionCounts) -> Array:
    r"""P(s'|s), whatever the action: the share of s' among all steps from s.

    A tenth of a step to a random state is added, so that no state is impossible.
    """
    S, A = counts.num_states, counts.num_actions
    moves = _moves(counts)
    shares = (moves + 0.1 / S) / (moves.sum(axis=1, keepdims=True) + 0.1)
    return np.repeat(shares, A, axis=0)


def neighbours(counts: TransitionCounts) -> Array:
    r"""The neighbours of s and s itself, as far as no other action explains them.

    .. math::
        P(s'|s, a) \propto [s' = s] + [s' \in N(s)] (1 - \max_{b \ne a} \hat P(s'|s, b))

    N(s) holds the states that followed s or that s followed. In a deterministic world every neighbour is reached by
    one action, so a neighbour that another action leads to is no candidate. Walls stop several actions, so s itself
    always is one.
    """
    S, A = counts.num_states, counts.num_actions
    moves = _moves(counts)
    near = (moves + moves.T > 0) | np.eye(S, dtype=bool)
    shares = counts.shares.toarray().reshape(S, A, S)
    best = shares.argmax(axis=1)
    first = np.take_along_axis(shares, best[:, None], axis=1)[:, 0]
    others = shares.copy()
    np.put_along_axis(others, best[:, None], 0.0, axis=1)
    second = others.max(axis=1)
    explained = np.where(best[:, None] == np.arange(A)[None, :, None], second[:, None], first[:, None])
    explained[np.arange(S), :, np.arange(S)] = 0
    weights = near[:, None] * (1 - explained)
    weights = weights / weights.sum(axis=2, keepdims=True)
    return np.asarray(((1 - _SLIGHT) * weights + _SLIGHT / S).reshape(S * A, S))


def _moves(counts: TransitionCounts) -> Array:
    """Steps from each state to each, over all actions, ``[S, S]``."""
    S, A = counts.num_states, counts.num_actions
    pool = sp.csr_array((np.ones(S * A), (np.arange(S * A) // A, np.arange(S * A))), shape=(S, S * A))
    return np.asarray((pool @ counts.C).toarray())
