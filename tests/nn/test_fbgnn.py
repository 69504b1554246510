"""The two-channel filterbank: it adds up to a perceptron when its channels weigh alike and share their weights."""

from __future__ import annotations

import torch

from allpass.nn import FBConv
from allpass.testing import examples


def test_equal_channels_without_activation_reconstruct_the_signal() -> None:
    example = examples()[0]
    layer = FBConv(5, 3, activation="identity").double()
    with torch.no_grad():
        layer.bank.weight[:, 3:] = layer.bank.weight[:, :3]
        layer.alpha.fill_(1)
    wanted = example.x @ layer.bank.weight[:, :3]  # H_LP + H_HP = I loses nothing
    torch.testing.assert_close(layer(example.x, example.operator), wanted)


def test_it_has_two_weights_a_channel_and_one_number_each() -> None:
    layer = FBConv(5, 3)
    assert sum(p.numel() for p in layer.parameters()) == 2 * 5 * 3 + 2
    layer.reset_parameters()
    assert layer.alpha.tolist() == [0.5, 0.5]
