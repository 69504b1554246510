from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.errors import InputError
from allpass.rl import policy_matrix

MASK = np.array([[True, True], [True, False]])


def test_the_matrix_is_block_diagonal() -> None:
    Pi = policy_matrix([[0.25, 0.75], [1, 0]], MASK)
    assert Pi.toarray().tolist() == [[0.25, 0.75, 0, 0], [0, 0, 1, 0]]
    assert policy_matrix([1, 0], MASK).toarray().tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]
    assert policy_matrix("uniform", MASK).toarray().tolist() == [[0.5, 0.5, 0, 0], [0, 0, 1, 0]]
    assert (policy_matrix(Pi, MASK) != Pi).nnz == 0


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("greedy", "Got the policy 'greedy'"),
        ([2, 0], "takes action 2 in state 0. Expected numbers from 0 to 1"),
        ([0, 1], "takes action 1 in state 1, where it is not allowed"),
        ([[0.5, 0.4], [1, 0]], "state 0 sum to 0.9"),
        ([[np.nan, 1], [1, 0]], "negative or NaN"),
        ([0.0, 1.0], "shape \\[2\\] and type float64"),
        (sp.csr_array(np.eye(2)), "policy matrix of shape \\[2, 2\\]"),
        (sp.csr_array([[0, 0, 1, 0], [0, 0, 1, 0]]), "outside its diagonal blocks"),
    ],
)
def test_bad_policies_are_named(policy: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        policy_matrix(policy, MASK)
