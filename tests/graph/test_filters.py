from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev, polynomial
from tests.strategies import Graph, graphs
from torch.func import vmap

from allpass.errors import InputError
from allpass.graph import (
    FilterBank,
    Operator,
    apply_polynomial,
    fourier_basis,
    frequency_response,
    matrix,
)
from allpass.graph.filters import Basis

BASES = st.sampled_from(["monomial", "chebyshev"])
COEFFICIENTS = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=6)
NAMES = st.sampled_from(["A", "A_rw", "A_sym", "A_hat_rw", "L_hat_sym"])


def path(n: int = 6) -> Operator:
    return Operator.from_networkx(nx.path_graph(n), dtype=torch.float64)


def dense_polynomial(M: np.ndarray, coefficients: list[float], basis: str) -> np.ndarray:
    """p(M) by Horner's rule, after a change to the monomial basis."""
    if basis == "chebyshev":
        coefficients = chebyshev.cheb2poly(coefficients).tolist()
    total = np.zeros_like(M)
    for c in reversed(coefficients):
        total = total @ M + c * np.eye(len(M))
    return total


@given(graphs(), NAMES, COEFFICIENTS, BASES)
def test_a_polynomial_filter_is_the_matrix_polynomial(
    graph: Graph, name: str, coefficients: list[float], basis: Basis
) -> None:
    op = matrix(graph.operator(), name)
    want = dense_polynomial(op.to_dense().numpy(), coefficients, basis) @ graph.x.numpy()
    ours = apply_polynomial(op, graph.x, coefficients, basis).numpy()
    np.testing.assert_allclose(ours, want, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(want).max(initial=0)))


@given(graphs(directed=False), COEFFICIENTS, BASES)
def test_its_response_is_what_it_does_to_each_frequency(
    graph: Graph, coefficients: list[float], basis: Basis
) -> None:
    A = graph.operator()
    spectrum = fourier_basis(A, "L_hat_sym")
    eigenvalues = 1 - spectrum.frequencies
    response = frequency_response(coefficients, eigenvalues, basis)
    reference = polynomial.polyval if basis == "monomial" else chebyshev.chebval
    np.testing.assert_allclose(response.numpy(), reference(eigenvalues.numpy(), coefficients), atol=1e-10)
    want = spectrum.synthesize(response.unsqueeze(1) * spectrum.transform(graph.x))  # U p(Λ) U^T x
    ours = apply_polynomial(matrix(A, "A_hat_sym"), graph.x, coefficients, basis)
    torch.testing.assert_close(ours, want, rtol=0, atol=1e-9)


@pytest.mark.parametrize("basis", ["monomial", "chebyshev"])
def test_gradients_in_signal_and_coefficients(basis: Basis) -> None:
    op = matrix(path(), "A_hat_rw")
    x = torch.linspace(0, 1, 12, dtype=torch.float64).reshape(6, 2).requires_grad_()
    c = torch.tensor([0.5, -1.0, 2.0, 0.3], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, c: apply_polynomial(op, x, c, basis), (x, c))


def test_stacked_coefficients_under_vmap() -> None:
    op, x = matrix(path(), "A_hat_rw"), torch.ones(6, 2, dtype=torch.float64)
    c = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    got = vmap(lambda c: apply_polynomial(op, x, c))(c)
    torch.testing.assert_close(got, torch.stack([apply_polynomial(op, x, row) for row in c]))


def test_one_product_a_degree(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    plain = Operator.__matmul__
    monkeypatch.setattr(Operator, "__matmul__", lambda self, x: calls.append(1) or plain(self, x))
    for basis in ("monomial", "chebyshev"):
        calls.clear()
        apply_polynomial(path(), torch.ones(6, dtype=torch.float64), [1.0] * 5, basis)  # type: ignore[arg-type]
        assert len(calls) == 4


@given(graphs(), NAMES)
def test_a_map_and_its_complement_reconstruct(graph: Graph, name: str) -> None:
    low = matrix(graph.operator(), name)
    bank = FilterBank.from_low_pass(low)
    assert bank.is_perfect()
    smooth, detail = bank.analyze(graph.x)
    torch.testing.assert_close(smooth + detail, graph.x, rtol=0, atol=1e-10)
    if graph.num_nodes:
        assert not FilterBank(low, low.complement() + low**0).is_perfect()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_perfect_within_rounding_in_every_precision(dtype: torch.dtype) -> None:
    low = matrix(path(), "A_hat_sym").to(dtype)
    assert FilterBank.from_low_pass(low).is_perfect()
    assert not FilterBank(low, low.complement() * 0.5).is_perfect()


def test_channels_of_large_norm_are_judged_by_their_own_size() -> None:
    hub = Operator.from_networkx(nx.star_graph(2000)) * 1e3
    assert FilterBank.from_low_pass(hub).is_perfect()


def test_imperfect_banks_say_how_far() -> None:
    A = matrix(path(), "A_hat_sym")
    damped = FilterBank(0.5 * A, 0.5 * A.complement())
    assert damped.reconstruction_error() == pytest.approx(0.5)
    assert damped.is_perfect(tolerance=0.6)
    assert not FilterBank(A, matrix(path(), "L_sym")).is_perfect()


def test_the_bank_of_an_empty_graph_is_perfect() -> None:
    empty = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64))
    assert FilterBank.from_low_pass(empty).is_perfect()


def test_mistakes_are_named() -> None:
    x = torch.ones(6, dtype=torch.float64)
    with pytest.raises(InputError, match=r"basis 'legendre'.*'monomial' or 'chebyshev'"):
        apply_polynomial(path(), x, [1.0], "legendre")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="without coefficients"):
        apply_polynomial(path(), x, [])
    with pytest.raises(InputError, match="without coefficients"):
        frequency_response([], x)
