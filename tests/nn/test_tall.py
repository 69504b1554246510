from __future__ import annotations

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, jvp, vmap

from allpass.nn import tall
from allpass.nn.linear import times
from allpass.nn.tall import Product, SumOverNodes, replicated


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(tall, "ROWS", 4)


def numbers(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def plain_sum(x, y):
    return x.mT @ y


PAIRS = [(Product, torch.matmul, (11, 3), (3, 2)), (SumOverNodes, plain_sum, (11, 3), (11, 2))]


@pytest.mark.parametrize(("ours", "plain", "left", "right"), PAIRS)
def test_derivatives_of_all_kinds(ours, plain, left, right):
    torch.manual_seed(0)
    x, y = numbers(*left).requires_grad_(), numbers(*right).requires_grad_()
    torch.testing.assert_close(ours.apply(x, y), plain(x, y))
    assert gradcheck(ours.apply, (x, y), check_forward_ad=True)
    assert gradgradcheck(ours.apply, (x, y))
    tangents = torch.randn_like(x), torch.randn_like(y)
    torch.testing.assert_close(jvp(ours.apply, (x, y), tangents), jvp(plain, (x, y), tangents))


@pytest.mark.parametrize(("ours", "plain", "left", "right"), PAIRS)
@pytest.mark.parametrize("dims", [(0, 0), (1, 0), (2, 1), (None, 0), (0, None), (None, 2)])
def test_replicas(ours, plain, left, right, dims, few_rows):
    torch.manual_seed(0)
    x, y = (
        numbers(*shape) if dim is None else numbers(4, *shape).movedim(0, dim)
        for shape, dim in zip((left, right), dims, strict=True)
    )

    def results(product):
        def loss(x, y):
            return product(x.tanh(), y.tanh()).square().sum()

        def of_each(x, y):  # a gradient within a gradient
            return grad(loss, 1)(x, y).square().sum()

        yield vmap(product, dims)(x, y)
        yield from vmap(grad(loss, (0, 1)), dims)(x, y)
        yield from vmap(grad(of_each, (0, 1)), dims)(x, y)
        yield from grad(lambda x, y: vmap(loss, dims)(x, y).sum(), (0, 1))(x, y)

    for found, wanted in zip(results(ours.apply), results(plain), strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("rows", [0, 1, 4, 7, 8, 9, 30, 31])
def test_parts_of_any_number_of_nodes(rows, few_rows):
    torch.manual_seed(rows)
    x, y = numbers(2, rows, 3), numbers(2, rows, 5)
    torch.testing.assert_close(vmap(SumOverNodes.apply)(x, y), x.mT @ y)


def test_the_signal_keeps_its_nodes_first():
    found, dim = Product.vmap(type("Info", (), {"batch_size": 2}), (1, 0), numbers(7, 2, 3), numbers(2, 3, 5))
    assert dim == 1
    assert found.shape == (7, 2, 5)
    assert found.is_contiguous()


def test_a_cpu_and_a_single_network_use_the_plain_product(monkeypatch):
    monkeypatch.setattr(Product, "forward", lambda *_: pytest.fail("not plain"))
    x, w = torch.randn(600, 3), torch.randn(2, 3, 2)
    torch.testing.assert_close(vmap(times, (None, 0))(x, w), x @ w)
    torch.testing.assert_close(replicated(x, w[0]), x @ w[0])


@pytest.mark.gpu
def test_on_a_gpu_replicas_take_it(monkeypatch):
    torch.manual_seed(0)
    x, w = (torch.randn(2, *shape, device="cuda", dtype=torch.float64) for shape in ((1000, 3), (3, 2)))
    took = []
    by_parts = tall._by_parts
    monkeypatch.setattr(tall, "_by_parts", lambda *both: took.append(1) or by_parts(*both))
    found = vmap(grad(lambda w, x: times(x, w).square().sum()))(w, x)
    torch.testing.assert_close(found, 2 * x.mT @ (x @ w))
    assert took
