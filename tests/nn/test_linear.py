from __future__ import annotations

import pytest
import torch
from torch import nn

from allpass.errors import InputError
from allpass.nn import Linear


@pytest.mark.parametrize("bias", [True, False])
def test_is_torchs_linear_with_the_weight_transposed(bias):
    ours, theirs = Linear(5, 3, bias=bias), nn.Linear(5, 3, bias=bias)
    with torch.no_grad():
        theirs.weight.copy_(ours.weight.T)
        if bias:
            theirs.bias.copy_(ours.bias)
    x = torch.randn(7, 5)
    torch.testing.assert_close(ours(x), theirs(x))
    assert sum(p.numel() for p in ours.parameters()) == 15 + 3 * bias


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_sparse_features_and_their_gradients(layout):
    torch.manual_seed(0)
    layer, x = Linear(5, 3).double(), torch.randn(7, 5).relu().double()
    torch.testing.assert_close(layer(x.to_sparse(layout=layout)), layer(x))
    dense, sparse = (
        torch.autograd.grad(layer(form).square().sum(), [*layer.parameters()])
        for form in (x, x.to_sparse(layout=layout))
    )
    for ours, wanted in zip(sparse, dense, strict=True):
        torch.testing.assert_close(ours, wanted)


def test_begins_as_torchs_linear():
    torch.manual_seed(0)
    ours, theirs = Linear(400, 300), nn.Linear(400, 300)
    for mine, wanted in ((ours.weight, theirs.weight), (ours.bias, theirs.bias)):
        assert float(mine.detach().abs().max()) <= 400**-0.5
        assert float(mine.detach().std()) == pytest.approx(float(wanted.detach().std()), rel=0.1)


def test_other_beginnings():
    assert torch.equal(Linear(2, 3, init=nn.init.ones_).weight, torch.ones(2, 3))
    assert float(Linear(100, 300, init="glorot").weight.detach().abs().max()) <= (6 / 400) ** 0.5
    assert Linear(0, 3)(torch.zeros(2, 0)).shape == (2, 3)
    assert str(Linear(2, 3, bias=False)) == "Linear(2, 3, bias=False)"


def test_whole_numbers_are_refused():
    with pytest.raises(InputError, match=r"features of torch\.int64.*call \.float\(\)"):
        Linear(3, 2)(torch.ones(4, 3, dtype=torch.int64))
