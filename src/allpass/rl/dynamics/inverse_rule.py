"""The mined inverse rule: where action b led from s' to s, the action that undoes b leads from s to s'."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allpass.rl.dynamics.backoff import neighbours
from allpass.rl.dynamics.counts import TransitionCounts

Array = NDArray[np.float64]


def confidences(counts: TransitionCounts) -> Array:
    r"""How often action a undid action b, ``[A, A]`` with b first.

    .. math::
        K_{ba} = \frac{\sum \hat P(s|s', b) \hat P(s'|s, a)}{\sum \hat P(s|s', b)}

    over states s' and s that differ, where both pairs (s', b) and (s, a) were tried.
    """
    A = counts.num_actions
    shares, tried = _moved(counts), (counts.tried > 0).reshape(-1, A).astype(np.float64)
    both = np.einsum("ubs,sau->ba", shares, shares, optimize=True)
    chances = np.einsum("ubs,sa->ba", shares, tried, optimize=True)
    return np.asarray(both / np.maximum(chances, 1e-12))


def inverse_rule(counts: TransitionCounts) -> Array:
    r"""Votes of the actions that led into s; what is left stays in s, or goes to a neighbour left to explain.

    .. math::
        v(s'|s, a) = \sum_b K_{ba} \hat P(s|s', b), \quad
        P = v + (1 - \sum_{s'} v) (\rho [s' = s] + (1 - \rho) P_{neighbours})

    :math:`\rho` is how often the tried pairs without a vote stayed, since walls let nobody in. Votes that sum to more
    than 0.99 are scaled down to it, because the rule may be wrong anywhere.
    """
    S, A = counts.num_states, counts.num_actions
    votes = np.einsum("ba,ubs->sau", confidences(counts), _moved(counts), optimize=True).reshape(S * A, S)
    total = votes.sum(axis=1, keepdims=True)
    votes *= np.minimum(1, 0.99 / np.maximum(total, 1e-12))
    left = 1 - votes.sum(axis=1, keepdims=True)
    stayed = np.repeat(np.eye(S), A, axis=0)
    silent = left.ravel() * (counts.tried > 0) * counts.asked
    rho = (silent * (counts.shares.toarray() * stayed).sum(axis=1)).sum() / max(silent.sum(), 1e-12)
    rho = min(float(rho), 0.99)
    return np.asarray(votes + left * (rho * stayed + (1 - rho) * neighbours(counts)))


def _moved(counts: TransitionCounts) -> Array:
    """Shares of next states ``[S, A, S]`` without steps that stayed."""
    S, A = counts.num_states, counts.num_actions
    shares = counts.shares.toarray().reshape(S, A, S)
    shares[np.arange(S), :, np.arange(S)] = 0
    return np.asarray(shares)
