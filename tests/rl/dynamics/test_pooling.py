"""The pool of predictions against its formula, and its exponents against a search."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from tests.rl.dynamics.worlds import random_steps

from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.pooling import left_out, pool_weights, pooled


def test_the_pool_is_a_product_of_powers() -> None:
    draw = np.random.default_rng(0)
    parts = [draw.dirichlet(np.ones(5), size=7) for _ in range(3)]
    weights = np.array([0.3, 1.2, 0.0])
    product = np.prod([part**w for part, w in zip(parts, weights, strict=True)], axis=0)
    np.testing.assert_allclose(pooled(parts, weights), product / product.sum(axis=1, keepdims=True))


def test_exponents_are_the_most_likely_ones() -> None:
    draw = np.random.default_rng(1)
    good, bad = draw.dirichlet(np.ones(6), size=(2, 60))
    targets = pooled([good], [1.7])
    found = pool_weights([good, bad], targets, steps=400)

    def loss(weights: np.ndarray) -> float:
        return float(-(targets * np.log(pooled([good, bad], weights))).sum(axis=1).mean())

    best = minimize(loss, [1.0, 1.0], bounds=[(0, None)] * 2).x
    np.testing.assert_allclose(best, [1.7, 0], atol=0.02)
    assert loss(found) < loss(best) + 1e-3
    np.testing.assert_allclose(pool_weights([good[:0], bad[:0]], targets[:0]), 0.5)


def test_a_share_of_the_tried_pairs_is_left_out() -> None:
    counts = TransitionCounts.of(random_steps(0, steps=200))
    out = left_out(counts, 0.25, seed=0)
    assert out.sum() == round(0.25 * (counts.tried > 0).sum())
    assert (counts.tried[out] > 0).all()
    assert (left_out(counts, 0.25, seed=0) == out).all()
    assert (left_out(counts, 0.25, seed=1) != out).any()
