from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import (
    LinearMap,
    Operator,
    apply_analytic,
    block_grade,
    fourier_basis,
    krylov_basis,
    krylov_coefficients,
    krylov_space,
    matrix,
)

FUNCTIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[np.ndarray], np.ndarray]]] = {
    "exp": (torch.exp, scipy.linalg.expm),
    "cos": (torch.cos, scipy.linalg.cosm),
    "resolvent": (lambda t: 1 / (2 - t), lambda M: np.linalg.inv(2 * np.eye(len(M)) - M)),
    "square": (lambda t: t**2, lambda M: M @ M),
}


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def network(graph: nx.Graph) -> Operator:
    return Operator.from_networkx(graph, dtype=torch.float64)


def exact_rank(columns: list[list[Fraction]]) -> int:
    """Rank of a matrix of fractions by elimination, without rounding."""
    rows = [row[:] for row in columns]
    rank = 0
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][j] / rows[rank][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def exact_grade(A: np.ndarray, X: np.ndarray) -> int:
    """The smallest m of 1 or more at which K_m stops to grow; the entries are exact binary fractions."""
    matrix_rows = [[Fraction(value) for value in row] for row in A]
    block = [[Fraction(value) for value in column] for column in X.T]
    columns, rank, m = list(block), exact_rank(block), 1
    while True:
        block = [[sum(map(lambda a, b: a * b, row, c), Fraction(0)) for row in matrix_rows] for c in block]
        columns += block
        grown = exact_rank(columns)
        if grown == rank:
            return m
        rank, m = grown, m + 1


def test_the_basis_by_hand() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]))
    x = torch.tensor([[1.0, 0.0], [2.0, 5.0], [0.0, 0.0]])
    assert krylov_basis(A, x, 3).tolist() == [[1, 0, 0, 0, 0, 0], [2, 5, 1, 0, 0, 0], [0, 0, 2, 5, 1, 0]]
    assert torch.equal(krylov_basis(A, x, 1), x)


def test_the_basis_has_gradients() -> None:
    A = matrix(network(nx.path_graph(4)), "A_hat_rw")
    x = randn(4, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: krylov_basis(A, x, 3), (x,))


@given(graphs(min_nodes=1, max_nodes=6, max_features=2))
def test_the_grade_is_where_exact_ranks_stop_growing(graph: Graph) -> None:
    assert block_grade(graph.operator(), graph.x) == exact_grade(graph.dense, graph.x.numpy())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["A_sym", "A_hat_sym", "A_hat_rw"])
def test_the_grade_of_normalised_matrices_is_where_numpy_ranks_stop_growing(seed: int, name: str) -> None:
    op = matrix(network(nx.gnp_random_graph(9, 0.35, seed=seed)), name)
    x = randn(9, 2, seed=seed)
    dependent = torch.cat([x, x[:, :1] - 3 * x[:, 1:], 0 * x[:, :1]], dim=1)
    dense = op.to_dense().numpy()
    ranks, powers = [], [x.numpy()]
    for _ in range(9):
        ranks.append(np.linalg.matrix_rank(np.concatenate(powers, axis=1), tol=1e-9))
        powers.append(dense @ powers[-1])
    want = next((m for m in range(1, 9) if ranks[m] == ranks[m - 1]), 9)
    assert block_grade(op, x) == block_grade(op, dependent) == want


def test_grades_that_theory_knows() -> None:
    A = network(nx.gnp_random_graph(20, 0.3, seed=0))
    basis = fourier_basis(A, "L_hat_sym")
    S = matrix(A, "A_hat_sym")
    assert block_grade(S, torch.zeros(20, 3, dtype=torch.float64)) == 1
    assert block_grade(S, basis.vectors[:, 3:4]) == 1
    assert block_grade(S, basis.vectors[:, 3:6]) == 1
    assert block_grade(S, basis.vectors[:, [3]] + basis.vectors[:, [7]]) == 2
    assert block_grade(S, randn(20, 1)) == 20
    assert block_grade(S, randn(20, 5)) == 4
    assert block_grade(S**0, randn(20, 2)) == 1
    complete_graph = matrix(network(nx.complete_graph(8)), "A_sym")
    assert block_grade(complete_graph, randn(8, 1)) == 2  # two distinct eigenvalues


def test_a_null_vector_grows_nothing_from_rounding() -> None:
    star = matrix(network(nx.star_graph(3)), "A_sym")
    null = torch.tensor([[0.0], [0.3], [-0.1], [-0.2]], dtype=torch.float64)
    assert (star @ null).abs().max() < 1e-15
    assert block_grade(star, null) == 1


def test_single_precision_ends_too() -> None:
    A = matrix(Operator.from_networkx(nx.gnp_random_graph(30, 0.2, seed=0)), "A_hat_sym")
    space = krylov_space(A, randn(30, 2).float())
    assert space.complete
    assert space.directions.shape[1] <= 30


@given(graphs(min_nodes=1, directed=False), st.integers(1, 4))
def test_the_space_is_what_it_says(graph: Graph, max_blocks: int) -> None:
    op = matrix(graph.operator(), "A_hat_sym")
    space = krylov_space(op, graph.x, max_blocks=max_blocks)
    Q = space.directions
    torch.testing.assert_close(Q.mT @ Q, torch.eye(Q.shape[1], dtype=Q.dtype), rtol=0, atol=1e-12)
    torch.testing.assert_close(Q @ space.coordinates, graph.x, rtol=0, atol=1e-9)
    torch.testing.assert_close(space.projection, Q.mT @ (op @ Q), rtol=0, atol=1e-12)
    K = krylov_basis(op, graph.x, space.grade)
    torch.testing.assert_close(Q @ (Q.mT @ K), K, rtol=0, atol=1e-9)
    assert space.grade <= max_blocks
    outside = op @ Q - Q @ (Q.mT @ (op @ Q))
    if space.complete:
        assert float(outside.abs().sum()) < 1e-8
    else:
        assert space.grade == max_blocks
        assert float(outside.abs().sum()) > 1e-12


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["A_sym", "A_hat_sym", "A_rw", "A_hat_rw", "L_hat_rw"])
@settings(max_examples=20)
@given(graph=graphs(min_nodes=1, directed=False))
def test_analytic_filters_equal_the_dense_matrix_function(name: str, function: str, graph: Graph) -> None:
    if function == "resolvent" and name.startswith("L"):
        return  # 2 is the end of its spectrum
    g, dense = FUNCTIONS[function]
    op = matrix(graph.operator(), name)
    want = torch.from_numpy(dense(op.to_dense().numpy())) @ graph.x
    torch.testing.assert_close(apply_analytic(op, graph.x, g), want, rtol=1e-9, atol=1e-9)
    Gamma, m = krylov_coefficients(op, graph.x, g)
    assert Gamma.shape == (m * graph.x.shape[1], graph.x.shape[1])
    torch.testing.assert_close(krylov_basis(op, graph.x, m) @ Gamma, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["A_hat_sym", "A_hat_rw"])
@pytest.mark.parametrize("F", [1, 3])
def test_long_ill_conditioned_bases_lose_nothing(name: str, function: str, F: int) -> None:
    g, dense = FUNCTIONS[function]
    op = matrix(network(nx.gnp_random_graph(60, 0.1, seed=1)), name)
    x = randn(60, F)
    want = torch.from_numpy(dense(op.to_dense().numpy())) @ x
    Gamma, m = krylov_coefficients(op, x, g)
    basis = krylov_basis(op, x, m)
    assert m >= 60 // F - 1
    assert np.linalg.cond(basis.numpy()) > 1e12
    torch.testing.assert_close(basis @ Gamma, want, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(apply_analytic(op, x, g), want, rtol=1e-9, atol=1e-9)


def test_maps_of_large_norm() -> None:
    A = network(nx.gnp_random_graph(50, 0.3, seed=0))
    x = randn(50, 2)
    Gamma, m = krylov_coefficients(A, x, lambda t: 1 / (40 - t))
    want = torch.linalg.solve(40 * torch.eye(50, dtype=torch.float64) - A.to_dense(), x)
    torch.testing.assert_close(krylov_basis(A, x, m) @ Gamma, want, rtol=1e-9, atol=1e-9)


def test_a_layer_is_one_product_with_the_basis() -> None:
    op, x, W = matrix(network(nx.karate_club_graph()), "A_hat_rw"), randn(34, 3), randn(3, 4, seed=1)
    Gamma, m = krylov_coefficients(op, x, torch.exp)
    want = torch.from_numpy(scipy.linalg.expm(op.to_dense().numpy())) @ x @ W
    torch.testing.assert_close(krylov_basis(op, x, m) @ (Gamma @ W), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["A_hat_sym", "A_hat_rw"])
def test_truncated_spaces_converge(name: str) -> None:
    op, x = matrix(network(nx.gnp_random_graph(100, 0.05, seed=2)), name), randn(100, 1)
    want = torch.from_numpy(scipy.linalg.expm(op.to_dense().numpy())) @ x
    errors = [float((apply_analytic(op, x, torch.exp, max_blocks=m) - want).norm()) for m in (2, 4, 8, 14)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9
    Gamma, m = krylov_coefficients(op, x, torch.exp, max_blocks=14)
    assert m == 14
    assert float((krylov_basis(op, x, m) @ Gamma - want).norm()) < 1e-9


def test_a_directed_graph_that_can_be_diagonalised() -> None:
    cycle: LinearMap = network(nx.cycle_graph(5, create_using=nx.DiGraph))
    x = randn(5, 2)
    want = torch.from_numpy(scipy.linalg.expm(cycle.to_dense().numpy())) @ x
    torch.testing.assert_close(apply_analytic(cycle, x, torch.exp), want)


def test_what_cannot_be_diagonalised_is_refused() -> None:
    path = network(nx.path_graph(4, create_using=nx.DiGraph))
    with pytest.raises(InputError, match=r"cannot be diagonalised.*symmetrized"):
        apply_analytic(path, randn(4, 1), torch.exp)


def test_nothing_to_filter() -> None:
    empty = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=0, dtype=torch.float64)
    for op, x in ((empty, randn(0, 2)), (network(nx.path_graph(3)), randn(3, 0))):
        assert apply_analytic(op, x, torch.exp).shape == x.shape
        assert block_grade(op, x) == 1
    zero = torch.zeros(3, 2, dtype=torch.float64)
    Gamma, m = krylov_coefficients(network(nx.path_graph(3)), zero, torch.exp)
    assert (Gamma.abs().sum(), m) == (0, 1)


@pytest.mark.parametrize("call", [krylov_space, block_grade, lambda op, x: krylov_basis(op, x, 2)])
def test_mistakes_are_named(call: Callable[[LinearMap, Tensor], object]) -> None:
    A = network(nx.path_graph(3))
    with pytest.raises(InputError, match=r"signal of shape \[3\].*\[N, F\]"):
        call(A, randn(3))
    with pytest.raises(InputError, match="square map"):
        call(Operator.from_scipy(np.ones((2, 3))), randn(3, 1))


def test_at_least_one_block() -> None:
    A, x = network(nx.path_graph(3)), randn(3, 1)
    with pytest.raises(InputError, match="0 blocks"):
        krylov_basis(A, x, 0)
    with pytest.raises(InputError, match="0 blocks"):
        krylov_space(A, x, max_blocks=0)


@pytest.mark.gpu
def test_cuda_equals_cpu() -> None:
    op, x = matrix(network(nx.karate_club_graph()), "A_hat_sym"), randn(34, 2)
    there = apply_analytic(op.to("cuda"), x.cuda(), torch.exp).cpu()
    torch.testing.assert_close(there, apply_analytic(op, x, torch.exp), rtol=1e-9, atol=1e-9)
    assert block_grade(op.to("cuda"), x.cuda()) == block_grade(op, x)
