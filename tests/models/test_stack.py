from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

from allpass.errors import InputError
from allpass.models.mlp import FeatureLayer
from allpass.models.stack import PairNorm, Stack, build_norm
from allpass.nn import ACTIVATIONS, Dropout, GCNConv
from allpass.testing import examples

EXAMPLE = examples()[0]
X, A = EXAMPLE.x, EXAMPLE.operator


def stack(**settings) -> Stack:
    chosen = {"num_layers": 3, "dropout": 0.0, **settings}
    torch.manual_seed(0)
    return Stack(GCNConv, 5, 8, 3, **chosen).double()


def test_layers_in_a_row():
    model = stack()
    first, second, third = model.layers
    wanted = third(second(first(X, A).relu(), A).relu(), A)
    torch.testing.assert_close(model(X, A), wanted)
    assert [tuple(layer.weight.shape) for layer in model.layers] == [(5, 8), (8, 8), (8, 3)]


def test_one_layer_has_nothing_between():
    model = stack(num_layers=1)
    torch.testing.assert_close(model(X, A), model.layers[0](X, A))
    assert not [part for part in model.modules() if isinstance(part, nn.ReLU)]


def test_residuals_where_widths_agree():
    model = stack(residual=True)
    first, second, third = model.layers
    H = first(X, A).relu()
    torch.testing.assert_close(model(X, A), third(second(H, A).relu() + H, A))


def test_residuals_of_features_dense_or_sparse():
    torch.manual_seed(0)
    model = Stack(GCNConv, 5, 5, 3, num_layers=2, dropout=0.0, residual=True).double()
    wanted = model.layers[1](model.layers[0](X, A).relu() + X, A)
    torch.testing.assert_close(model(X, A), wanted)
    torch.testing.assert_close(model(X.to_sparse_csr(), A), wanted)


@pytest.mark.parametrize("name", ["none", "layer", "batch", "pair"])
def test_norms_stand_before_the_activation(name):
    model = stack(num_layers=2, norm=name).eval()
    H = model.layers[0](X, A)
    torch.testing.assert_close(model(X, A), model.layers[1](model.norms[0](H).relu(), A))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", ["layer", "batch", "pair"])
def test_norms_run_in_a_batch_of_replicas(name, training):
    models = [Stack(GCNConv, 5, 8, 3, num_layers=2, norm=name).double().train(training) for _ in range(2)]
    parameters, buffers = stack_module_state(models)
    frame = copy.deepcopy(models[0]).to("meta")
    together = vmap(lambda p, b: functional_call(frame, (p, b), (X, A)))(parameters, buffers)
    for number, model in enumerate(models):
        torch.testing.assert_close(together[number], model(X, A))
        for key, value in model.named_buffers():  # running means too
            torch.testing.assert_close(buffers[key][number], value)


def test_pair_norm():
    x = torch.randn(20, 4, dtype=torch.float64) * 5 + 3
    out = PairNorm()(x)
    torch.testing.assert_close(out.mean(0), torch.zeros(4, dtype=torch.float64))
    assert float(out.square().sum(1).mean()) == pytest.approx(1, abs=1e-6)
    centred = x - x.mean(0)
    torch.testing.assert_close(torch.cosine_similarity(out, centred), torch.ones(20, dtype=torch.float64))
    same = PairNorm()(
        torch.ones(5, 3, dtype=torch.float64)
    )  # nothing to tell apart: zeros, no division by them
    assert not same.any()


def test_dropout_before_every_layer_or_every_inner_one():
    assert sum(isinstance(part, Dropout) for part in stack(dropout=0.5).modules()) == 3
    gone = stack(dropout=1.0).train()
    assert torch.equal(gone(X, A), torch.zeros(13, 3, dtype=torch.float64))
    seen = []
    model = stack(dropout=1.0, input_dropout=False).train()
    model.layers[0].register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    model(X, A)
    assert torch.equal(seen[0], X)


@pytest.mark.parametrize("name", ACTIVATIONS.names)
def test_every_activation_fits_between(name):
    assert stack(activation=name)(X, A).shape == (13, 3)


def test_weights_of_edges_reach_the_layers():
    weighted = examples()[1]
    model = stack()
    wanted = model(weighted.x, weighted.operator)
    torch.testing.assert_close(model(weighted.x, weighted.edge_index, weighted.edge_weight), wanted)


def test_a_layer_that_ignores_the_graph():
    model = Stack(FeatureLayer, 5, 8, 3, num_layers=2, dropout=0.0).double()
    other = examples()[2]
    torch.testing.assert_close(model(X, A), model(X, other.operator))


def test_bad_settings():
    with pytest.raises(InputError, match=r"num_layers = 0.*1 or more"):
        stack(num_layers=0)
    with pytest.raises(InputError, match=r"norm 'layr'.*none, layer, batch, pair"):
        build_norm("layr", 3)
