"""Dense references: what the matrices say, by loops and by dense linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.rl import TabularMDP


def dense_values(mdp: TabularMDP, probabilities: NDArray[Any]) -> NDArray[Any]:
    """V of a policy ``[S, A]`` by the dense inverse."""
    S, A = mdp.mask.shape
    P, r = mdp.P.toarray().reshape(S, A, S), mdp.r.reshape(S, A)
    chain = np.einsum("sa,sat->st", probabilities, P)
    chain[mdp.terminal] = 0
    return np.linalg.inv(np.eye(S) - mdp.discount * chain) @ (probabilities * r).sum(axis=1)


def dense_policy_iteration(mdp: TabularMDP) -> NDArray[Any]:
    """V* by Howard's policy iteration on dense arrays, state by state."""
    S, A = mdp.mask.shape
    P, r = mdp.P.toarray().reshape(S, A, S), np.where(mdp.mask, mdp.r.reshape(S, A), -np.inf)
    actions = mdp.mask.argmax(axis=1)
    while True:
        chain = P[np.arange(S), actions].copy()
        chain[mdp.terminal] = 0
        V = np.linalg.solve(np.eye(S) - mdp.discount * chain, r[np.arange(S), actions])
        Q = r + mdp.discount * P @ V
        improvable = Q.max(axis=1) > Q[np.arange(S), actions] + 1e-10 * (1 + np.abs(V))
        if not improvable.any():
            return V
        actions = np.where(improvable, Q.argmax(axis=1), actions)
