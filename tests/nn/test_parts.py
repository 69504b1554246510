"""Features in parts: their product, and the order in which a filter and a weight meet them."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.nn.parts import as_parts, filter_parts, multiply_parts, narrow
from allpass.testing import examples

WIDTHS = (4, 3)


def parts_of(columns: int, *, sparse: bool) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(columns)
    drawn = [torch.randn(13, width, generator=generator, dtype=torch.float64) for width in WIDTHS[:columns]]
    return as_parts([drawn[0].to_sparse_csr(), *drawn[1:]] if sparse else drawn, sum(WIDTHS[:columns]))


@pytest.mark.parametrize("width", [2, 9])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("example", examples(), ids=str)
def test_products_are_those_of_the_concatenation(example, count: int, sparse: bool, width: int) -> None:
    parts = parts_of(count, sparse=sparse)
    whole = torch.cat([part if isinstance(part, torch.Tensor) else part.to_dense() for part in parts], dim=1)
    weight = torch.randn(whole.shape[1], width, dtype=torch.float64, requires_grad=True)
    low = matrix(example.operator, "A_hat_rw")
    for found, wanted in (
        (multiply_parts(parts, weight), whole @ weight),
        (filter_parts(low, parts, weight), low.to_dense() @ whole @ weight),
    ):
        torch.testing.assert_close(found, wanted)
        direction = torch.randn_like(wanted)
        torch.testing.assert_close(
            torch.autograd.grad(found, weight, direction), torch.autograd.grad(wanted, weight, direction)
        )


def test_dense_features_of_few_columns_are_narrow() -> None:
    dense = parts_of(2, sparse=False)
    assert narrow(dense, 8)
    assert not narrow(dense, 7)
    assert not narrow(parts_of(2, sparse=True), 8)


@pytest.mark.parametrize("width", [2, 9])
def test_features_of_another_precision_are_refused_in_both_orders(width: int) -> None:
    low = matrix(examples()[0].operator, "A_hat_rw")
    with pytest.raises(InputError, match=r"Got features of torch.float32 in a layer of torch.float64"):
        filter_parts(low, [torch.ones(13, 4)], torch.ones(4, width, dtype=torch.float64))


def test_parts_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(InputError, match=r"Got features of shape \[13, 4\], \[13, 3\] for a layer of 8"):
        as_parts([torch.ones(13, 4), torch.ones(13, 3)], 8)
