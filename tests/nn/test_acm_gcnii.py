"""ACM-GCNII against GCNII: with the low-pass channel alone they are the same layer."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.nn import ACMGCN2Conv, GCN2Conv
from allpass.testing import examples


@pytest.mark.parametrize("separate", [False, True])
def test_its_low_pass_channel_is_gcnii(separate: bool) -> None:
    example = examples()[0]
    layer = ACMGCN2Conv(5, layer=2, separate=separate).double()
    plain = GCN2Conv(5, layer=2, filter="A_hat_rw", weights="separate" if separate else "shared").double()
    initial = example.x.roll(1, 0)
    with torch.no_grad():
        plain.weight.copy_(layer.weight[:, :5])
        if separate:
            plain.initial_weight.copy_(layer.initial_weight[:, :5])
    seen = []
    layer.mixing.register_forward_pre_hook(lambda module, given: seen.append(given[0][:, 0]))
    layer(example.x, example.operator, initial=initial)
    torch.testing.assert_close(seen[0], plain(example.x, example.operator, initial=initial).relu())
    assert layer.mixing_weights.shape == (13, 3)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="alpha from 0 to 1"):
        ACMGCN2Conv(5, alpha=1.5)
