"""ACM models: Cora's parameter count, the paper's variants and what they need."""

from __future__ import annotations

import pytest
import torch
from tests.references.acm import acm_layer, averaging, mixed

from allpass.errors import InputError
from allpass.models import MODELS, create
from allpass.nn import ACMConv, KrylovConv, SnowballConv, weight_variance
from allpass.nn.mixing import ChannelMixing
from allpass.testing import examples


def parameters(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_two_layers_on_cora_have_the_published_size() -> None:
    assert parameters(create("acm-gcn", in_channels=1433, out_channels=7)) == 276_711


def test_logits_of_acm_are_not_negative_and_those_of_acmii_may_be() -> None:
    example = examples()[0]
    torch.manual_seed(0)
    acm, acmii = (create(n, in_channels=5, out_channels=3).double().eval() for n in ("acm-gcn", "acmii-gcn"))
    assert acm(example.x, example.operator).min() >= 0
    assert acmii(example.x, example.operator).min() < 0


@pytest.mark.parametrize("name", ["acmii-gcn", "acmii-snowball-2"])
def test_the_outer_relu_of_the_authors_code_is_an_option(name: str) -> None:
    example = examples()[0]
    X, A = example.x, example.dense
    torch.manual_seed(0)
    report = create(name, in_channels=5, out_channels=3).double().eval()
    authors = create(name, in_channels=5, out_channels=3, outer_activation=True).double().eval()
    authors.load_state_dict(report.state_dict())
    first, second = report.layers
    H = acm_layer(first, X, A, order="acmii")
    for model, inner in ((report, H), (authors, torch.relu(H))):
        wanted = acm_layer(
            second, torch.cat([X, inner], 1) if "snowball" in name else inner, A, order="acmii"
        )
        torch.testing.assert_close(model(X, example.operator), wanted)
    assert not torch.allclose(report(X, example.operator), authors(X, example.operator), atol=1e-3)


@pytest.mark.parametrize("name", ["acm-gcn", "acm-snowball"])
def test_without_negative_channels_it_changes_nothing(name: str) -> None:
    example = examples()[0]
    torch.manual_seed(0)
    report = create(name, in_channels=5, out_channels=3).double().eval()
    authors = create(name, in_channels=5, out_channels=3, outer_activation=True).double().eval()
    authors.load_state_dict(report.state_dict())
    assert torch.equal(report(example.x, example.operator), authors(example.x, example.operator))


def test_the_structure_channel_is_a_setting_and_needs_the_number_of_nodes() -> None:
    with pytest.raises(InputError, match="Pass num_nodes="):
        create("acm-gcn+", in_channels=5, out_channels=3)
    with_it = create("acm-gcn+", in_channels=5, out_channels=3, num_nodes=13)
    without = create("acm-gcn+", in_channels=5, out_channels=3, num_nodes=13, structure=False)
    layers = [part for part in with_it.modules() if isinstance(part, ACMConv)]
    assert [layer.channels[-1] for layer in layers] == ["structure"] * 2
    assert [layer.mixing.scale for layer in layers] == [1.0, 1.0]  # four channels: no factor in the code
    assert all(layer.mixing.scale == 3 for layer in without.modules() if isinstance(layer, ACMConv))
    assert (
        parameters(create("acm-gcn++", in_channels=5, out_channels=3, num_nodes=13))
        == parameters(with_it) + 6 * 64
    )


def test_layer_norm_is_the_papers_and_the_code_of_small_graphs_lacks_it() -> None:
    assert MODELS["acm-gcn+"].settings["layer_norm"] is True
    model = create("acmii-gcn+", in_channels=5, out_channels=3, num_nodes=13, layer_norm=False)
    assert all(part.mixing.gain is None for part in model.modules() if isinstance(part, ACMConv))


@pytest.mark.parametrize("name", ["acm-snowball-2", "acm-snowball-3", "acmii-snowball-2", "acmii-snowball-3"])
def test_the_number_of_a_snowball_counts_every_layer(name: str) -> None:
    model = create(name, in_channels=10, out_channels=3, hidden_channels=4)
    assert [layer.in_channels for layer in model.layers] == [10, 14, 18][: int(name[-1])]


def test_acm_sgc_keeps_its_high_pass_filter_for_two_hops() -> None:
    (layer,) = create("acm-sgc-2", in_channels=5, out_channels=3).layers
    assert layer.high == "L_hat_rw"
    assert layer.order == "filter-first"


@pytest.mark.parametrize("example", examples(), ids=str)
def test_its_high_pass_filter_may_be_all_that_the_low_pass_one_leaves_out(example) -> None:
    model = create("acm-sgc-2", in_channels=5, out_channels=3, complement=True).double().eval()
    (layer,) = model.layers
    two, X = averaging(example.dense) @ averaging(example.dense), example.x
    W_low, W_high, W_id = layer.weight.chunk(3, dim=1)
    channels = [two @ X @ W_low, X @ W_high - two @ X @ W_high, X @ W_id]
    torch.testing.assert_close(model(X, example.operator), mixed(layer.mixing, channels))
    one = create("acm-sgc-1", in_channels=5, out_channels=3, complement=True)
    assert one.layers[0].high is None  # with one hop both are the same


ALL = sorted(name for name in MODELS.names if name.startswith("acm"))


@pytest.mark.parametrize("name", ALL)
def test_every_model_has_the_factor_and_the_temperature_of_the_report(name: str) -> None:
    sizes = {"in_channels": 5, "out_channels": 3, "num_nodes": 13}
    model = create(name, scale=1.0, temperature=0.5, **sizes)
    mixings = [part for part in model.modules() if isinstance(part, ChannelMixing)]
    assert mixings
    assert {(part.scale, part.temperature) for part in mixings} == {(1.0, 0.5)}
    with pytest.raises(InputError, match=r"Got scale = 'one'\. Expected a number"):
        create(name, scale="one", **sizes)


@pytest.mark.parametrize(
    ("name", "filter_"),
    [
        ("acm-gcn", "A_hat_rw"),
        ("acmii-gcn", "A_hat_rw"),
        ("acm-gcn+", "A_hat_rw"),
        ("acm-snowball", "A_hat_rw"),
        ("acm-sgc-1", "A_hat_rw"),
        ("snowball", "A_hat_rw"),
        ("krylov", "A_hat_rw"),
    ],
)
@pytest.mark.parametrize("init", ["combined", "energy"])
def test_initialisations_that_know_degrees_reach_every_weight(name: str, filter_: str, init: str) -> None:
    A = examples()[0].operator
    sizes = {"in_channels": 300, "out_channels": 200, "num_nodes": 13, "hidden_channels": 200}
    if name == "acm-sgc-1":
        del sizes["hidden_channels"]
    torch.manual_seed(0)
    model = create(name, init=init, graph=A, **sizes)
    layer = next(part for part in model.modules() if isinstance(part, ACMConv | SnowballConv | KrylovConv))
    fan_in = layer.weight.shape[0]
    expected = weight_variance(init, fan_in, 200, A, filter=filter_)
    expected = expected / max(fan_in, 200) if init == "energy" else expected
    assert float(layer.weight.detach().var()) == pytest.approx(expected, rel=0.05)
    with pytest.raises(InputError, match="Pass graph="):
        create(name, init=init, **sizes)
