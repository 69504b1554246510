"""Label propagation as a model: what it needs and what it leaves alone."""

from __future__ import annotations

import torch

from allpass.models import MODELS, create
from allpass.nn import LabelPropagation
from allpass.testing import examples


def test_it_needs_the_graph_and_labels_and_nothing_else() -> None:
    assert MODELS["label-propagation"].needs == ("graph", "labels")
    assert MODELS["lp"].name == "label-propagation"
    assert not list(create("label-propagation", in_channels=5, out_channels=3).parameters())


def test_its_settings_are_those_of_the_layer() -> None:
    example = examples()[0]
    model = create(
        "label-propagation",
        in_channels=5,
        out_channels=3,
        num_layers=2,
        alpha=0.5,
        clamp=True,
        output="scores",
    )
    layer = LabelPropagation(3, num_layers=2, alpha=0.5, clamp=True)
    known = {"labels": example.y, "mask": example.mask}
    found = model(example.x, example.operator, **known)
    assert torch.equal(found, layer(example.x, example.operator, **known))
    assert torch.equal(found[example.mask].argmax(1), example.y[example.mask])
