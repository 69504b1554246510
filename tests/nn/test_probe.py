from __future__ import annotations

import math

import pytest
import torch
import torch_geometric.nn as pyg
from torch import nn
from torch.nn import functional as F

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator, matrix
from allpass.models import create
from allpass.nn import ACMConv, GCNConv, measure_propagation
from allpass.testing import examples

CLASSES = 3


@pytest.fixture
def example():
    return examples()[0]


def test_measures_what_autograd_says(example):
    model = create(
        "gcn",
        in_channels=5,
        out_channels=CLASSES,
        hidden_channels=8,
        num_layers=3,
        filter="A_hat_rw",
        bias=False,
    ).double()
    flow = measure_propagation(model, example.x, example.operator, example.y)
    A, Ws = matrix(example.operator, "A_hat_rw").to_dense(), [layer.weight for layer in model.layers]
    H_1 = A @ example.x @ Ws[0]
    H_2 = A @ H_1.relu() @ Ws[1]
    H_3 = A @ H_2.relu() @ Ws[2]
    loss = -F.log_softmax(H_3, 1)[torch.arange(13), example.y].sum()
    gradients = torch.autograd.grad(loss, [H_1, H_2, H_3, *Ws])
    assert [layer.name for layer in flow] == ["layers.0", "layers.1", "layers.2"]
    assert [layer.width for layer in flow] == [8, 8, CLASSES]
    for l, H in enumerate((H_1.detach(), H_2.detach(), H_3.detach())):
        assert flow[l].variance == pytest.approx(float(H.var(correction=0)))
        assert flow[l].energy == pytest.approx(float(H.norm() ** 2))
        assert flow[l].gradient_variance == pytest.approx(float(gradients[l].var(correction=0)))
        assert flow[l].weight_gradient_variance == pytest.approx(float(gradients[3 + l].var(correction=0)))


def test_leaves_the_model_as_it_was(example):
    model = create("acm-gcn", in_channels=5, out_channels=CLASSES, hidden_channels=8).double().train()
    model.layers[1].eval()
    before = [part.training for part in model.modules()]
    first = measure_propagation(model, example.x, example.edge_index, example.y)
    second = measure_propagation(model, example.x, example.edge_index, example.y)
    assert first == second  # without dropout
    assert [part.training for part in model.modules()] == before
    assert all(p.grad is None for p in model.parameters())
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in model.modules())
    with torch.no_grad():
        assert measure_propagation(model, example.x, example.edge_index, example.y) == first


def test_takes_any_model(example):
    x, graph, y = example.x, example.edge_index, example.y
    acm = create("acm-gcn", in_channels=5, out_channels=CLASSES, hidden_channels=8, num_layers=4).double()
    assert [layer.width for layer in measure_propagation(acm, x, graph, y)] == [8, 8, 8, CLASSES]
    assert len(measure_propagation(acm, x, graph, y, at=ACMConv)) == 4
    assert [r.name for r in measure_propagation(acm, x, graph, y, at=["activations.0"])] == ["activations.0"]
    perceptron = create("mlp-2", in_channels=5, out_channels=CLASSES, hidden_channels=8).double()
    sparse = x.to_sparse_csr()
    assert [layer.width for layer in measure_propagation(perceptron, sparse, graph, y)] == [8, CLASSES]
    theirs = pyg.GCN(5, 8, 3, CLASSES, act_kwargs={"inplace": True}).double()
    assert [r.name for r in measure_propagation(theirs, x, graph, y)] == ["convs.0", "convs.1", "convs.2"]
    assert len(measure_propagation(theirs, x, graph, y, at=pyg.GCNConv)) == 3


def test_passes_through_a_frame_and_stops_at_a_single_layer(example):
    class Frame(nn.Module):
        def __init__(self):
            super().__init__()
            self.inside = create("gcn", in_channels=5, out_channels=CLASSES, hidden_channels=8).double()

        def forward(self, x, edge_index):
            return self.inside(x, edge_index=edge_index)

    flow = measure_propagation(Frame(), example.x, example.operator, example.y)
    assert [layer.name for layer in flow] == ["inside.layers.0", "inside.layers.1"]
    alone = GCNConv(5, CLASSES).double()
    assert [r.name for r in measure_propagation(alone, example.x, example.operator, example.y)] == [""]


def test_what_a_layer_gives_is_seen_before_an_activation_in_place_changes_it(example):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = GCNConv(5, 8).double(), GCNConv(8, CLASSES).double()

        def forward(self, x, graph):
            return self.second(self.first(x, graph).relu_(), graph)

    net = Net()
    flow = measure_propagation(net, example.x, example.operator, example.y)
    H = net.first(example.x, example.operator).detach()
    assert flow[0].energy == pytest.approx(float(H.norm() ** 2))


def test_a_module_without_a_matrix_has_no_gradient_of_one(example):
    model = create("gcn", in_channels=5, out_channels=CLASSES, hidden_channels=8).double()
    flow = measure_propagation(model, example.x, example.operator, example.y, at=nn.ReLU)
    assert math.isnan(flow[0].weight_gradient_variance)


def test_missing_labels_are_left_out(example):
    layer = GCNConv(5, CLASSES).double()
    y = example.y.clone()
    y[:] = -1
    flow = measure_propagation(layer, example.x, example.operator, y)
    assert flow[0].gradient_variance == 0


def test_overflow_is_shown_and_not_hidden():
    """64 linear layers of the combined scheme on a graph as dense as Squirrel (mean degree 76) leave float32.

    The derivation takes neighbours for independent. They are not: what was averaged once is alike, so a layer gains
    up to 1 + mean degree, here 77 ** 64, which is far beyond 10 ** 38.
    """
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(120, 120, generator=generator).triu(1) > 1 - 76 / 119
    A = Operator.from_edge_index((dense | dense.T).nonzero().T.contiguous(), num_nodes=120)
    assert 70 < float(A.row_sums.mean()) < 82
    torch.manual_seed(0)
    x, y = torch.randn(120, 16), torch.arange(120) % CLASSES
    settings = {"hidden_channels": 16, "num_layers": 64, "activation": "identity", "filter": "A_hat_rw"}

    def flow(init: str):
        model = create(
            "gcn", in_channels=16, out_channels=CLASSES, bias=False, init=init, graph=A, **settings
        )
        return measure_propagation(model, x, A, y)

    combined = flow("combined")
    assert combined[0].variance == pytest.approx(1.0, rel=0.3)  # as derived
    growth = combined.growth()
    typical = torch.tensor(growth[2:12]).log().mean().exp()
    assert 20 < typical < 77  # from one draw of narrow layers; on average close to 77
    assert not math.isfinite(combined[-1].variance)
    assert math.isfinite(flow("glorot")[-1].variance)


@pytest.mark.parametrize(
    ("at", "error", "message"),
    [
        (["layer.0"], UnknownNameError, "no module 'layer.0'.*layers.0"),
        (nn.LSTM, InputError, "no such module gave a tensor"),
    ],
)
def test_modules_that_are_not_there(example, at, error, message):
    model = create("gcn", in_channels=5, out_channels=CLASSES).double()
    with pytest.raises(error, match=message):
        measure_propagation(model, example.x, example.operator, example.y, at=at)


def test_labels_of_another_shape(example):
    with pytest.raises(InputError, match=r"labels of shape \[12\] and logits of shape \[13, 3\]"):
        measure_propagation(GCNConv(5, CLASSES).double(), example.x, example.operator, example.y[1:])
