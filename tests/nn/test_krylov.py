"""The Krylov layer against the basis it spans, in both ways of computing it, and against analytic filters."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import Graph, graphs

from allpass.errors import InputError
from allpass.graph import krylov_basis, krylov_coefficients, matrix
from allpass.nn import KrylovConv


@settings(max_examples=25)
@given(
    graph=graphs(min_nodes=1), blocks=st.integers(1, 4), F=st.integers(1, 4), out_channels=st.integers(1, 4)
)
def test_both_ways_give_the_basis_times_the_weight(
    graph: Graph, blocks: int, F: int, out_channels: int
) -> None:
    torch.manual_seed(graph.num_nodes)
    conv = KrylovConv(F, out_channels, blocks=blocks).double()
    x = torch.randn(graph.num_nodes, F, dtype=torch.float64, requires_grad=True)
    A = graph.operator()
    wanted = krylov_basis(matrix(A, "A_hat_rw"), x, blocks) @ conv.weight + conv.bias
    weight = torch.randn_like(wanted)
    for features in (x, x.detach().to_sparse_csr()):
        found = conv(features, A)
        torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)
        grads = [
            torch.autograd.grad((y * weight).sum(), conv.weight, retain_graph=True) for y in (found, wanted)
        ]
        torch.testing.assert_close(*grads, rtol=1e-12, atol=1e-12)


@given(graph=graphs(min_nodes=2, max_features=0))
def test_it_holds_every_analytic_filter(graph: Graph) -> None:
    A = graph.operator().symmetrized()
    L = matrix(A, "A_hat_sym")
    x = torch.randn(graph.num_nodes, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    coefficients, blocks = krylov_coefficients(L, x, torch.exp)
    conv = KrylovConv(2, 2, blocks=blocks, filter="A_hat_sym", bias=False).double()
    with torch.no_grad():
        conv.weight.copy_(coefficients)
    torch.testing.assert_close(conv(x, A), torch.linalg.matrix_exp(L.to_dense()) @ x, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("blocks", "F", "out_channels"), [(1, 5, 3), (3, 5, 8), (7, 2, 2)])
def test_it_has_m_times_f_times_o_weights(blocks: int, F: int, out_channels: int) -> None:
    conv = KrylovConv(F, out_channels, blocks=blocks, bias=False)
    assert sum(p.numel() for p in conv.parameters()) == blocks * F * out_channels
    assert KrylovConv(F, out_channels, blocks=blocks).bias.numel() == out_channels


def test_weights_and_biases_begin_uniform_in_the_root_of_the_width() -> None:
    torch.manual_seed(0)
    conv = KrylovConv(40, 100, blocks=5)
    for parameter in (conv.weight, conv.bias):
        assert 0.09 < parameter.abs().max() <= 0.1


def test_one_block_does_not_look_at_the_graph() -> None:
    conv, x = KrylovConv(3, 2, blocks=1), torch.rand(2, 3)
    torch.testing.assert_close(conv(x, torch.tensor([[0], [1]])), x @ conv.weight + conv.bias)


def test_blocks_are_counted() -> None:
    with pytest.raises(InputError, match="Got 0 blocks"):
        KrylovConv(3, 2, blocks=0)
    assert "blocks=3" in repr(KrylovConv(3, 2))
