"""ACM-GCNII against GCNII: each channel is that layer with a filter of its own."""

from __future__ import annotations

from typing import get_args

import pytest
import torch

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.graph.linear import identity_like
from allpass.nn import ACMGCN2Conv, GCN2Conv
from allpass.nn.gcnii import Weights
from allpass.testing import examples


@pytest.mark.parametrize("weights", get_args(Weights))
@pytest.mark.parametrize("high", [None, "A_hat_rw"])
def test_each_channel_is_gcnii_with_its_filter(weights: Weights, high: str | None) -> None:
    example = examples()[0]
    layer = ACMGCN2Conv(5, layer=2, weights=weights, high=high).double()
    initial = example.x.roll(1, 0)
    seen = []
    layer.mixing.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    layer(example.x, example.operator, initial=initial)
    low = matrix(example.operator, "A_hat_rw")
    for place, found in enumerate((low, low if high else low.complement(), identity_like(low))):
        plain = GCN2Conv(5, layer=2, weights=weights, filter=lambda _, found=found: found).double()
        with torch.no_grad():
            own = slice(5 * place, 5 * place + 5)
            plain.weight.copy_(layer.weight[:, own])
            if plain.initial_weight is not None:
                plain.initial_weight.copy_(layer.initial_weight[:, own])
        expected = plain(example.x, example.operator, initial=initial).relu()
        torch.testing.assert_close(seen[0][:, place], expected)
    assert layer.mixing_weights.shape == (13, 3)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="alpha from 0 to 1"):
        ACMGCN2Conv(5, alpha=1.5)
