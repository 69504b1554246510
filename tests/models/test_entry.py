from __future__ import annotations

from torch import nn

from allpass.models import GRID, Model


def build(in_channels, out_channels, *, hidden_channels=16, dropout=0.5, num_nodes=None, graph=None, **more):
    return nn.Linear(in_channels, out_channels)


def test_settings_are_the_defaults_of_the_builder_with_the_preset_on_top():
    entry = Model("a", build, "a summary", "a paper", preset={"dropout": 0.1, "depth": 3})
    assert entry.settings == {"hidden_channels": 16, "dropout": 0.1, "depth": 3}


def test_what_a_model_needs_follows_from_its_traits():
    def needs(*traits):
        return Model("a", build, "", "", traits=frozenset(traits)).needs

    assert needs() == ("graph", "features")
    assert needs("ignores-graph") == ("features",)
    assert needs("ignores-features", "uses-labels") == ("graph", "labels")
    assert needs("fixed-nodes") == ("graph", "features", "number of nodes")


def test_the_grid_of_the_paper_has_270_settings():
    assert len(GRID["lr"]) * len(GRID["weight_decay"]) * len(GRID["dropout"]) == 270
    assert Model("a", build, "", "").space is GRID


def test_models_do_not_share_what_they_begin_with():
    first, second = Model("a", build, "", ""), Model("b", build, "", "")
    assert first.training == {"lr": 0.01, "weight_decay": 5e-4}
    assert first.training is not second.training
    assert first.preset is not second.preset
