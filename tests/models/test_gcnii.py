"""GCNII: depth by name, the two groups of parameters, and signals that survive 64 layers."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models import MODELS, create
from allpass.testing import examples


@pytest.mark.parametrize(("name", "weights"), [("gcnii", 1), ("gcnii-star", 2), ("GCNII*", 2)])
def test_parameters(name: str, weights: int) -> None:
    model = create(name, in_channels=5, out_channels=3, hidden_channels=8, num_layers=4)
    assert sum(p.numel() for p in model.parameters()) == 5 * 8 + 8 + 4 * weights * 64 + 8 * 3 + 3


def test_convolutions_and_linear_layers_have_weight_decays_of_their_own() -> None:
    model = create("gcnii-3", in_channels=5, out_channels=3)
    names = {name for name, _ in model.named_parameters()}
    conv = set(model.parameter_groups()["conv"])
    assert conv == {f"convs.{l}.weight" for l in range(3)}
    assert names - conv == {"input.weight", "input.bias", "output.weight", "output.bias"}
    assert MODELS["gcnii"].training["weight_decay:conv"] > MODELS["gcnii"].training["weight_decay"]


def test_nodes_stay_different_in_64_layers() -> None:
    example = examples()[0]
    torch.manual_seed(0)
    deep = create("gcnii-64", in_channels=5, out_channels=3, hidden_channels=8).double().eval()
    plain = create("gcn-64", in_channels=5, out_channels=3, hidden_channels=8).double().eval()
    assert deep(example.x, example.operator).std(dim=0).min() > 1e-2
    assert plain(example.x, example.operator).std(dim=0).max() < 1e-6


def test_it_needs_a_layer() -> None:
    with pytest.raises(InputError, match="num_layers = 0"):
        create("gcnii", in_channels=5, out_channels=3, num_layers=0)
