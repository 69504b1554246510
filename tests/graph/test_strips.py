"""Strips give what the whole product gives, forward and backward, and are used only where rows are long."""

from __future__ import annotations

import pytest
import torch

from allpass.graph import Operator
from allpass.graph.strips import Strips


def long_rows(rows: int = 3, columns: int = 5000, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, columns, generator=generator, dtype=torch.float64)
    x[:, 1024:2048] = 0  # a strip without entries
    x[1] = 0  # a row without entries
    return x * (torch.rand(rows, columns, generator=generator) < 0.5)


@pytest.mark.parametrize("width", [64, 192, 193, 400])
def test_the_product_is_that_of_the_dense_matrix(width: int) -> None:
    dense = long_rows()
    op = Operator.from_sparse(dense.to_sparse_csr())
    assert op.pattern.strips is not None
    x = torch.randn(5000, width, dtype=torch.float64)
    torch.testing.assert_close(op @ x, dense @ x, rtol=1e-12, atol=1e-10)
    torch.testing.assert_close(
        Strips(op.pattern).multiply(2 * op.values, x), 2 * dense @ x, rtol=1e-12, atol=1e-10
    )


def test_the_gradient_of_sparse_features_goes_through_strips_and_is_exact() -> None:
    dense = long_rows().T.contiguous()
    X = Operator.from_sparse(dense.to_sparse_csr())
    values = X.values.clone().requires_grad_()
    W = torch.randn(3, 70, dtype=torch.float64, requires_grad=True)
    G = torch.randn(5000, 70, dtype=torch.float64)
    for op in (X, X.with_values(values)):
        (grad,) = torch.autograd.grad(op @ W, W, G)
        torch.testing.assert_close(grad, dense.T @ G, rtol=1e-12, atol=1e-10)
    assert X.T.pattern.strips is not None


def test_graphs_and_short_matrices_are_not_cut() -> None:
    path = torch.stack([torch.arange(4999), torch.arange(1, 5000)])
    assert Operator.from_edge_index(path).pattern.strips is None
    assert Operator.from_sparse(torch.rand(3, 4000).to_sparse_csr()).pattern.strips is None
