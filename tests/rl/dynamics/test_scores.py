"""Ranks, probabilities and total variation against loops."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.rl.dynamics.scores import realistic_ranks, scores, variation


def test_ranks_are_the_mean_of_ties() -> None:
    P = np.array([[0.5, 0.3, 0.2], [0.2, 0.4, 0.4], [0.2, 0.2, 0.2]])
    assert realistic_ranks(P, np.array([0, 2, 1])).tolist() == [1, 1.5, 2]


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_a_loop(seed: int) -> None:
    draw = np.random.default_rng(seed)
    P = draw.dirichlet(np.ones(5), size=4)
    shares = draw.dirichlet(np.ones(5), size=4) * (draw.random((4, 5)) < 0.6)
    shares[:, 0] += 0.1
    shares /= shares.sum(axis=1, keepdims=True)
    mrr = probability = far = 0.0
    for row in range(4):
        for state in range(5):
            place = 1 + sum(P[row, other] > P[row, state] for other in range(5))
            mrr += shares[row, state] / place / 4
            probability += shares[row, state] * P[row, state] / 4
            far += abs(P[row, state] - shares[row, state]) / 8
    assert scores(P, shares) == pytest.approx({"mrr": mrr, "probability": probability, "variation": far})
    assert variation(P, P) == 0
