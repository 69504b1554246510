from __future__ import annotations

import pytest
import torch
from torch_geometric.nn.models import GCN as PYG

from allpass.models import create
from allpass.nn import SCHEMES, AdaReLU, initialise_, measure_propagation, predict_propagation
from allpass.testing import examples

EXAMPLE = examples()[0]
X, A = EXAMPLE.x, EXAMPLE.operator


def gcn(**settings):
    return create("gcn", in_channels=5, out_channels=3, hidden_channels=8, **settings).double().eval()


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_agrees_with_pyg_at_any_depth(depth):
    ours, theirs = gcn(num_layers=depth), PYG(5, 8, depth, 3).double().eval()
    with torch.no_grad():
        for mine, conv in zip(ours.layers, theirs.convs, strict=True):
            conv.lin.weight.copy_(mine.weight.T)
            conv.bias.copy_(mine.bias)
    torch.testing.assert_close(ours(X, EXAMPLE.edge_index), theirs(X, EXAMPLE.edge_index))


def test_the_plain_model_is_as_large_as_published():
    model = create("gcn", in_channels=1433, out_channels=7, hidden_channels=16)
    assert (
        sum(p.numel() for p in model.parameters()) == 1433 * 16 + 16 + 16 * 7 + 7
    )  # 23063, Kipf and Welling


@pytest.mark.parametrize("name", SCHEMES.names)
def test_begins_by_any_scheme(name):
    torch.manual_seed(0)
    model = create(
        "gcn",
        in_channels=200,
        out_channels=3,
        hidden_channels=200,
        num_layers=3,
        init=name,
        graph=A,
        alpha=0.3,
    )
    wanted = float(initialise_(torch.empty(200, 200), name, A, alpha=0.3).std())
    for layer in model.layers[:2]:
        assert float(layer.weight.detach().std()) == pytest.approx(wanted, rel=0.03)
        assert not layer.bias.any()


def test_is_the_network_of_the_appendix():
    """With Â_rw, no bias and no activation: what is predicted is what is measured, on average over networks."""
    torch.manual_seed(0)
    settings = {
        "num_layers": 3,
        "filter": "A_hat_rw",
        "bias": False,
        "activation": "identity",
        "init": "combined",
    }
    measured = torch.zeros(3)
    for _ in range(300):
        model = gcn(graph=A, **settings)
        x = torch.randn(13, 5, dtype=torch.float64)
        flow = measure_propagation(model, x, A, EXAMPLE.y)
        measured += torch.tensor([layer.energy for layer in flow]) / 300
    predicted = [layer.energy for layer in predict_propagation(A, [5, 8, 8, 3], "combined", form="walks")]
    assert measured.tolist() == pytest.approx(predicted, rel=0.15)


def test_adarelu_makes_a_linear_network_to_begin_with():
    torch.manual_seed(0)
    bent = gcn(activation="adarelu", num_layers=3)
    straight = gcn(activation="identity", num_layers=3)
    straight.load_state_dict(bent.state_dict(), strict=False)
    torch.testing.assert_close(bent(X, A), straight(X, A))
    assert [part.alpha.shape for part in bent.modules() if isinstance(part, AdaReLU)] == [(8,), (8,)]
    shared = gcn(activation="adarelu-shared", num_layers=3)
    assert [part.alpha.shape for part in shared.modules() if isinstance(part, AdaReLU)] == [(), ()]


@pytest.mark.parametrize("norm", ["none", "layer", "batch", "pair"])
@pytest.mark.parametrize("residual", [False, True])
def test_deep_with_any_norm_and_residual(norm, residual):
    model = gcn(num_layers=16, norm=norm, residual=residual)
    out = model(X, A)
    assert out.shape == (13, 3)
    assert out.isfinite().all()
