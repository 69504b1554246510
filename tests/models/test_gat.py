from __future__ import annotations

from allpass.models.gat import gat
from allpass.nn.dropout import Dropout
from allpass.testing.subjects import examples


def test_the_published_network_on_cora():
    model = gat(1433, 7)
    widths = [(layer.in_channels, layer.out_channels, layer.heads, layer.concat) for layer in model.layers]
    assert widths == [(1433, 8, 8, True), (64, 7, 1, False)]
    assert {repr(part) for part in model.modules() if isinstance(part, Dropout)} == {"Dropout(p=0.6)"}
    assert sum(p.numel() for p in model.parameters()) == 1433 * 64 + 3 * 64 + 64 * 7 + 3 * 7


def test_options():
    example = examples()[0]
    model = gat(5, 3, heads=2, out_heads=4, num_layers=3, attention_dropout=0.1, residual=True, norm="layer")
    assert [layer.heads for layer in model.layers] == [2, 2, 4]
    assert {repr(layer.dropout) for layer in model.layers} == {"Dropout(p=0.1)"}
    assert model(example.x.float(), example.edge_index).shape == (13, 3)
    assert len(gat(5, 3, num_layers=1).layers) == 1
