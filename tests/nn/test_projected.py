"""A linear map before a layer."""

from __future__ import annotations

import torch

from allpass.nn import APPNP, Projected
from allpass.testing import examples


def test_it_maps_and_then_applies_the_layer() -> None:
    example = examples()[1]
    conv = Projected(5, 3, APPNP(2), bias=False).double()
    assert [name for name, _ in conv.named_parameters()] == ["linear.weight"]
    wanted = APPNP(2)(example.x @ conv.linear.weight, example.operator)
    torch.testing.assert_close(conv(example.x, example.edge_index, example.edge_weight), wanted)
