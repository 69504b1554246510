"""A replica as a row: there and back, groups together, and gradients in their places."""

from __future__ import annotations

import torch
from torch import nn

from allpass.models import MODELS, create
from allpass.train.engine.flat import Layout, stack_buffers


def test_there_and_back() -> None:
    for entry in (entry for entry in MODELS if entry.is_network):
        model = create(entry.name, in_channels=5, out_channels=3, num_nodes=13)
        layout = Layout.of(model)
        named = dict(model.named_parameters())
        row = layout.row(named)
        assert row.shape == (layout.size,) == (sum(p.numel() for p in named.values()),)
        back = layout.parameters(row)
        assert set(back) == set(named)
        assert all(torch.equal(back[name], named[name]) for name in named)


def test_groups_stand_together_after_the_rest() -> None:
    model = create("gcnii", in_channels=5, out_channels=3, hidden_channels=4, num_layers=2)
    layout = Layout.of(model)
    assert [name for name, _ in layout.groups] == ["rest", "conv"]
    named = dict(model.named_parameters())
    for group, columns in layout.groups:
        wanted = [named[n].flatten() for n in layout.names if n.startswith("convs.") == (group == "conv")]
        assert torch.equal(layout.row(named)[columns], torch.cat(wanted))


def test_gradients_land_where_their_parameters_stand() -> None:
    model = nn.Linear(3, 2)
    layout = Layout.of(model)
    row = layout.row(dict(model.named_parameters())).requires_grad_()
    x = torch.randn(4, 3)
    parts = layout.parameters(row)
    (found,) = torch.autograd.grad((x @ parts["weight"].T + parts["bias"]).square().sum(), row)
    wanted = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    torch.testing.assert_close(found, layout.row(dict(zip(("weight", "bias"), wanted, strict=True))))


def test_buffers_get_a_replica_axis() -> None:
    models = [create("gcn", in_channels=5, out_channels=3) for _ in range(4)]
    stacked = stack_buffers(models)
    assert stacked["dropouts.0.key"].tolist() == [model.dropouts[0].key.item() for model in models]
    assert stack_buffers([nn.Linear(2, 2)]) == {}


def test_a_model_without_parameters_has_an_empty_row() -> None:
    layout = Layout.of(nn.Identity())
    assert layout.size == 0
    assert layout.row({}).shape == (0,)
