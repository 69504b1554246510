from __future__ import annotations

from allpass.models import MODELS
from allpass.nn import ACTIVATIONS, LAYERS, SCHEMES
from tools import networks


def test_tables_hold_every_entry():
    for entry in MODELS:
        assert f"| `{entry.name}" in networks.models()
        assert f"\n### {entry.name} {{#" in f"\n{networks.models_full()}"
    assert all(f"`{entry.name}`" in networks.layers() for entry in LAYERS)
    assert all(f"| `{entry.name}` |" in networks.activations() for entry in ACTIVATIONS)
    assert all(f"| `{entry.name}` |" in networks.initialisations() for entry in SCHEMES)


def test_every_model_has_an_anchor_of_its_own():
    anchors = [line.partition("{#")[2] for line in networks.models_full().splitlines() if "{#" in line]
    assert len(set(anchors)) == len(MODELS)
    assert not any("+" in anchor for anchor in anchors)


def test_one_row_a_class_says_what_its_names_share():
    rows = networks.layers().splitlines()
    acm = next(row for row in rows if "allpass.nn.acm.ACMConv" in row)
    assert "| `acm`, `acmii`, `acm-structure` | `acm-structure` has weights for each node" in acm
    gat = next(row for row in rows if "allpass.nn.gat.GATConv" in row)
    assert "[Veličković et al., ICLR 2018](https://arxiv.org/abs/1710.10903)" in gat
    assert "| `gat` | reads which edges there are" in gat
    assert "as many columns as it takes" in next(row for row in rows if "allpass.nn.pagerank.APPNP" in row)
