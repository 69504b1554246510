"""The schemes against NumPy's polynomials, the base of the filters, and SGC against PyG."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.nn import SGConv as PyGSGConv

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.nn import APPNP, BernFilter, GPRFilter, SGConv
from allpass.nn.polynomial import clenshaw, horner
from allpass.testing import examples

FILTERS = [APPNP(4), GPRFilter(4, init="random"), BernFilter(4, init="ramp")]


@pytest.mark.parametrize(
    ("scheme", "reference"),
    [(horner, np.polynomial.polynomial.polyval), (clenshaw, np.polynomial.chebyshev.chebval)],
)
@given(
    terms=st.lists(st.floats(-2, 2), min_size=1, max_size=12),
    points=st.lists(st.floats(-1, 1), min_size=1, max_size=5),
)
def test_a_scheme_is_its_polynomial_with_one_product_a_degree(scheme, reference, terms, points) -> None:
    t = torch.tensor(points, dtype=torch.float64)
    products = []

    def apply(z):
        products.append(z)
        return t * z

    found = scheme(apply, lambda k: terms[k] * torch.ones_like(t), len(terms) - 1)
    np.testing.assert_allclose(found, reference(t.numpy(), terms), rtol=1e-12, atol=1e-12)
    assert len(products) == len(terms) - 1


@pytest.mark.parametrize("layer", FILTERS, ids=lambda layer: type(layer).__name__)
def test_a_filter_multiplies_every_frequency_by_its_response(layer) -> None:
    example = examples()[0]
    values, vectors = torch.linalg.eigh(matrix(example.operator, layer.filter).to_dense())
    layer = layer.double()
    wanted = vectors @ (layer.response(values)[:, None] * (vectors.T @ example.x))
    torch.testing.assert_close(layer(example.x, example.operator), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layer", FILTERS, ids=lambda layer: type(layer).__name__)
def test_the_gradient_needs_the_signal_alone(layer) -> None:
    example, kept = examples()[0], set()
    x = example.x.clone().requires_grad_()

    def pack(tensor):
        if tensor.shape == x.shape:
            kept.add(tensor.data_ptr())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        layer.double()(x, example.operator)
    assert kept <= {x.data_ptr()}


@pytest.mark.parametrize("hops", [0, 1, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_sgc_is_pygs(hops: int, bias: bool) -> None:
    example = examples()[0]
    ours = SGConv(5, 3, hops=hops, filter="A_hat_sym", bias=bias).double()
    theirs = PyGSGConv(5, 3, K=hops, bias=bias).double()
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.weight.T)
        if bias:
            theirs.lin.bias.copy_(torch.nn.init.normal_(ours.bias))
    torch.testing.assert_close(ours(example.x, example.edge_index), theirs(example.x, example.edge_index))


def test_sgc_has_one_weight_and_no_bias() -> None:
    assert {name: list(p.shape) for name, p in SGConv(5, 3).named_parameters()} == {"weight": [5, 3]}


def test_a_negative_degree_is_refused() -> None:
    with pytest.raises(InputError, match="degree -1"):
        SGConv(5, 3, hops=-1)
    with pytest.raises(InputError, match="degree -2"):
        APPNP(-2)
