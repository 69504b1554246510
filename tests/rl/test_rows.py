from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.rl.rows import take_rows


@pytest.mark.parametrize("seed", range(5))
def test_rows_equal_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((20, 9), density=0.3, rng=rng, format="csr")
    rows = rng.integers(20, size=33)
    taken = take_rows(matrix, rows)
    taken.check_format()
    np.testing.assert_array_equal(taken.toarray(), matrix.toarray()[rows])


def test_rows_of_one_length() -> None:
    matrix = sp.csr_array(np.diag(np.arange(1.0, 6)))
    rows = np.array([4, 4, 0])
    np.testing.assert_array_equal(take_rows(matrix, rows).toarray(), matrix.toarray()[rows])
