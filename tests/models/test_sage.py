from __future__ import annotations

from allpass.models.sage import sage


def test_parameters():
    model = sage(10, 3, hidden_channels=8)
    assert sum(p.numel() for p in model.parameters()) == 2 * 10 * 8 + 8 + 2 * 8 * 3 + 3


def test_the_filter_reaches_every_layer():
    assert {layer.filter for layer in sage(10, 3, filter="A", num_layers=3).layers} == {"A"}
