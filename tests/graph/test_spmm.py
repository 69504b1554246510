from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

from allpass.graph import Operator, matrix, spmm
from allpass.graph.pattern import Pattern


def example(M: int = 6, N: int = 6, seed: int = 0, dtype: torch.dtype = torch.float64) -> Operator:
    """A random sparse matrix with an empty row and an empty column."""
    dense = sp.random_array((M, N), density=0.4, rng=np.random.default_rng(seed)).toarray()
    dense[1], dense[:, 2] = 0, 0
    return Operator.from_scipy(sp.csr_array(dense), dtype=dtype)


def randn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The widths of every sparse product that runs."""
    seen: list[tuple[int, ...]] = []
    plain = spmm.multiply

    def count(pattern: Pattern, values: Tensor, x: Tensor) -> Tensor:
        seen.append((*pattern.shape, x.shape[1]))
        return plain(pattern, values, x)

    monkeypatch.setattr(spmm, "multiply", count)
    return seen


@given(graphs())
def test_product_and_gradients_equal_the_dense_ones(graph: Graph) -> None:
    A = graph.operator()
    v = A.values.clone().requires_grad_()
    x = graph.x.clone().requires_grad_()
    dense = torch.zeros(A.shape, dtype=torch.float64).index_put((A.pattern.row, A.pattern.col), v)
    weights = randn(*graph.x.shape)
    inputs = (x, v)
    for ours, theirs in (
        (A @ x, torch.from_numpy(graph.dense) @ x),
        (A.with_values(v) @ x, dense @ x),
        (A.with_values(v).T @ x, dense.T @ x),
    ):
        torch.testing.assert_close(ours, theirs)
        got = torch.autograd.grad((ours * weights).sum(), inputs, allow_unused=True, materialize_grads=True)
        want = torch.autograd.grad(
            (theirs * weights).sum(), inputs, allow_unused=True, materialize_grads=True, retain_graph=True
        )
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("large", [0, 10, 2**22])
@pytest.mark.parametrize("F", [0, 1, 3, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_width_and_either_kernel(
    F: int, dtype: torch.dtype, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spmm, "_LARGE", large)
    A = example(6, 4, dtype=dtype)
    x = randn(4, F).to(dtype)
    torch.testing.assert_close(A @ x, A.to_dense() @ x)


@pytest.mark.parametrize("large", [0, 2**22])
def test_a_signal_in_any_memory_order(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spmm, "_LARGE", large)
    A, x = example(), randn(8, 6)
    torch.testing.assert_close(A @ x.T, A.to_dense() @ x.T)
    torch.testing.assert_close(A @ x.T[:, ::2], A.to_dense() @ x.T[:, ::2])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_rounds_once(dtype: torch.dtype) -> None:
    A, x = example(dtype=dtype), randn(6, 5).to(dtype)
    want = (A.to(torch.float32) @ x.float()).to(dtype)
    assert torch.equal(A @ x, want)
    v = A.values.clone().requires_grad_()
    (A.with_values(v) @ x).float().square().sum().backward()
    w = A.values.float().requires_grad_()
    (A.to(torch.float32).with_values(w) @ x.float()).square().sum().backward()
    assert v.grad is not None
    assert v.grad.dtype == dtype
    torch.testing.assert_close(v.grad.float(), w.grad, rtol=0.05, atol=0.05)


def test_first_second_and_forward_derivatives() -> None:
    A = example(5, 4)
    v, x = A.values.clone().requires_grad_(), randn(4, 2).requires_grad_()
    both = (v, x)
    assert gradcheck(lambda x: A @ x, (x,), check_forward_ad=True)
    assert gradcheck(lambda v, x: A.with_values(v) @ x, both, check_forward_ad=True)
    assert gradgradcheck(lambda v, x: A.with_values(v) @ x, both, check_fwd_over_rev=True)
    assert gradcheck(
        lambda y, x: spmm._Sample.apply(y, x, A.pattern),
        (randn(5, 2).requires_grad_(), x),
        check_forward_ad=True,
    )


def test_function_transforms_agree_with_the_dense_product() -> None:
    A, x = example(), randn(6, 2)
    row, col = A.pattern.row, A.pattern.col

    def ours(v: Tensor) -> Tensor:
        return (A.with_values(v) @ (A.with_values(v) @ x)).tanh().sum()

    def dense(v: Tensor) -> Tensor:
        M = v.new_zeros(6, 6).index_put((row, col), v)
        return (M @ (M @ x)).tanh().sum()

    v, t = A.values, randn(A.nnz)
    for transform in (grad, hessian, jacfwd, jacrev):
        torch.testing.assert_close(transform(ours)(v), transform(dense)(v))
    torch.testing.assert_close(jvp(ours, (v,), (t,)), jvp(dense, (v,), (t,)))


def test_stacked_weights_run_one_product(products: list[tuple[int, ...]]) -> None:
    A, X, W = example(), randn(6, 4), randn(5, 4, 3)
    want = torch.stack([A.to_dense() @ (X @ w) for w in W])
    products.clear()
    torch.testing.assert_close(vmap(lambda w: A @ (X @ w))(W), want)
    assert products == [(6, 6, 15)]


def test_stacked_gradients_run_two_products(products: list[tuple[int, ...]]) -> None:
    A, X, W = example(), randn(6, 4), randn(5, 4, 3)
    D = A.to_dense()
    products.clear()
    got = vmap(grad(lambda w: (A @ (X @ w)).square().sum()))(W)
    assert products == [(6, 6, 15), (6, 6, 15)]
    torch.testing.assert_close(got, torch.stack([grad(lambda w: (D @ (X @ w)).square().sum())(w) for w in W]))


def test_gradient_of_a_stacked_sum_runs_two_products(products: list[tuple[int, ...]]) -> None:
    A, X = example(), randn(6, 4)
    W = randn(5, 4, 3).requires_grad_()
    D = A.to_dense()
    products.clear()
    vmap(lambda w: A @ (X @ w))(W).square().sum().backward()
    assert len(products) == 2
    got, W.grad = W.grad, None
    sum((D @ (X @ w)).square().sum() for w in W).backward()  # type: ignore[union-attr]
    torch.testing.assert_close(got, W.grad)


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_batched_values_and_signals(
    dims: tuple[int | None, int | None], products: list[tuple[int, ...]]
) -> None:
    A, R = example(), 4
    values = randn(A.nnz) if dims[0] is None else randn(R, A.nnz).movedim(0, dims[0])
    x = randn(6, 3) if dims[1] is None else randn(R, 6, 3).movedim(0, dims[1])

    def ours(v: Tensor, x: Tensor) -> Tensor:
        return A.with_values(v) @ x

    def pick(t: Tensor, dim: int | None, r: int) -> Tensor:
        return t if dim is None else t.select(dim, r)

    pairs = [(pick(values, dims[0], r), pick(x, dims[1], r)) for r in range(R)]
    want = torch.stack([ours(*pair) for pair in pairs])
    products.clear()
    torch.testing.assert_close(vmap(ours, in_dims=dims)(values, x), want)
    assert len(products) == 1
    derivative = grad(lambda v, x: ours(v, x).tanh().sum(), argnums=(0, 1))
    want_v, want_x = (
        torch.stack(parts) for parts in zip(*(derivative(*pair) for pair in pairs), strict=True)
    )
    got_v, got_x = vmap(derivative, in_dims=dims)(values, x)
    torch.testing.assert_close(got_v, want_v)
    torch.testing.assert_close(got_x, want_x)


def test_nested_vmap_runs_one_product(products: list[tuple[int, ...]]) -> None:
    A, X, W = example(), randn(6, 4), randn(2, 3, 4, 5)
    v = randn(2, A.nnz)
    want = torch.stack([torch.stack([A.to_dense() @ (X @ w) for w in outer]) for outer in W])
    gated = torch.stack(
        [
            torch.stack([A.with_values(u).to_dense() @ (X @ w) for w in outer])
            for u, outer in zip(v, W, strict=True)
        ]
    )
    products.clear()
    torch.testing.assert_close(vmap(vmap(lambda w: A @ (X @ w)))(W), want)
    assert products == [(6, 6, 30)]
    products.clear()
    got = vmap(lambda u, outer: vmap(lambda w: A.with_values(u) @ (X @ w))(outer))(v, W)
    torch.testing.assert_close(got, gated)
    assert len(products) == 1


@given(graphs(), st.integers(1, 3))
def test_vmap_on_any_graph(graph: Graph, R: int) -> None:
    A = graph.operator()
    x = randn(R, *graph.x.shape)
    v = randn(R, A.nnz)
    torch.testing.assert_close(vmap(lambda x: A @ x)(x), torch.from_numpy(graph.dense) @ x)
    torch.testing.assert_close(
        vmap(lambda v, x: A.with_values(v) @ x)(v, x),
        torch.stack([A.with_values(v[r]) @ x[r] for r in range(R)]),
    )


def test_vmap_over_one_dimensional_signals() -> None:
    A, x = example(), randn(3, 6)
    torch.testing.assert_close(vmap(lambda x: A @ x)(x), x @ A.to_dense().T)


@given(graphs())
def test_gather_product_is_the_same_product(graph: Graph) -> None:
    A = graph.operator()
    torch.testing.assert_close(spmm.gather_product(A.pattern, A.values, graph.x), A @ graph.x)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_cuda_equals_cpu(dtype: torch.dtype) -> None:
    # Sums of a few hundred products of size 1, rounded once or twice.
    rough = {torch.float16: 3e-2, torch.bfloat16: 3e-1}.get(dtype, 1e-5)
    tolerance = {"rtol": rough, "atol": rough}
    A, x = example(50, 40, dtype=dtype), randn(40, 17).to(dtype)
    v = A.values.clone().requires_grad_()
    signal = x.clone().requires_grad_()
    far = A.to("cuda")
    far_v = v.detach().cuda().requires_grad_()
    far_signal = x.cuda().requires_grad_()
    for ours, there in (
        (A @ signal, far @ far_signal),
        (A.with_values(v) @ signal, far.with_values(far_v) @ far_signal),
        (A.T @ (A @ signal), far.T @ (far @ far_signal)),
    ):
        torch.testing.assert_close(there.cpu(), ours, **tolerance)
        weights = randn(*ours.shape).to(dtype)
        inputs, far_inputs = (signal, v), (far_signal, far_v)
        got = torch.autograd.grad(
            (there * weights.cuda()).sum(), far_inputs, allow_unused=True, materialize_grads=True
        )
        want = torch.autograd.grad((ours * weights).sum(), inputs, allow_unused=True, materialize_grads=True)
        for g, w in zip(got, want, strict=True):
            torch.testing.assert_close(g.cpu(), w, rtol=tolerance["rtol"], atol=4 * tolerance["atol"])


@pytest.mark.gpu
def test_cuda_vmap_equals_cpu(products: list[tuple[int, ...]]) -> None:
    A, X, W = example(), randn(6, 4), randn(5, 4, 3)
    v = randn(5, A.nnz)

    def loss(A: Operator, X: Tensor, v: Tensor, w: Tensor) -> Tensor:
        return (A @ (A.with_values(v) @ (X @ w))).tanh().sum()

    want = vmap(grad(lambda v, w: loss(A, X, v, w), argnums=(0, 1)))(v, W)
    far, there = A.to("cuda"), X.cuda()
    got = vmap(grad(lambda v, w: loss(far, there, v, w), argnums=(0, 1)))(v.cuda(), W.cuda())
    for g, w in zip(got, want, strict=True):
        torch.testing.assert_close(g.cpu(), w)
    products.clear()
    vmap(lambda w: far @ (there @ w))(W.cuda())
    assert products == [(6, 6, 15)]


@pytest.mark.gpu
def test_cuda_edge_cases() -> None:
    for N, F in ((0, 0), (0, 2), (3, 0), (3, 2)):
        empty = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=N).to("cuda")
        x = torch.ones(N, F, device="cuda", requires_grad=True)
        out = matrix(empty, "L_hat_sym") @ x + empty @ x + empty.complement() @ x
        out.sum().backward()
        assert out.shape == (N, F)
    A = example().to("cuda")
    ones = torch.ones(6, 1, dtype=A.dtype, device="cuda")
    assert torch.equal(A.complement().to("cpu").to("cuda") @ ones, A.complement() @ ones)
    built = Operator.from_edge_index(torch.tensor([[0, 0, 1], [1, 1, 0]], device="cuda"), num_nodes=3)
    torch.testing.assert_close(built.to_dense().cpu(), torch.tensor([[0.0, 1, 0], [2, 0, 0], [0, 0, 0]]))
