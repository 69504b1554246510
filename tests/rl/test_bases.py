"""Bases of states against dense references and against each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.rl.test_laplacians import bumping_grid, random_chain

from allpass.errors import InputError
from allpass.rl.bases import (
    chain_walks,
    deepwalk_basis,
    krylov_basis,
    proto_value_functions,
    random_basis,
    successor_basis,
)
from allpass.rl.projection import least_squares


def same_span(a: np.ndarray, b: np.ndarray) -> bool:
    cosines = np.linalg.svd(np.linalg.qr(a)[0].T @ np.linalg.qr(b)[0])[1]
    return bool(np.allclose(cosines, 1, atol=1e-7))


def test_proto_value_functions_are_successor_vectors_on_a_grid() -> None:
    P = bumping_grid(4, 7)
    for k in (1, 4, 9):
        pvf = proto_value_functions(P, k)
        assert pvf.shape == (28, k)
        assert same_span(pvf, successor_basis(P, k, discount=0.9))
        assert same_span(pvf, proto_value_functions(P, k, laplacian="directed"))


def test_successor_basis_by_lanczos_equals_dense() -> None:
    P = random_chain(650, 1, density=0.005)
    dense = np.linalg.svd(np.linalg.inv(np.eye(650) - 0.9 * P))[0][:, :5]
    assert same_span(successor_basis(sp.csr_array(P), 5, discount=0.9), dense)


@pytest.mark.parametrize("constant", [True, False])
def test_krylov_basis_spans_the_products_of_the_reward(constant: bool) -> None:
    P, r = random_chain(25, 5), np.random.default_rng(0).standard_normal(25)
    powers = [np.ones(25)] if constant else []
    while len(powers) < 6:
        powers.append(r if len(powers) == constant else P @ powers[-1])
    basis = krylov_basis(P, r, 6, constant=constant)
    assert same_span(basis, np.column_stack(powers))
    np.testing.assert_allclose(basis.T @ basis, np.eye(6), atol=1e-12)


def test_krylov_basis_ends_when_nothing_new_comes() -> None:
    assert krylov_basis(np.eye(5), np.arange(5.0), 4).shape == (5, 2)
    assert krylov_basis(random_chain(8, 0), np.ones(8), 1).shape == (8, 1)


def test_walks_follow_the_chain() -> None:
    P = random_chain(6, 7, density=0.5)
    walks = chain_walks(P, np.zeros(40_000, dtype=int), 3, np.random.default_rng(0))
    first = np.bincount(walks[:, 1], minlength=6) / 40_000
    np.testing.assert_allclose(first, P[0], atol=0.012)
    np.testing.assert_allclose(np.bincount(walks[:, 2], minlength=6) / 40_000, P[0] @ P, atol=0.012)


def test_smooth_bases_beat_random_directions_and_a_seed_repeats() -> None:
    P = bumping_grid(9, 9)
    goal = np.zeros(81)
    goal[-1] = 1
    V = np.linalg.solve(np.eye(81) - 0.95 * P, goal)
    error = {
        name: np.linalg.norm(V - least_squares(basis, V)) / np.linalg.norm(V - V.mean())
        for name, basis in {
            "proto": proto_value_functions(P, 24),
            "krylov": krylov_basis(P, goal, 24),
            "deepwalk": deepwalk_basis(P, 24, steps=300),
            "random": random_basis(81, 24),
        }.items()
    }
    assert error["krylov"] < error["proto"] < error["random"] / 2
    assert error["deepwalk"] < error["random"]
    np.testing.assert_array_equal(deepwalk_basis(P, 4, steps=5), deepwalk_basis(P, 4, steps=5))


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="from 1 to 6"):
        successor_basis(random_chain(6, 0), 7)
    with pytest.raises(InputError, match="one finite number a state"):
        krylov_basis(random_chain(6, 0), np.full(6, np.nan), 2)
    with pytest.raises(InputError, match="discount = 1"):
        successor_basis(random_chain(6, 0), 2, discount=1)
