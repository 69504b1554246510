"""Random processes that the tests of this folder share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.rl import TabularMDP


def random_arrays(seed: int, num_states: int = 7, num_actions: int = 3) -> tuple[NDArray[Any], NDArray[Any]]:
    """Transitions ``[S, A, S]`` with some zeros, and rewards ``[S, A]``."""
    rng = np.random.default_rng(seed)
    P = rng.random((num_states, num_actions, num_states)) * (
        rng.random((num_states, num_actions, num_states)) < 0.5
    )
    P += 1e-3 * np.eye(num_states)[:, None, :]
    return P / P.sum(axis=2, keepdims=True), rng.normal(size=(num_states, num_actions))


def random_mdp(
    seed: int, num_states: int = 7, num_actions: int = 3, discount: float = 0.9, masked: bool = False
) -> TabularMDP:
    P, r = random_arrays(seed, num_states, num_actions)
    mask = np.random.default_rng([seed, 1]).random((num_states, num_actions)) < 0.6
    mask[:, 0] |= ~mask.any(axis=1)
    return TabularMDP(P, r, discount, mask=mask if masked else None, layout="S,A,S")


def random_policy(mdp: TabularMDP, seed: int) -> NDArray[Any]:
    """Probabilities ``[S, A]`` over the allowed actions."""
    weights = np.random.default_rng([seed, 2]).random(mdp.mask.shape) * mdp.mask
    return weights / weights.sum(axis=1, keepdims=True)
