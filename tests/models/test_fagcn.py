from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models.fagcn import FAGCN
from allpass.testing.subjects import examples


def test_a_closed_gate_leaves_a_perceptron():
    example = examples()[0]
    model = FAGCN(5, 3, num_layers=4, eps=1.0).double().eval()
    with torch.no_grad():
        for layer in model.layers:
            layer.gate.zero_()
            layer.bias.zero_()
    wanted = model.last(model.first(example.x).relu())
    torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_options_reach_every_layer():
    model = FAGCN(5, 3, num_layers=3, eps=0.7, self_loops=True, bias=False)
    assert {(layer.eps, layer.self_loops, layer.bias) for layer in model.layers} == {(0.7, True, None)}


def test_parameters():
    assert sum(p.numel() for p in FAGCN(5, 3).parameters()) == 6 * 32 + 2 * (2 * 32 + 1) + 33 * 3


def test_bad_input():
    with pytest.raises(InputError, match="num_layers = 0"):
        FAGCN(5, 3, num_layers=0)
