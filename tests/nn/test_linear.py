from __future__ import annotations

import pytest
import torch
from torch import nn

from allpass.errors import InputError
from allpass.nn import LAYERS, ACMConv, GCNConv, Linear
from allpass.nn.linear import check_nodes, empty_weight, times
from allpass.testing import CLASSES, FEATURES, NODES, examples


@pytest.mark.parametrize("bias", [True, False])
def test_is_torchs_linear_with_the_weight_transposed(bias):
    ours, theirs = Linear(5, 3, bias=bias), nn.Linear(5, 3, bias=bias)
    with torch.no_grad():
        theirs.weight.copy_(ours.weight.T)
        if bias:
            theirs.bias.copy_(ours.bias)
    x = torch.randn(7, 5)
    torch.testing.assert_close(ours(x), theirs(x))
    assert sum(p.numel() for p in ours.parameters()) == 15 + 3 * bias


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_sparse_features_and_their_gradients(layout):
    torch.manual_seed(0)
    layer, x = Linear(5, 3).double(), torch.randn(7, 5).relu().double()
    torch.testing.assert_close(layer(x.to_sparse(layout=layout)), layer(x))
    dense, sparse = (
        torch.autograd.grad(layer(form).square().sum(), [*layer.parameters()])
        for form in (x, x.to_sparse(layout=layout))
    )
    for ours, wanted in zip(sparse, dense, strict=True):
        torch.testing.assert_close(ours, wanted)


def test_begins_as_torchs_linear():
    torch.manual_seed(0)
    ours, theirs = Linear(400, 300), nn.Linear(400, 300)
    for mine, wanted in ((ours.weight, theirs.weight), (ours.bias, theirs.bias)):
        assert float(mine.detach().abs().max()) <= 400**-0.5
        assert float(mine.detach().std()) == pytest.approx(float(wanted.detach().std()), rel=0.1)


def test_other_beginnings():
    assert torch.equal(Linear(2, 3, init=nn.init.ones_).weight, torch.ones(2, 3))
    assert float(Linear(100, 300, init="glorot").weight.detach().abs().max()) <= (6 / 400) ** 0.5
    assert Linear(0, 3)(torch.zeros(2, 0)).shape == (2, 3)
    assert str(Linear(2, 3, bias=False)) == "Linear(2, 3, bias=False)"


def test_whole_numbers_are_refused():
    with pytest.raises(InputError, match=r"features of torch\.int64.*call \.float\(\)"):
        Linear(3, 2)(torch.ones(4, 3, dtype=torch.int64))


def layer(entry):
    more = {"num_nodes": NODES} if "fixed-nodes" in entry.traits else {}
    return entry.build(FEATURES, CLASSES, **more).double()


WITH_FEATURES = [entry for entry in LAYERS if "ignores-features" not in entry.traits]


@pytest.mark.parametrize("form", [lambda x: x, lambda x: x.to_sparse_csr()], ids=["dense", "sparse"])
@pytest.mark.parametrize("entry", WITH_FEATURES, ids=lambda entry: entry.name)
def test_features_that_do_not_fit_get_one_sentence_in_every_layer(entry, form):
    example, module = examples()[0], layer(entry)
    with pytest.raises(InputError, match=r"Got features of shape \[13, 4\] for a layer of 5 in_channels\."):
        module(form(example.x[:, :4].contiguous()), example.operator)
    with pytest.raises(InputError, match=r"features of torch\.float32 in a layer of torch\.float64\."):
        module(form(example.x.float()), example.edge_index)


@pytest.mark.parametrize("given", [torch.ones(4, 6).numpy(), [[1.0] * 6] * 4, "x", None], ids=repr)
def test_what_is_no_tensor_gets_one_sentence_too(given):
    for module in (ACMConv(6, 3), GCNConv(6, 3)):
        with pytest.raises(InputError, match=r"Got features of type .*Expected a tensor") as caught:
            module(given, torch.tensor([[0, 1], [1, 0]]))
        assert len(str(caught.value)) < 150


def test_the_product_runs_in_a_batch_and_in_mixed_precision():
    x, W = torch.randn(4, 5), torch.randn(3, 5, 2)
    torch.testing.assert_close(torch.func.vmap(times, (None, 0))(x, W), x @ W)
    with torch.autocast("cpu", torch.bfloat16):
        assert times(x.bfloat16(), W[0]).dtype == torch.bfloat16


def test_a_graph_of_another_size():
    with pytest.raises(InputError, match=r"a graph of 13 nodes for a layer with weights for 12\. Make a new"):
        check_nodes(examples()[0].operator, 12)


def test_blocks_of_weights_stand_side_by_side_or_below_each_other():
    assert empty_weight(5, 3, beside=2).shape == (5, 6)
    assert empty_weight(5, 3, stacked=4).shape == (20, 3)


@pytest.mark.parametrize("width", [-1, 2.5, "4", None, True])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(InputError, match=r"Got in_channels = .* Expected a whole number, 0 or more"):
        empty_weight(width, 3)
    with pytest.raises(InputError, match="Got out_channels = "):
        empty_weight(3, width)


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if "ignores-features" not in layer.traits])
def test_every_layer_answers_a_negative_width_alike(layer):
    fixed = {"num_nodes": NODES} if "fixed-nodes" in layer.traits else {}
    with pytest.raises(InputError, match="Got in_channels = -1"):
        layer.build(-1, 4, **fixed)
