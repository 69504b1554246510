"""Messages against an enumeration of every path."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl.potentials.messages import messages, optimal_chain


@pytest.mark.parametrize("seed", [0, 1])
def test_messages_are_the_enumeration_of_all_paths(seed: int) -> None:
    generator = np.random.default_rng(seed)
    S, A, T = 3, 2, 4
    P = generator.dirichlet(np.ones(S), (S, A))
    pi = generator.dirichlet(np.ones(A), S)
    r = generator.standard_normal((S, A))
    start = generator.dirichlet(np.ones(S))
    optimal = np.exp((r - r.max()) / 0.7)
    reached = np.zeros((T + 1, S))
    total = 0.0
    for path in product(range(S), repeat=T + 1):
        weight = start[path[0]]
        for s, after in pairwise(path):
            weight *= (pi[s] * optimal[s] * P[s, :, after]).sum()
        total += weight
        for t, s in enumerate(path):
            reached[t, s] += weight
    Pi = np.zeros((S, S * A))
    for s in range(S):
        Pi[s, s * A : (s + 1) * A] = pi[s]
    M = optimal_chain(P.reshape(S * A, S), Pi, r.ravel(), temperature=0.7)
    found = messages(M, start, T)
    np.testing.assert_allclose(found.posterior(), reached / total, atol=1e-12)
    assert found.log_probability == pytest.approx(np.log(total), abs=1e-12)


def test_long_horizons_do_not_underflow() -> None:
    M = np.eye(4, k=1) * 1e-3
    M[3, 3] = 1e-3
    found = messages(M, np.eye(4)[0], 500)
    assert found.log_probability == pytest.approx(500 * np.log(1e-3))
    np.testing.assert_allclose(found.posterior()[-1], [0, 0, 0, 1])


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="No path of 1 steps"):
        messages(np.zeros((2, 2)), np.array([1.0, 0.0]), 3)
    with pytest.raises(InputError, match="distribution over 2 states"):
        messages(np.eye(2), np.array([1.0, 1.0]), 3)
    with pytest.raises(InputError, match="temperature = 0"):
        optimal_chain(np.eye(2), np.eye(2), np.zeros(2), temperature=0)
