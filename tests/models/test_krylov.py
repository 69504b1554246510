"""Truncated Krylov networks: their options against the formula, counts and bad depths."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.graph import krylov_basis, matrix
from allpass.models import create
from allpass.models.krylov import TruncatedKrylov
from allpass.testing import examples


def test_a_layer_has_m_times_f_times_o_weights() -> None:
    model = create(
        "krylov", in_channels=10, out_channels=3, hidden_channels=4, blocks=7, num_layers=3, bias=False
    )
    assert sum(p.numel() for p in model.parameters()) == 7 * 10 * 4 + 7 * 4 * 4 + 4 * 3


@pytest.mark.parametrize("aggregate", [True, False])
@pytest.mark.parametrize("head", [None, "tanh"])
def test_the_releases_of_the_code_are_options(head: str | None, aggregate: bool) -> None:
    torch.manual_seed(0)
    model = TruncatedKrylov(
        5, 3, hidden_channels=4, num_layers=3, blocks=3, head=head, aggregate_output=aggregate
    )
    model = model.double().eval()
    for example in examples():
        L, H = matrix(example.operator, "A_hat_rw"), example.x
        for layer in model.layers:
            H = torch.tanh(krylov_basis(L, H, 3) @ layer.weight + layer.bias)
        if head:
            H = torch.tanh(H @ model.readout.head.weight + model.readout.head.bias)
        wanted = H @ model.readout.output.weight
        wanted = (L @ wanted if aggregate else wanted) + model.readout.output.bias
        torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_features_are_not_dropped_unless_asked() -> None:
    example = examples()[0]
    for input_dropout in (False, True):
        torch.manual_seed(0)
        model = TruncatedKrylov(5, 3, input_dropout=input_dropout).double().train()
        seen: list[torch.Tensor] = []
        model.layers[0].register_forward_pre_hook(lambda _, given, seen=seen: seen.append(given[0]))
        model(example.x, example.operator)
        assert torch.equal(seen[0], example.x) is not input_dropout


def test_a_network_without_a_hidden_layer_is_refused() -> None:
    with pytest.raises(InputError, match="num_layers = 1"):
        create("krylov", in_channels=5, out_channels=3, num_layers=1)
