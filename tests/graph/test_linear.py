from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Combination, Composition, Identity, LinearMap, Operator


def square(seed: int = 0, N: int = 5) -> Operator:
    return Operator.from_scipy(sp.random_array((N, N), density=0.5, rng=np.random.default_rng(seed)))


def rectangle(M: int = 4, N: int = 5) -> Operator:
    return Operator.from_scipy(sp.random_array((M, N), density=0.5, rng=np.random.default_rng(7)))


def close(op: LinearMap, want: Tensor) -> None:
    """The map, its transpose and its product with a signal all belong to the matrix ``want``."""
    torch.testing.assert_close(op.to_dense(), want)
    torch.testing.assert_close(op.T.to_dense(), want.T)
    torch.testing.assert_close(op.T.T.to_dense(), want)
    x = torch.linspace(-1, 1, want.shape[1], dtype=want.dtype)
    torch.testing.assert_close(op @ x, want @ x)
    assert op.shape == tuple(want.shape)
    assert op.dtype == want.dtype


@settings(max_examples=30)
@given(graphs(), st.integers(0, 3), st.floats(-2, 2))
def test_the_algebra_of_maps_is_the_algebra_of_matrices(graph: Graph, power: int, scale: float) -> None:
    A, D = graph.operator(), torch.from_numpy(graph.dense)
    I = torch.eye(graph.num_nodes, dtype=torch.float64)
    close(A, D)
    close(A.complement(), I - D)
    close(A.complement().complement(), D)
    close(A**power, torch.linalg.matrix_power(D, power))
    close(scale * A, scale * D)
    close(A * scale - A.T, scale * D - D.T)
    close(-A + A.T, D.T - D)
    close(A.compose(A.T, A.complement()), D @ D.T @ (I - D))
    close((2 * A.complement() + A**2).T, (2 * (I - D) + D @ D).T)
    torch.testing.assert_close((A.complement() ** 2) @ graph.x, (I - D) @ ((I - D) @ graph.x))


def test_rectangles() -> None:
    B = rectangle()
    D = B.to_dense()
    close(B.compose(B.T), D @ D.T)
    close(B.T.compose(B), D.T @ D)
    close(3.0 * B + B, 4 * D)


def test_numpy_numbers_scale_too() -> None:
    A = square()
    close(np.float64(2) * A, 2 * A.to_dense())
    close(A * np.int64(2), 2 * A.to_dense())


def test_gradients_flow_through_every_combination() -> None:
    A = square()
    D = A.to_dense()
    x = torch.randn(5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    eye = torch.eye(5, dtype=torch.float64)
    op, dense = (2 * A.complement() - A.T).compose(A**2), (2 * (eye - D) - D.T) @ D @ D
    got = torch.autograd.grad((op @ x).square().sum(), x)
    torch.testing.assert_close(got, torch.autograd.grad((dense @ x).square().sum(), x))


def test_the_complement_stores_nothing() -> None:
    A = square()
    high = A.complement()
    assert isinstance(high, Combination)
    (one, first), (minus, second) = high.terms
    assert (one, minus) == (1.0, -1.0)
    assert isinstance(first, Identity)
    assert second is A
    kept = [value for value in vars(first).values() if isinstance(value, Tensor)]
    assert kept == []


def test_sums_and_products_hold_their_parts() -> None:
    A, B = square(0), square(1)
    assert [term for _, term in (A + B).terms] == [A, B]  # type: ignore[attr-defined]
    assert (A**3).factors == (A, A, A)  # type: ignore[attr-defined]
    assert isinstance(A.compose(B), Composition)


def test_the_identity_copies_nothing() -> None:
    x = torch.ones(5, 2)
    assert Identity(5, torch.float32, torch.device("cpu")) @ x is x


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_sparse_signals_stay_sparse(layout: torch.layout) -> None:
    A, D = square(), square().to_dense()
    dense = rectangle(5, 3).to_dense()
    eye = torch.eye(5, dtype=torch.float64)
    x = dense.to_sparse(layout=layout)
    for op, want in (
        (A, D),
        (A.complement(), eye - D),
        (2 * A + A.T, 2 * D + D.T),
        (A**2, D @ D),
        (A**0, eye),
    ):
        product = op @ x
        assert product.layout == torch.sparse_csr
        torch.testing.assert_close(product.to_dense(), want @ dense)


def test_an_uncoalesced_sparse_signal_is_summed() -> None:
    x = torch.sparse_coo_tensor([[0, 0, 4], [1, 1, 0]], [1.0, 2.0, 5.0], (5, 2), dtype=torch.float64)
    for op in (square(), square().complement()):
        torch.testing.assert_close((op @ x).to_dense(), op @ x.to_dense())


def test_precision_reaches_every_part() -> None:
    op = (2 * square().complement() + square() ** 2).to(torch.float32)
    assert op.dtype == torch.float32
    assert (op @ torch.ones(5)).dtype == torch.float32
    assert op.to("cpu").device == torch.device("cpu")


def test_repr_says_shape_and_type() -> None:
    assert repr(square().complement()) == "Combination(5 x 5, torch.float64, cpu)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: square() @ torch.ones(4, dtype=torch.float64),
            r"shape \[4\] .* \[5, 5\].*Expected \[5\] or \[5, F\]",
        ),
        (lambda: square() @ torch.ones(5, 1, 1, dtype=torch.float64), r"shape \[5, 1, 1\]"),
        (lambda: square() @ torch.tensor(1.0, dtype=torch.float64), r"shape \[\]"),
        (lambda: square().complement() @ torch.ones(5), r"torch.float32 .* torch.float64.*Call .to"),
        (lambda: square() @ torch.ones(5, dtype=torch.float64, device="meta"), r"on meta .* on cpu.*Move"),
        (lambda: square() + rectangle(), r"\(5, 5\) and \(4, 5\) in one sum"),
        (lambda: square() + 1, "map"),
        (lambda: square() * torch.ones(()), "learnable weights belong to the signal"),
        (lambda: torch.ones(()) * square(), "learnable weights belong to the signal"),
        (lambda: rectangle().compose(rectangle()), r"product of maps of shapes \(4, 5\) and \(4, 5\)"),
        (lambda: rectangle().complement(), "4 x 5 map where I - A"),
        (lambda: rectangle() ** 2, "power 2 of a 4 x 5"),
        (lambda: square() ** -1, "power -1"),
        (
            lambda: square() + square().to(torch.float32),
            "torch.float32 on cpu and torch.float64 on cpu together",
        ),
        (lambda: square().compose(square().to(torch.float32)), "together"),
        (lambda: square() @ torch.ones(5, dtype=torch.float64).to_sparse(), r"sparse signal of shape \[5\]"),
        (
            lambda: square() @ torch.ones(5, 2, dtype=torch.float64).to_sparse().requires_grad_(),
            "sparse signal .* requires a gradient.*to_dense",
        ),
    ],
)
def test_mistakes_are_named(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


def test_a_map_times_no_tensor_is_no_product() -> None:
    with pytest.raises(TypeError):
        square() @ [1.0]  # type: ignore[operator]


@pytest.mark.gpu
def test_composites_move_to_cuda_by_either_name() -> None:
    x = torch.ones(5, 2, dtype=torch.float64)
    for op in (square().complement(), 2 * square() + square().T, square() ** 2, square() ** 0):
        for device in ("cuda", "cuda:0"):
            torch.testing.assert_close((op.to(device) @ x.to(device)).cpu(), op @ x)
        sparse = x.to_sparse().cuda()
        torch.testing.assert_close((op.to("cuda") @ sparse).to_dense().cpu(), op @ x)
