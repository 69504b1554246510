from __future__ import annotations

import torch
from torch import nn

from allpass.models import MODELS, create
from allpass.testing import examples

EXAMPLE = examples()[0]


def test_logistic_regression_is_one_linear_map():
    model = create("mlp-1", in_channels=5, out_channels=3).double().eval()
    linear = model.layers[0].linear
    torch.testing.assert_close(model(EXAMPLE.x, EXAMPLE.operator), EXAMPLE.x @ linear.weight + linear.bias)
    assert MODELS["logistic-regression"].name == "mlp-1"


def test_agrees_with_torch():
    model = create("mlp-2", in_channels=5, out_channels=3, hidden_channels=8, num_layers=3).double().eval()
    theirs = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3)).double()
    with torch.no_grad():
        for ours, linear in zip(model.layers, theirs[::2], strict=True):
            linear.weight.copy_(ours.linear.weight.T)
            linear.bias.copy_(ours.linear.bias)
    torch.testing.assert_close(model(EXAMPLE.x, EXAMPLE.edge_index), theirs(EXAMPLE.x))
    assert sum(p.numel() for p in model.parameters()) == sum(p.numel() for p in theirs.parameters())


def test_the_graph_is_not_looked_at():
    model = create("mlp", in_channels=5, out_channels=3).double().eval()
    bare = torch.empty(2, 0, dtype=torch.int64)
    assert torch.equal(model(EXAMPLE.x, bare), model(EXAMPLE.x, EXAMPLE.operator))


def test_sparse_features():
    model = create("mlp-2", in_channels=5, out_channels=3).double().eval()
    torch.testing.assert_close(
        model(EXAMPLE.x.to_sparse_csr(), EXAMPLE.operator), model(EXAMPLE.x, EXAMPLE.operator)
    )
