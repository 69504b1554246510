"""ACM around layers of PyG: the same as ACM where the layer is a graph convolution, and batchable."""

from __future__ import annotations

import copy
from itertools import pairwise

import pytest
import torch
from torch.func import functional_call, stack_module_state, vmap
from torch_geometric import nn as pyg

from allpass.errors import InputError
from allpass.nn import ACM, ACMConv, GATConv, GCNConv
from allpass.testing import examples


def gin(i: int, o: int) -> pyg.GINConv:
    return pyg.GINConv(torch.nn.Sequential(torch.nn.Linear(i, o), torch.nn.ReLU(), torch.nn.Linear(o, o)))


LAYERS = {
    "sage": lambda: ACM(pyg.SAGEConv(5, 3)),
    "gat": lambda: ACM(pyg.GATConv(5, 3, heads=2)),
    "gatv2": lambda: ACM(pyg.GATv2Conv(5, 3, heads=2, concat=False)),
    "gin": lambda: ACM(gin(5, 3), in_channels=5, out_channels=3),
    "gcn": lambda: ACM(pyg.GCNConv(5, 3)),
    "cheb": lambda: ACM(pyg.ChebConv(5, 3, K=2)),
    "simple": lambda: ACM(pyg.SimpleConv(aggr="mean"), in_channels=5, out_channels=5),
    "graph": lambda: ACM(pyg.GraphConv(5, 3)),
}
TIED = ("gat", "gatv2", "gcn", "simple")
"""Those that are one linear map and an aggregation."""


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_pyg_fit(name: str) -> None:
    example = examples()[0]
    torch.manual_seed(0)
    layer = LAYERS[name]().double()
    out = layer(example.x, example.edge_index)
    assert out.shape == (13, {"gat": 6, "simple": 5}.get(name, 3))
    assert layer.tied is (name in TIED)
    *W_high, W_id = layer.weight.split(layer.out_channels, dim=1)
    low = layer.low(example.x, example.operator.edge_index)
    loops = torch.arange(13).expand(2, 13)
    own = layer.high(example.x, loops) if layer.tied else example.x @ W_high[0]
    high = own - layer.high(example.x, example.operator.edge_index)
    parts = [torch.relu(part) for part in (low, high, example.x @ W_id)]
    wanted = 3 * sum(layer.mixing_weights[:, [c]] * part for c, part in enumerate(parts))
    torch.testing.assert_close(out, wanted)
    torch.testing.assert_close(layer(example.x.to_sparse_csr(), example.operator), out)


@pytest.mark.parametrize("name", LAYERS)
def test_they_batch_under_vmap(name: str) -> None:
    example = examples()[0]
    layers = [LAYERS[name]().double() for _ in range(3)]
    stacked, buffers = stack_module_state(layers)
    frame = copy.deepcopy(layers[0]).to("meta")
    out = vmap(lambda p, b: functional_call(frame, (p, b), (example.x, example.operator)))(stacked, buffers)
    for number, layer in enumerate(layers):
        torch.testing.assert_close(out[number], layer(example.x, example.operator))


@pytest.mark.parametrize("example", examples(), ids=str)
@pytest.mark.parametrize("order", ["filter-first", "activation-first"])
def test_around_a_graph_convolution_it_is_acm(example, order: str) -> None:
    layer = ACM(GCNConv(5, 3, bias=False), order=order).double()
    acm = ACMConv(5, 3, low="A_hat_sym", order=order).double()
    with torch.no_grad():
        acm.weight.copy_(torch.cat([layer.low.weight, layer.high.weight, layer.weight], dim=1))
    acm.mixing.load_state_dict(layer.mixing.state_dict())
    torch.testing.assert_close(layer(example.x, example.operator), acm(example.x, example.operator))


@pytest.mark.parametrize("tied", [True, False])
def test_around_the_graph_convolution_of_pyg_too(tied: bool) -> None:
    example = examples()[0]
    layer = ACM(pyg.GCNConv(5, 3, bias=False), tied=tied).double()
    acm = ACMConv(5, 3, low="A_hat_sym").double()
    weights = [part.lin.weight.T for part in (layer.low, layer.high)]
    with torch.no_grad():
        if not tied:
            layer.weight[:, :3] = weights[1]  # the identity carried by the convolution's own weight
        acm.weight.copy_(torch.cat([*weights, layer.weight[:, -3:]], dim=1))
    acm.mixing.load_state_dict(layer.mixing.state_dict())
    torch.testing.assert_close(layer(example.x, example.operator), acm(example.x, example.operator))


@pytest.mark.parametrize("concat", [True, False])
def test_acmii_around_attention_rectifies_what_is_attended_to(concat: bool) -> None:
    example = examples()[0]
    layer = ACM(GATConv(5, 4, heads=2, concat=concat), order="activation-first").double()
    copies = [copy.deepcopy(part) for part in (layer.low, layer.high)]
    channels = []
    for part in copies:  # attention over features that are rectified before: an identity in the place of W
        Z = torch.relu(example.x @ part.weight)
        part.in_channels = 8
        with torch.no_grad():
            part.weight = torch.nn.Parameter(torch.eye(8, dtype=torch.float64))
        carried = Z if concat else Z.view(13, 2, 4).mean(1)
        channels.append((carried, part(Z, example.operator)))
    parts = [channels[0][1], channels[1][0] - channels[1][1], torch.relu(example.x @ layer.weight)]
    out = layer(example.x, example.operator)
    wanted = 3 * sum(layer.mixing_weights[:, [c]] * part for c, part in enumerate(parts))
    torch.testing.assert_close(out, wanted)


def test_a_layer_with_two_weights_is_refused_where_one_is_asked_for() -> None:
    with pytest.raises(InputError, match="tied=True for a SAGEConv, which is not one linear map"):
        ACM(pyg.SAGEConv(5, 3), tied=True)
    with pytest.raises(InputError, match="order='activation-first' for a GCNConv"):
        ACM(pyg.GCNConv(5, 3), order="activation-first")
    with pytest.raises(InputError, match="Leave tied out"):
        ACM(GCNConv(5, 3), order="activation-first", tied=False)
    with pytest.raises(InputError, match="Got the order 'acmii'"):
        ACM(GCNConv(5, 3), order="acmii")


def test_edge_weights_reach_the_layers_that_take_them() -> None:
    example = examples()[1]
    layer = ACM(pyg.GraphConv(5, 3)).double()
    given = layer(example.x, example.edge_index, example.edge_weight)
    torch.testing.assert_close(given, layer(example.x, example.operator))
    assert not torch.allclose(given, layer(example.x, example.edge_index))


def test_the_two_aggregations_have_weights_of_their_own_and_are_drawn_anew() -> None:
    conv = pyg.SAGEConv(5, 3)
    layer = ACM(conv)
    weights = [part.lin_l.weight for part in (conv, layer.low, layer.high)]
    assert not any(torch.equal(a, b) for a, b in pairwise(weights))
    before = layer.low.lin_l.weight.clone()
    layer.reset_parameters()
    assert not torch.equal(before, layer.low.lin_l.weight)


def test_channels_can_be_left_out() -> None:
    example = examples()[0]
    layer = ACM(pyg.SAGEConv(5, 3), channels=("low",), mixing=False).double()
    torch.testing.assert_close(
        layer(example.x, example.operator), layer.low(example.x, example.operator.edge_index).relu()
    )


def test_a_layer_that_does_not_tell_its_widths_needs_them() -> None:
    with pytest.raises(InputError, match=r"Got a GINConv whose in_channels is None\. Pass in_channels="):
        ACM(gin(5, 3))
    with pytest.raises(InputError, match="Got a SAGEConv whose in_channels is -1"):
        ACM(pyg.SAGEConv(-1, 3))
    with pytest.raises(InputError, match="one or more of low, high, identity"):
        ACM(pyg.SAGEConv(5, 3), channels=("structure",))


class Own(pyg.MessagePassing):
    """A layer with weights of its own and no way to draw them anew."""

    def __init__(self) -> None:
        super().__init__(aggr="mean")
        self.in_channels = self.out_channels = 5
        self.W = torch.nn.Parameter(torch.ones(5, 5))

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.propagate(edge_index, x=x @ self.W)


def test_copies_that_would_begin_alike_are_refused() -> None:
    with pytest.raises(InputError, match="Got a Own whose weights are not drawn anew"):
        ACM(Own())


def test_a_module_around_layers_of_pyg_is_called_as_they_are() -> None:
    class Normed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = pyg.GCNConv(5, 3), torch.nn.LayerNorm(3)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return self.norm(self.conv(x, edge_index))

    example = examples()[0]
    layer = ACM(Normed(), in_channels=5, out_channels=3).double()
    assert layer(example.x, example.operator).shape == (13, 3)


def test_a_class_is_no_layer() -> None:
    with pytest.raises(InputError, match=r"Pass a layer, such as SAGEConv\(16, 32\)"):
        ACM(pyg.SAGEConv, in_channels=5, out_channels=3)


@pytest.mark.parametrize(
    ("conv", "name"),
    [
        (lambda: pyg.RGCNConv(5, 3, num_relations=2), "RGCNConv"),
        (lambda: pyg.NNConv(5, 3, torch.nn.Linear(2, 15)), "NNConv"),
        (lambda: pyg.SAGEConv(5, 3), "SAGEConv"),
    ],
)
def test_a_layer_that_features_and_edges_are_not_enough_for_is_told_when_it_is_wrapped(conv, name) -> None:
    width = 4 if name == "SAGEConv" else 5
    with pytest.raises(
        InputError, match=rf"Got a {name} that fails on features \[2, {width}\] and edges alone"
    ):
        ACM(conv(), in_channels=width)


def test_a_layer_that_keeps_its_graph_has_not_seen_one_yet() -> None:
    example = examples()[0]
    conv = pyg.GCNConv(5, 3, cached=True)
    layer = ACM(conv).double()
    assert conv._cached_edge_index is None
    assert layer(example.x, example.operator).shape == (13, 3)
