"""Predictions without an embedding against loops over states."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.dynamics.worlds import random_steps

from allpass.rl.dynamics.backoff import back_off, neighbours, uniform
from allpass.rl.dynamics.counts import TransitionCounts


@pytest.mark.parametrize("seed", range(3))
def test_back_off_is_the_share_of_all_steps_from_a_state(seed: int) -> None:
    counts = TransitionCounts.of(random_steps(seed, steps=25))
    S, A = counts.mask.shape
    moves = counts.C.toarray().reshape(S, A, S).sum(axis=1)
    for row, found in enumerate(back_off(counts)):
        expected = (moves[row // A] + 0.1 / S) / (moves[row // A].sum() + 0.1)
        np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(uniform(counts), 1 / S)


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_lose_what_other_actions_explain(seed: int) -> None:
    counts = TransitionCounts.of(random_steps(seed, steps=25))
    S, A = counts.mask.shape
    C = counts.C.toarray().reshape(S, A, S)
    moves = C.sum(axis=1)
    shares = C / np.maximum(C.sum(axis=2, keepdims=True), 1)
    found = neighbours(counts).reshape(S, A, S)
    for s in range(S):
        for a in range(A):
            weights = np.zeros(S)
            for t in range(S):
                if t == s:
                    weights[t] = 1
                elif moves[s, t] or moves[t, s]:
                    weights[t] = 1 - max(shares[s, b, t] for b in range(A) if b != a)
            np.testing.assert_allclose(found[s, a], 0.999 * weights / weights.sum() + 0.001 / S, atol=1e-12)
