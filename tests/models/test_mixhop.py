"""MixHop's two outputs and its widths."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models.mixhop import MixHop
from allpass.testing import Subject, check, examples


@pytest.mark.parametrize("norm", ["none", "batch"])
def test_the_linear_output_keeps_the_contracts(norm: str) -> None:
    check(Subject("linear mixhop", lambda: MixHop(5, 3, hidden_channels=4, output="linear", norm=norm)))


def test_equal_shares_are_the_mean_of_the_powers() -> None:
    example = examples()[0]
    model = MixHop(5, 3, num_layers=1).double().eval()
    wanted = model.layers[0](example.x, example.operator).unflatten(1, (3, 3)).mean(1)
    torch.testing.assert_close(model(example.x, example.operator), wanted)


def test_its_parameters_are_counted() -> None:
    summed = MixHop(5, 3, hidden_channels=4)
    assert sum(p.numel() for p in summed.parameters()) == 12 * (5 + 1) + 9 * (12 + 1) + 3
    linear = MixHop(5, 3, hidden_channels=4, output="linear")
    assert sum(p.numel() for p in linear.parameters()) == 12 * (5 + 1) + 12 * (12 + 1) + 3 * (12 + 1)


@pytest.mark.parametrize("settings", [{"num_layers": 0}, {"output": "mean"}], ids=str)
def test_bad_settings_are_named(settings: dict[str, object]) -> None:
    with pytest.raises(InputError, match="Expected"):
        MixHop(5, 3, **settings)
