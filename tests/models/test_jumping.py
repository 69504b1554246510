from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models.jumping import gat_jk, gcn_jk
from allpass.testing.subjects import examples


@pytest.mark.parametrize("build", [gcn_jk, gat_jk])
@pytest.mark.parametrize("mode", ["max", "cat", "lstm"])
@pytest.mark.parametrize("activate_last", [False, True])
def test_every_parameter_of_every_mode_is_used(build, mode, activate_last):
    example = examples()[0]
    model = build(5, 3, hidden_channels=4, num_layers=3, mode=mode, activate_last=activate_last).double()
    model(example.x, example.operator).square().sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    assert model.last.weight.shape[0] == model.norms[0].num_features * (3 if mode == "cat" else 1)


def test_the_last_layer_is_joined_as_it_is_or_activated():
    example = examples()[0]
    for activate_last in (False, True):
        model = (
            gcn_jk(5, 3, num_layers=1, mode="cat", activate_last=activate_last, norm="none").double().eval()
        )
        H = model.layers[0](example.x, example.operator)
        wanted = model.last(H.relu() if activate_last else H)
        torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_parameters():
    model = gcn_jk(5, 3, hidden_channels=4)
    assert sum(p.numel() for p in model.parameters()) == (5 * 4 + 4) + 2 * 4 + (4 * 4 + 4) + (4 * 3 + 3)


def test_bad_input():
    with pytest.raises(InputError, match="num_layers = 0"):
        gcn_jk(5, 3, num_layers=0)
    with pytest.raises(InputError, match="mode 'mean'"):
        gat_jk(5, 3, mode="mean")
