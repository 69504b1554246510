"""The joint embedding of LINKX: its depths, its parameters, and a graph of another size."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.nn import LINKXConv
from allpass.testing import Subject, check, examples


def test_deeper_perceptrons_keep_the_contracts() -> None:
    def build() -> LINKXConv:
        return LINKXConv(5, 3, 13, num_edge_layers=2, num_node_layers=3)

    check(Subject("deep linkx", build, frozenset({"fixed-nodes"})))


def test_its_parameters_are_counted() -> None:
    assert sum(p.numel() for p in LINKXConv(5, 3, 13).parameters()) == (13 * 3 + 3) + (5 * 3 + 3) + (
        6 * 3 + 3
    )


def test_new_weights_can_be_drawn() -> None:
    example = examples()[0]
    conv = LINKXConv(5, 3, 13, num_edge_layers=2).double()
    before = conv(example.x, example.operator)
    conv.reset_parameters()
    assert not torch.allclose(conv.eval()(example.x, example.operator), before)


def test_a_graph_of_another_size_is_named() -> None:
    with pytest.raises(InputError, match="a graph of 2 nodes for a layer with weights for 13"):
        LINKXConv(5, 3, 13)(torch.ones(2, 5), torch.tensor([[0], [1]]))


@pytest.mark.parametrize("setting", ["num_edge_layers", "num_node_layers"])
def test_a_perceptron_has_a_layer(setting: str) -> None:
    with pytest.raises(InputError, match=f"{setting} = 0"):
        LINKXConv(5, 3, 13, **{setting: 0})
