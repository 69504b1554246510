r"""X W for R replicas on a GPU: signals stay in the layout of sparse products, and gradients of W are sums of parts.

Sparse products read R replicas of a signal as rows of R F numbers, ``[N, R, F]``. ``vmap`` would put the replicas
first, and every layer would copy its signal there and back. Here both products keep the nodes first:

.. math::
    Y = X W, \qquad \partial X = \partial Y \, W^\top, \qquad \partial W = X^\top \partial Y .

The last one is a small matrix and a long sum over nodes. The library splits a single product along such a sum, but not
a batch of them: a few blocks of the device would walk through all nodes while the rest waits. So the nodes are dealt
out to parts, whose products are added up.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from allpass.graph.functions import call, is_plain

ROWS = 256
"""Nodes of a part: enough that adding the parts up costs little, few enough that many parts are at work."""

_SMALL = 2**16  # entries of W up to which its gradient alone does not fill a device


def replicated(x: Tensor, weight: Tensor) -> Tensor:
    """``x @ weight`` for x ``[N, F]``, in a way that suits R replicas where there are some.

    Example:
        >>> replicated(torch.ones(4, 3), torch.ones(3, 2)).sum().item()
        24.0
    """
    if x.is_cuda and x.dim() == 2 and torch._C._are_functorch_transforms_active():
        return call(Product, x, weight)
    return x @ weight


class _OfTwo(Function):
    """A product of two tensors, which are all that its derivatives need."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)


class Product(_OfTwo):
    """``x @ weight`` for x ``[N, F]`` and weight ``[F, C]``."""

    @staticmethod
    def forward(x: Tensor, weight: Tensor) -> Tensor:
        return x @ weight

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        of_x, of_weight = ctx.needs_input_grad
        d_x = call(Product, grad, weight.mT) if of_x else None
        return d_x, call(SumOverNodes, x, grad) if of_weight else None

    @staticmethod
    def jvp(ctx: Any, d_x: Tensor | None, d_weight: Tensor | None) -> Tensor:
        return _product_rule(Product, ctx, d_x, d_weight)

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, int | None], x: Tensor, weight: Tensor
    ) -> tuple[Tensor, int]:
        of_x, of_weight = in_dims
        if of_x is None:
            assert of_weight is not None
            columns = call(Product, x, weight.movedim(of_weight, 1).flatten(1))  # [N, R C]
            return columns.unflatten(1, (info.batch_size, -1)), 1
        if of_weight is None:
            rows = call(Product, x.movedim(of_x, 1).flatten(0, 1), weight)  # [N R, C]
            return rows.unflatten(0, (-1, info.batch_size)), 1
        x, weight = x.movedim(of_x, 0), weight.movedim(of_weight, 0)
        if not is_plain(x, weight):
            return torch.bmm(x, weight), 0
        found = x.new_empty(x.shape[1], x.shape[0], weight.shape[2])
        torch.bmm(x, weight, out=found.movedim(1, 0))
        return found, 1


class SumOverNodes(_OfTwo):
    """``x.T @ y`` for x ``[N, F]`` and y ``[N, C]``: the derivative of a product in its weight."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Tensor:
        return x.mT @ y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, y = ctx.saved_tensors
        of_x, of_y = ctx.needs_input_grad
        return call(Product, y, grad.mT) if of_x else None, call(Product, x, grad) if of_y else None

    @staticmethod
    def jvp(ctx: Any, d_x: Tensor | None, d_y: Tensor | None) -> Tensor:
        return _product_rule(SumOverNodes, ctx, d_x, d_y)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, int | None], x: Tensor, y: Tensor) -> tuple[Tensor, int]:
        of_x, of_y = in_dims
        if of_x is None:
            assert of_y is not None
            columns = call(SumOverNodes, x, y.movedim(of_y, 1).flatten(1))  # [F, R C]
            return columns.unflatten(1, (info.batch_size, -1)), 1
        if of_y is None:
            rows = call(SumOverNodes, x.movedim(of_x, 1).flatten(1), y)  # [R F, C]
            return rows.unflatten(0, (info.batch_size, -1)), 0
        return _by_parts(x.movedim(of_x, 1), y.movedim(of_y, 1)), 0


def _product_rule(
    function: type[Function], ctx: Any, d_left: Tensor | None, d_right: Tensor | None
) -> Tensor:
    left, right = ctx.saved_tensors
    terms = [] if d_left is None else [call(function, d_left, right)]
    terms += [] if d_right is None else [call(function, left, d_right)]
    return sum(terms[1:], terms[0])


def _by_parts(x: Tensor, y: Tensor) -> Tensor:
    """``x[:, r].T @ y[:, r]`` for every r, ``[R, F, C]``, of x ``[N, R, F]`` and y ``[N, R, C]``."""
    N, R, F = x.shape
    parts = max(N // ROWS, 1) if F * y.shape[2] <= _SMALL else 1
    each, left = divmod(N, parts)
    (x, x_left), (y, y_left) = (both.split([parts * each, left]) for both in (x, y))
    # Node n goes to part n modulo the number of parts: parts and replicas are then one axis of the memory.
    x, y = (
        both.unflatten(0, (each, parts)).flatten(1, 2).movedim(1, 0) for both in (x, y)
    )  # [parts R, each, F]
    total = torch.bmm(x.mT, y).unflatten(0, (parts, R)).sum(0)
    return total + torch.bmm(x_left.permute(1, 2, 0), y_left.movedim(1, 0)) if left else total
