"""The mixed-powers layer against PyG's, with powers in any order."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import MixHopConv as PyGMixHopConv

from allpass.errors import InputError
from allpass.nn import MixHopConv
from allpass.testing import examples


@pytest.mark.parametrize("powers", [(0, 1, 2), (2, 0), (3,), (0,), (1, 4)], ids=str)
@pytest.mark.parametrize("example", examples()[:2], ids=str)
def test_pyg_agrees(example, powers: tuple[int, ...]) -> None:
    ours, theirs = MixHopConv(5, 4, powers=powers).double(), PyGMixHopConv(5, 4, list(powers)).double()
    with torch.no_grad():
        ours.bias.normal_()
        theirs.bias.copy_(ours.bias)
        for power, block in zip(powers, ours.weight.split(4, dim=1), strict=True):
            theirs.lins[power].weight.copy_(block.T)
    wanted = theirs(example.x, example.edge_index, example.edge_weight)
    torch.testing.assert_close(ours(example.x, example.edge_index, example.edge_weight), wanted)


def test_powers_share_their_products() -> None:
    """One sparse product for each power up to the largest, whatever the number of powers."""
    products: list[int] = []

    class Counting:
        def __init__(self, A) -> None:
            self.A = A

        def __matmul__(self, x: torch.Tensor) -> torch.Tensor:
            products.append(x.shape[1])
            return self.A @ x

    example = examples()[0]
    MixHopConv(5, 4, powers=(0, 1, 3), filter=Counting).double()(example.x, example.operator)
    assert products == [4, 4, 8]


def test_a_bias_is_an_option() -> None:
    assert MixHopConv(5, 4, bias=False).bias is None
    assert sum(p.numel() for p in MixHopConv(5, 4).parameters()) == 3 * (5 * 4 + 4)
    assert "powers=(0, 1, 2)" in repr(MixHopConv(5, 4))


@pytest.mark.parametrize("powers", [(), (-1, 0), (1, 1)], ids=str)
def test_bad_powers_are_named(powers: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="each once"):
        MixHopConv(5, 4, powers=powers)
