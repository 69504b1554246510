"""The mined rule against loops, and on a corridor whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.dynamics.worlds import every_pair, random_steps

from allpass.rl import TabularMDP
from allpass.rl.dynamics.backoff import neighbours
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.inverse_rule import confidences, inverse_rule


def dense(counts: TransitionCounts) -> np.ndarray:
    S, A = counts.mask.shape
    shares = counts.shares.toarray().reshape(S, A, S)
    for s in range(S):
        shares[s, :, s] = 0
    return shares


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_formula(seed: int) -> None:
    counts = TransitionCounts.of(random_steps(seed, steps=40))
    S, A = counts.mask.shape
    moved, tried = dense(counts), (counts.tried > 0).reshape(S, A)
    K = np.zeros((A, A))
    for b in range(A):
        for a in range(A):
            pairs = [(u, s) for u in range(S) for s in range(S) if u != s]
            both = sum(moved[u, b, s] * moved[s, a, u] for u, s in pairs)
            chances = sum(moved[u, b, s] * tried[s, a] for u, s in pairs)
            K[b, a] = both / chances if chances else 0
    np.testing.assert_allclose(confidences(counts), K)
    votes = np.array(
        [
            [[sum(K[b, a] * moved[u, b, s] for b in range(A)) for u in range(S)] for a in range(A)]
            for s in range(S)
        ]
    ).reshape(S * A, S)
    total = votes.sum(axis=1, keepdims=True)
    votes = np.where(total > 0.99, votes * 0.99 / np.maximum(total, 1e-12), votes)
    left = 1 - votes.sum(axis=1)
    stays = np.array([counts.shares.toarray()[row, row // A] for row in range(S * A)])
    weight = left * (counts.tried > 0) * counts.asked
    rho = min((weight * stays).sum() / weight.sum(), 0.99)
    rest = rho * np.repeat(np.eye(S), A, axis=0) + (1 - rho) * neighbours(counts)
    np.testing.assert_allclose(inverse_rule(counts), votes + left[:, None] * rest, atol=1e-12)


def test_it_knows_the_way_back() -> None:
    mdp = TabularMDP.from_grid("S........G", discount=0.9)
    counts = TransitionCounts.of(every_pair(mdp, [(4, 3), (5, 0)]), mdp)
    K = confidences(counts)
    assert K[1, 3] == K[3, 1] == 1
    assert K[1, 1] == 0
    P = inverse_rule(counts).reshape(10, 4, 10)
    assert P[4, 3, 3] > 0.95
    assert P[5, 0, 5] > 0.95
