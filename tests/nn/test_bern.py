"""The Bernstein filter: its response, its beginnings, and how stable the change of basis is."""

from __future__ import annotations

from math import comb

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BPoly

from allpass.errors import InputError
from allpass.nn import BernFilter
from allpass.testing import examples


@given(theta=st.lists(st.floats(-2, 2), min_size=1, max_size=16))
def test_its_response_is_scipys_bernstein_polynomial(theta: list[float]) -> None:
    layer = BernFilter(len(theta) - 1).double()
    with torch.no_grad():
        layer.theta.copy_(torch.tensor(theta))
    frequencies = torch.linspace(0, 2, 21, dtype=torch.float64)  # eigenvalues of L = I - S
    wanted = BPoly([[max(float(t), 0.0)] for t in layer.theta.detach()], [0, 2])(frequencies.numpy())
    found = layer.response(1 - frequencies).detach()
    torch.testing.assert_close(found, torch.from_numpy(wanted), rtol=1e-12, atol=1e-12)
    assert layer.coefficients().abs().max() <= 2 * layer.theta.clamp(min=0).max() + 1e-12


@pytest.mark.parametrize("degree", [10, 30])
def test_complex_eigenvalues_cost_no_digits(degree: int) -> None:
    """On a directed cycle of four nodes S is a rotation: its eigenvalues are the four powers of i."""
    layer = BernFilter(degree, init="ramp").double()
    found = layer(torch.eye(4, dtype=torch.float64)[:, :1], torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]))
    wanted = [
        sum(
            float(t) * comb(degree, k) * ((1 + z) / 2) ** (degree - k) * ((1 - z) / 2) ** k
            for k, t in enumerate(layer.theta.detach())
        )
        for z in (1, -1j, -1, 1j)
    ]
    response = torch.fft.fft(found[:, 0].detach())
    torch.testing.assert_close(response, torch.tensor(wanted, dtype=torch.complex128), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("degree", [0, 1, 10, 50])
def test_ones_let_every_frequency_pass_in_float32_too(degree: int) -> None:
    example = examples()[0]
    x = example.x.float()
    found = BernFilter(degree, init="ones")(x, example.edge_index)
    torch.testing.assert_close(found, x, rtol=1e-5, atol=1e-5)


def test_a_ramp_falls_from_low_to_high_frequencies() -> None:
    response = BernFilter(4, init="ramp").response(torch.tensor([1.0, 0.0, -1.0]))
    torch.testing.assert_close(response.detach(), torch.tensor([1.0, 0.6, 0.2]))


def test_an_unknown_beginning_is_refused() -> None:
    with pytest.raises(InputError, match="Expected one of ones, ramp"):
        BernFilter(init="zeros")
