"""The snowball layer on lists, with sparse parts, and against the graph convolution it is."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.nn import GCNConv, SnowballConv
from allpass.testing import examples

WIDTHS = (5, 2, 3)


@pytest.fixture
def parts() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    later = [torch.randn(13, width, generator=generator, dtype=torch.float64) for width in WIDTHS[1:]]
    return [examples()[0].x, *later]


@pytest.mark.parametrize("aggregate", [True, False])
@pytest.mark.parametrize("example", examples(), ids=str)
def test_a_list_is_its_concatenation(example, parts: list[torch.Tensor], aggregate: bool) -> None:
    conv = SnowballConv(sum(WIDTHS), 4, aggregate=aggregate).double()
    wanted = conv(torch.cat(parts, dim=1), example.operator)
    torch.testing.assert_close(conv(parts, example.operator), wanted)
    torch.testing.assert_close(conv(tuple(parts), example.edge_index, example.edge_weight), wanted)
    for sparse in (parts[0].to_sparse_csr(), parts[0].to_sparse_coo()):
        torch.testing.assert_close(conv([sparse, *parts[1:]], example.operator), wanted)
    torch.testing.assert_close(conv([part.to_sparse_csr() for part in parts], example.operator), wanted)


def test_on_one_part_it_is_the_graph_convolution() -> None:
    example = examples()[1]
    conv, gcn = SnowballConv(5, 3).double(), GCNConv(5, 3, filter="A_hat_rw").double()
    gcn.load_state_dict(conv.state_dict())
    torch.testing.assert_close(conv(example.x, example.operator), gcn(example.x, example.operator))


def test_without_aggregation_it_is_linear() -> None:
    example = examples()[1]
    conv = SnowballConv(5, 3, aggregate=False).double()
    torch.testing.assert_close(conv(example.x, example.operator), example.x @ conv.weight + conv.bias)
    assert "no aggregation" in repr(conv)


def test_a_bias_before_the_average_is_the_same() -> None:
    example = examples()[1]
    conv = SnowballConv(5, 3).double()
    loops = example.dense + torch.eye(13)
    before = loops @ (example.x @ conv.weight + conv.bias) / loops.sum(1, keepdim=True)
    torch.testing.assert_close(conv(example.x, example.operator), before)


def test_it_has_a_row_of_weights_for_every_column_it_reads() -> None:
    conv = SnowballConv(sum(WIDTHS), 4, bias=False)
    assert sum(p.numel() for p in conv.parameters()) == sum(WIDTHS) * 4
    torch.manual_seed(0)
    wide = SnowballConv(50, 100)
    assert 0.09 < wide.weight.abs().max() <= 0.1
    assert 0.09 < wide.bias.abs().max() <= 0.1


@pytest.mark.parametrize(
    "shapes", [[(13, 5)], [(13, 5), (13, 6)], [(13, 5), (12, 5)], [(13, 10, 1)], []], ids=str
)
def test_parts_that_do_not_fit_are_named(shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(InputError, match="widths that add up to 10"):
        SnowballConv(10, 2)([torch.zeros(shape) for shape in shapes], torch.tensor([[0], [1]]))
