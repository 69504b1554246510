"""ChebConv against PyG's with the same weights."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import ChebConv as PyGChebConv

from allpass.errors import InputError
from allpass.nn import ChebConv
from allpass.testing import examples


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
@pytest.mark.parametrize("lambda_max", [None, 1.7])
def test_it_is_pygs(degree: int, lambda_max: float | None) -> None:
    example = examples()[0]
    ours = ChebConv(5, 3, degree=degree, lambda_max=lambda_max or 2.0).double()
    theirs = PyGChebConv(5, 3, K=degree + 1).double()
    with torch.no_grad():
        for lin, W in zip(theirs.lins, ours.weight.split(3, dim=1), strict=True):
            lin.weight.copy_(W.T)
        theirs.bias.copy_(torch.nn.init.normal_(ours.bias))
    wanted = theirs(example.x, example.edge_index, lambda_max=lambda_max)
    torch.testing.assert_close(ours(example.x, example.operator), wanted)


def test_every_degree_has_its_own_weights() -> None:
    conv = ChebConv(5, 3, degree=4)
    assert sum(p.numel() for p in conv.parameters()) == 5 * 5 * 3 + 3
    bound = (6 / (5 + 3)) ** 0.5  # Glorot, with the fan out of one degree
    assert bound / 2 < conv.weight.abs().max() <= bound


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match="lambda_max = 0"):
        ChebConv(5, 3, lambda_max=0)
    with pytest.raises(InputError, match="degree -1"):
        ChebConv(5, 3, degree=-1)
