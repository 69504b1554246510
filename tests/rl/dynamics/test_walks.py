"""Walks with memory take each step as often as its weight says."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.errors import InputError
from allpass.rl.dynamics.walks import biased_walks


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (4.0, 0.5), (0.25, 2.0)])
def test_second_steps_follow_the_weights(p: float, q: float) -> None:
    dense = np.array(
        [
            [0.0, 0.5, 0.5, 0.0, 0.0],
            [0.3, 0.0, 0.3, 0.4, 0.0],
            [0.5, 0.5, 0.0, 0.0, 0.0],
            [0.0, 0.2, 0.0, 0.3, 0.5],
            [0.0, 0.0, 0.0, 1.0, 0.0],
        ]
    )
    walks = biased_walks(sp.csr_array(dense), np.zeros(40_000, int), 3, np.random.default_rng(0), p=p, q=q)
    near = (dense + dense.T) > 0
    after = walks[walks[:, 1] == 1, 2]
    weight = np.array([dense[1, x] * (1 / p if x == 0 else 1 if near[0, x] else 1 / q) for x in range(5)])
    np.testing.assert_allclose(
        np.bincount(after, minlength=5) / len(after), weight / weight.sum(), atol=0.015
    )


def test_bad_numbers_have_one_sentence() -> None:
    with pytest.raises(InputError, match="p = 0"):
        biased_walks(sp.eye_array(3), [0], 3, np.random.default_rng(0), p=0)
