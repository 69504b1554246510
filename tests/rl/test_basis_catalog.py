from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import UnknownNameError
from allpass.rl import BASES, TabularMDP, create_basis
from allpass.rl.basis_catalog import fit_errors


@pytest.mark.parametrize("name", BASES)
def test_every_basis_has_its_functions_and_fits_better_with_more(name: str) -> None:
    mdp = TabularMDP.from_grid("four-rooms", 0.95)
    basis = create_basis(name, mdp, 16)
    assert basis.shape == (104, 16)
    assert np.linalg.matrix_rank(basis) == 16
    assert (basis[mdp.terminal] == 0).all()
    errors = fit_errors(mdp, basis, mdp.values(), [1, 2, 4, 8, 16])
    assert (np.diff(errors) <= 1e-9).all()


def test_errors_are_those_of_dense_least_squares() -> None:
    rng = np.random.default_rng(0)
    mdp = TabularMDP.from_grid("." * 30)
    basis, V = rng.normal(size=(30, 6)), rng.normal(size=30)
    (error,) = fit_errors(mdp, basis, V, [6])
    fit = basis @ np.linalg.inv(basis.T @ basis) @ basis.T @ V
    assert error == pytest.approx(np.linalg.norm(V - fit) / (np.std(V) * np.sqrt(30)))


def test_proto_value_functions_halve_the_error_of_random_ones() -> None:
    mdp = TabularMDP.from_grid("four-rooms", 0.95)
    for k in (32, 64):
        (proto,) = fit_errors(mdp, create_basis("combinatorial", mdp, k), mdp.values(), [k])
        chance = [
            fit_errors(mdp, create_basis("random", mdp, k, seed=s), mdp.values(), [k])[0] for s in range(5)
        ]
        assert proto <= np.mean(chance) / 2


def test_an_unknown_basis_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'krylov'"):
        create_basis("krilov", TabularMDP.from_grid("S.G"), 2)
