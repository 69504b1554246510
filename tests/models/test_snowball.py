"""Snowball networks: their options against the formulas, counts, and the setting of the ACM paper."""

from __future__ import annotations

import pytest
import torch
from tests.references.acm import renormalized
from tests.references.snowball import averaging

from allpass.errors import InputError
from allpass.models import create
from allpass.models.snowball import Snowball
from allpass.nn import seed_dropout
from allpass.testing import examples


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("name", ["snowball", "linear-snowball"])
def test_the_number_in_a_name_counts_all_layers(name: str, depth: int) -> None:
    model = create(f"{name}-{depth}", in_channels=10, out_channels=3, hidden_channels=4, bias=False)
    widths = [10, *[4] * (depth - 1), 3]
    wanted = sum(sum(widths[: level + 1]) * widths[level + 1] for level in range(depth))
    assert sum(p.numel() for p in model.parameters()) == wanted  # (F_0 + ... + F_l) F_(l+1)


@pytest.mark.parametrize("aggregate", [True, False])
@pytest.mark.parametrize(("f", "g"), [("tanh", "tanh"), ("identity", "tanh"), ("relu", "identity")])
def test_the_layer_before_the_output_is_the_papers(f: str, g: str, aggregate: bool) -> None:
    apply = {"tanh": torch.tanh, "relu": torch.relu, "identity": lambda z: z}
    torch.manual_seed(0)
    model = Snowball(
        5,
        3,
        hidden_channels=4,
        num_layers=3,
        activation=f,
        head=g,
        filter="A_hat_sym",
        aggregate_output=aggregate,
    )
    model = model.double().eval()
    for example in examples():
        L, K = renormalized(example.dense), example.x
        for layer in model.layers:
            K = torch.cat([K, apply[f](L @ K @ layer.weight + layer.bias)], dim=1)
        C = apply[g](K @ model.readout.head.weight + model.readout.head.bias)
        assert C.shape == (13, 5 + 4 + 4)
        wanted = C @ model.readout.output.weight
        wanted = (L @ wanted if aggregate else wanted) + model.readout.output.bias
        torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_a_linear_snowball_is_a_polynomial_filter_of_the_features() -> None:
    example = examples()[0]
    model = create("linear-snowball-4", in_channels=5, out_channels=3, hidden_channels=6, bias=False).double()
    Y = model.eval()(example.x, example.operator)
    L = averaging(example.dense)
    K = torch.cat([torch.linalg.matrix_power(L, k) @ example.x for k in range(5)], dim=1)
    solved = K @ torch.linalg.lstsq(K, Y, driver="gelsd").solution
    torch.testing.assert_close(solved, Y)


def test_features_are_dropped_in_the_setting_of_acm_alone() -> None:
    example = examples()[0]
    for setting, same in (({}, True), ({"input_dropout": True, "activation": "relu", "bias": False}, False)):
        model = create("snowball-1", in_channels=5, out_channels=3, **setting).double()
        seed_dropout(model, 0)
        trained = model.train()(example.x, example.operator)
        assert torch.equal(trained, model.eval()(example.x, example.operator)) is same


def test_all_layers_see_one_mask() -> None:
    torch.manual_seed(0)
    model = Snowball(5, 3, hidden_channels=6, num_layers=3).double().train()
    seen: list[list[torch.Tensor]] = []
    for layer in (*model.layers, model.readout.output):
        layer.register_forward_pre_hook(lambda _, given: seen.append(list(given[0])))
    example = examples()[0]
    model(example.x, example.operator)
    assert [len(parts) for parts in seen] == [1, 2, 3]
    assert all(parts[0] is seen[0][0] for parts in seen)
    assert seen[1][1] is seen[2][1]
    assert (seen[1][1] == 0).any()


def test_a_network_has_a_layer() -> None:
    with pytest.raises(InputError, match="num_layers = 0"):
        Snowball(5, 3, num_layers=0)
