"""H2GCN's rounds and widths."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models import create
from allpass.models.h2gcn import H2GCN
from allpass.testing import examples


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_the_width_doubles_with_every_round(rounds: int) -> None:
    model = create(f"h2gcn-{rounds}", in_channels=5, out_channels=3, hidden_channels=4)
    assert sum(p.numel() for p in model.parameters()) == 5 * 4 + (2 ** (rounds + 1) - 1) * 4 * 3


def test_without_rounds_it_is_a_perceptron() -> None:
    example = examples()[0]
    model = H2GCN(5, 3, num_layers=0, activation="identity", bias=True).double().eval()
    wanted = model.classify(model.embed(example.x))
    torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_rounds_are_not_negative() -> None:
    with pytest.raises(InputError, match="num_layers = -1"):
        H2GCN(5, 3, num_layers=-1)
