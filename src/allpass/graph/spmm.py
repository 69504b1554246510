r"""Sparse times dense, with exact gradients of any order and rules for ``torch.func.vmap``.

Two products are each other's derivatives, so each is written in terms of the other:

.. math::
    Y = A(v) X, \qquad
    \partial X = A(v)^\top \partial Y, \qquad
    \partial v_e = \langle \partial Y_{i(e)}, X_{j(e)} \rangle .

Under ``vmap`` the replica axis never becomes a loop. When only X is batched, R replicas become R times as many
columns of one product; when the values are batched, the R matrices become one block-diagonal matrix.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from allpass.graph.functions import call, is_plain
from allpass.graph.pattern import Pattern

# From this many entries of the product on (R replicas make it wide) torch's row reduction beats the library's CSR
# product on a CPU, by a third at four times the size; below, the library is up to twice as fast on dense rows.
_LARGE = 2**22

# torch says once that CSR is in beta; the reader of a user's log need not care.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.zeros(1, dtype=torch.int32), torch.zeros(0, dtype=torch.int32), [], (0, 0))


def multiply(pattern: Pattern, values: Tensor, x: Tensor) -> Tensor:
    """A(values) x for x of shape [N] or [N, F], without gradients."""
    if x.is_cuda:
        return pattern.filled(values) @ x
    if x.dtype in (torch.float16, torch.bfloat16):
        return multiply(pattern, values.float(), x.float()).to(x.dtype)
    bags = x.dtype == torch.float32 and x.dim() == 2 and x.shape[1] and x.device.type == "cpu"
    if bags and not torch.is_inference_mode_enabled():  # torch refuses them there
        return _bags(pattern, values, x)
    matrix = pattern.filled(values)
    if x.dim() == 2 and pattern.shape[0] * x.shape[1] >= _LARGE:
        return torch.sparse.mm(matrix, x.contiguous(), "sum")
    return matrix @ x


def _bags(pattern: Pattern, values: Tensor, x: Tensor) -> Tensor:
    """The same as weighted sums of rows of x, for which torch has kernels two to four times as fast in float32."""
    if x.shape[0] != pattern.shape[1]:  # rows too many would not be noticed
        raise RuntimeError(f"a matrix of {pattern.shape[1]} columns times {x.shape[0]} rows")
    if not pattern.nnz:
        return x.new_zeros(pattern.shape[0], x.shape[1])
    rows = x.detach().contiguous()  # for rows that require a gradient torch would prepare one
    return torch.embedding_bag(rows, pattern.col, pattern.crow, False, 0, False, values, True)[0]


def _sample(pattern: Pattern, y: Tensor, x: Tensor) -> Tensor:
    """The entries of y x^T at the places of the pattern, without gradients."""
    if x.shape[1] == 0 or pattern.nnz == 0:
        return y.new_zeros(pattern.nnz)
    if y.dtype in (torch.float16, torch.bfloat16):
        return _sample(pattern, y.float(), x.float()).to(y.dtype)
    places = pattern.filled(y.new_zeros(pattern.nnz))
    return torch.sparse.sampled_addmm(places, y.contiguous(), x.contiguous().mT, beta=0.0).values()


def _batch_first(x: Tensor, dim: int | None, size: int) -> Tensor:
    return x.movedim(dim, 0) if dim is not None else x.expand(size, *x.shape)


def _to_columns(x: Tensor, dim: int) -> Tensor:
    """[R, N, F] (batched at ``dim``) to [N, R F]."""
    return x.movedim(dim, 1).flatten(1)


class _FixedProduct(Function):
    """``op @ x`` for an operator whose values need no gradient; the transpose is kept by the operator."""

    @staticmethod
    def forward(x: Tensor, op: Any) -> Tensor:
        return multiply(op.pattern, op.values, x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.op = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return call(_FixedProduct, grad, ctx.op.T), None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, _: None) -> Tensor:
        return call(_FixedProduct, tangent, ctx.op)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], x: Tensor, op: Any) -> tuple[Tensor, int]:
        columns = call(_FixedProduct, _to_columns(x, in_dims[0]), op)  # [M, R F]
        return columns.unflatten(1, (info.batch_size, -1)) if columns.numel() else _empty(columns, info), 1


class _Product(Function):
    """``A(values) @ x``, differentiable in both."""

    @staticmethod
    def forward(values: Tensor, x: Tensor, pattern: Pattern) -> Tensor:
        return multiply(pattern, values, x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        values, x, ctx.pattern = inputs
        ctx.save_for_backward(values, x)
        ctx.save_for_forward(values, x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        values, x = ctx.saved_tensors
        d_values = call(_Sample, grad, x, ctx.pattern) if ctx.needs_input_grad[0] else None
        d_x = None
        if ctx.needs_input_grad[1]:
            transposed, order = ctx.pattern.transposition
            d_x = call(_Product, values.index_select(0, order), grad, transposed)
        return d_values, d_x, None

    @staticmethod
    def jvp(ctx: Any, d_values: Tensor | None, d_x: Tensor | None, _: None) -> Tensor:
        values, x = ctx.saved_tensors
        terms = []
        if d_values is not None:
            terms.append(call(_Product, d_values, x, ctx.pattern))
        if d_x is not None:
            terms.append(call(_Product, values, d_x, ctx.pattern))
        return sum(terms[1:], terms[0])

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[Any, ...], values: Tensor, x: Tensor, pattern: Pattern
    ) -> tuple[Tensor, int]:
        R = info.batch_size
        if in_dims[0] is None:
            columns = call(_Product, values, _to_columns(x, in_dims[1]), pattern)
            return columns.unflatten(1, (R, -1)) if columns.numel() else _empty(columns, info), 1
        stacked = call(
            _Product,
            _batch_first(values, in_dims[0], R).flatten(),
            _batch_first(x, in_dims[1], R).flatten(0, 1),  # [R N, F]
            pattern.block_diagonal(R),
        )
        return stacked.unflatten(0, (R, pattern.shape[0])), 0


class _Sample(Function):
    """``<y_i, x_j>`` at the places of a pattern: the derivative of a product in its values."""

    @staticmethod
    def forward(y: Tensor, x: Tensor, pattern: Pattern) -> Tensor:
        return _sample(pattern, y, x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        y, x, ctx.pattern = inputs
        ctx.save_for_backward(y, x)
        ctx.save_for_forward(y, x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        y, x = ctx.saved_tensors
        d_y = call(_Product, grad, x, ctx.pattern) if ctx.needs_input_grad[0] else None
        d_x = None
        if ctx.needs_input_grad[1]:
            transposed, order = ctx.pattern.transposition
            d_x = call(_Product, grad.index_select(0, order), y, transposed)
        return d_y, d_x, None

    @staticmethod
    def jvp(ctx: Any, d_y: Tensor | None, d_x: Tensor | None, _: None) -> Tensor:
        y, x = ctx.saved_tensors
        terms = []
        if d_y is not None:
            terms.append(call(_Sample, d_y, x, ctx.pattern))
        if d_x is not None:
            terms.append(call(_Sample, y, d_x, ctx.pattern))
        return sum(terms[1:], terms[0])

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[Any, ...], y: Tensor, x: Tensor, pattern: Pattern
    ) -> tuple[Tensor, int]:
        R = info.batch_size
        entries = call(
            _Sample,
            _batch_first(y, in_dims[0], R).flatten(0, 1),
            _batch_first(x, in_dims[1], R).flatten(0, 1),
            pattern.block_diagonal(R),
        )
        return entries.unflatten(0, (R, pattern.nnz)), 0


def _empty(columns: Tensor, info: Any) -> Tensor:
    """[M, R F] without entries as [M, R, F]; ``unflatten`` cannot infer a length from nothing."""
    return columns.new_zeros(columns.shape[0], info.batch_size, columns.shape[1] // max(info.batch_size, 1))


def fixed_product(op: Any, x: Tensor) -> Tensor:
    """``op @ x`` for x ``[N, F]`` and constant values."""
    return multiply(op.pattern, op.values, x) if is_plain(x) else call(_FixedProduct, x, op)


def product(pattern: Pattern, values: Tensor, x: Tensor) -> Tensor:
    """``A(values) @ x`` for x ``[N, F]``, differentiable and batchable in both."""
    return call(_Product, values, x, pattern)


def sampled_product(pattern: Pattern, y: Tensor, x: Tensor) -> Tensor:
    """``<y_i, x_j>`` at the places of a pattern, ``[E]``, for y ``[M, F]`` and x ``[N, F]``; differentiable in both."""
    return call(_Sample, y, x, pattern)


def gather_product(pattern: Pattern, values: Tensor, x: Tensor) -> Tensor:
    """The same by gather and ``index_add``: slower, but what ``torch.export`` (``strict=False``) can write down."""
    messages = values.unsqueeze(1) * x.index_select(0, pattern.col.long())
    return x.new_zeros(pattern.shape[0], x.shape[1]).index_add(0, pattern.row, messages)
