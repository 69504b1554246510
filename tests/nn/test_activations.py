from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from allpass.data import load, splits
from allpass.errors import InputError, UnknownNameError
from allpass.models import create
from allpass.nn import ACTIVATIONS, ACMConv, AdaReLU, activation
from allpass.train import Store, fit, fit_into


@pytest.mark.parametrize("channels", [None, 6])
def test_adarelu_begins_as_the_identity(channels):
    x = torch.randn(20, 6, dtype=torch.float64, requires_grad=True)
    unit = AdaReLU(channels).double()
    out = unit(x)
    assert torch.equal(out, x)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    assert torch.equal(gradient, torch.ones_like(x))


@given(st.integers(0, 2**31), st.booleans())
def test_adarelu_is_two_slopes(seed, shared):
    torch.manual_seed(seed)
    unit = AdaReLU(None if shared else 3).double()
    with torch.no_grad():
        unit.alpha.normal_()
        unit.beta.normal_()
    x = torch.randn(5, 3, dtype=torch.float64)
    x[0, 0] = 0
    alpha, beta = unit.alpha.expand(3), unit.beta.expand(3)
    for i in range(5):
        for j in range(3):
            slope = beta[j] if x[i, j] > 0 else alpha[j]
            assert unit(x)[i, j] == slope * x[i, j]


def test_adarelu_learns_its_slopes():
    """dL/dbeta_j adds up x over the positive entries of column j, dL/dalpha_j over the others."""
    x = torch.randn(30, 4, dtype=torch.float64)
    wise, shared = AdaReLU(4).double(), AdaReLU().double()
    wise(x).sum().backward()
    torch.testing.assert_close(wise.beta.grad, x.clamp(min=0).sum(0))
    torch.testing.assert_close(wise.alpha.grad, x.clamp(max=0).sum(0))
    shared(x).sum().backward()
    torch.testing.assert_close(shared.beta.grad, x.clamp(min=0).sum())
    torch.testing.assert_close(shared.alpha.grad, x.clamp(max=0).sum())


def test_adarelu_passes_gradcheck_and_has_relu_and_prelu_as_cases():
    unit = AdaReLU(3).double()
    with torch.no_grad():
        unit.alpha.copy_(torch.tensor([0.0, 0.25, -1.0]))
    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(unit, (x,))
    out = unit(x)
    assert torch.equal(out[:, 0], x[:, 0].relu())
    assert torch.equal(out[:, 1], torch.nn.functional.prelu(x[:, 1:2], torch.tensor([0.25]).double())[:, 0])
    assert torch.equal(out[:, 2], x[:, 2].abs())


def test_adarelu_goes_back():
    unit = AdaReLU(2)
    torch.nn.init.normal_(unit.alpha)
    unit.reset_parameters()
    assert torch.equal(unit.alpha, torch.ones(2))
    assert str(AdaReLU(2)) == "AdaReLU(channel-wise, 2)"
    assert str(AdaReLU()) == "AdaReLU(channel-shared)"
    assert sum(p.numel() for p in AdaReLU(16).parameters()) == 32
    assert sum(p.numel() for p in AdaReLU().parameters()) == 2


@pytest.mark.parametrize("entry", ACTIVATIONS, ids=lambda entry: entry.name)
def test_every_activation_keeps_shape_and_dtype(entry):
    x = torch.randn(4, 5, dtype=torch.float64)
    out = activation(entry.name, 5).double()(x)
    assert out.shape == x.shape
    assert out.dtype == x.dtype


@pytest.mark.parametrize(
    "entry", [entry for entry in ACTIVATIONS if entry.gain is not None], ids=lambda entry: entry.name
)
def test_gains_are_what_is_left_of_a_second_moment_at_any_size(entry):
    for size in (0.01, 1.0, 100.0):
        x = (torch.randn(200_000, 1, generator=torch.Generator().manual_seed(0)) * size).requires_grad_()
        out = activation(entry.name, 1)(x)
        (slope,) = torch.autograd.grad(out.sum(), x)
        left = float(out.detach().square().mean() / x.detach().square().mean())
        assert left == pytest.approx(entry.gain, rel=0.02)
        assert float(slope.square().mean()) == pytest.approx(entry.gain, rel=0.02)


def test_names():
    assert ACTIVATIONS["linear"].name == "identity"
    assert ACTIVATIONS["AdaReLU_channel_shared"].name == "adarelu-shared"
    with pytest.raises(UnknownNameError, match=r"'rellu'\. Did you mean 'relu'"):
        activation("rellu", 3)
    with pytest.raises(InputError, match="-1 channels"):
        activation("adarelu", -1)


def test_adarelu_of_another_width_is_refused():
    with pytest.raises(InputError, match=r"shape \[2, 5\] for AdaReLU of 4 channels.*Expected \[\.\.\., 4\]"):
        AdaReLU(4)(torch.ones(2, 5))
    with pytest.raises(InputError, match="AdaReLU of 1 channels"):  # it must not broadcast
        AdaReLU(1)(torch.ones(2, 5))


@pytest.mark.parametrize("given", [nn.Tanh(), torch.tanh, lambda x: x.tanh()])
def test_a_module_or_a_function_does_what_its_name_does(given):
    x, edges = torch.rand(4, 3), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    for make in (
        lambda activation: ACMConv(3, 5, activation=activation),
        lambda activation: create("gcn", in_channels=3, out_channels=2, activation=activation, dropout=0.0),
        lambda activation: create("krylov", in_channels=3, out_channels=2, head=activation, dropout=0.0),
    ):
        found = []
        for chosen in ("tanh", given):
            torch.manual_seed(0)
            found.append(make(chosen)(x, edges))
        assert torch.equal(*found)


def test_every_layer_of_a_model_has_its_own_copy_of_a_module():
    unit = nn.PReLU()
    model = create("gcn-3", in_channels=3, out_channels=2, activation=unit)
    units = [module for module in model.modules() if isinstance(module, nn.PReLU)]
    assert len({id(one) for one in (unit, *units)}) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (nn.ReLU, r"the class ReLU as activation\. Pass a module: ReLU\(\)\."),
        (3, "Got 3 as activation. Expected a module, a function of a tensor, or one of relu, tanh"),
        (None, "Got None as activation"),
        ("rleu", "Did you mean 'relu'"),
    ],
)
def test_what_is_no_activation_is_refused(given, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        activation(given, 4)


def test_a_module_is_trained_but_no_stored_run_may_hold_it(tmp_path):
    data = load("karate")
    data.x = torch.eye(data.num_nodes)
    parts = splits(data, "random", count=2)
    named, given = (
        fit("gcn", data, parts, {"activation": chosen}, epochs=5, curves=True)
        for chosen in ("tanh", nn.Tanh())
    )
    for one, other in zip(named, given, strict=True):
        assert torch.equal(one.curves["train_loss"], other.curves["train_loss"])
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(InputError, match=r"Tanh.*cannot be kept.*its name"),
    ):
        fit_into(store, "gcn", data, parts, {"activation": nn.Tanh()}, epochs=5)
