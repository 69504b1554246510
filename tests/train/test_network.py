"""A network by name: its weights follow from the seed, or are those of a training."""

from __future__ import annotations

import pytest
import torch

from allpass.graph import Operator
from allpass.models import create
from allpass.testing import examples, learnable_graph
from allpass.train.network import trained, untrained

SIZES = {"in_channels": 8, "out_channels": 3, "num_nodes": 60}


def test_the_seed_decides_and_nothing_else_is_disturbed() -> None:
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    one, same, other = (untrained("gcn", {}, **SIZES, seed=seed) for seed in (1, 1, 2))
    assert torch.rand(1).equal(expected)
    for name, weight in one.state_dict().items():
        assert weight.equal(same.state_dict()[name])
    assert not one.state_dict()["layers.0.weight"].equal(other.state_dict()["layers.0.weight"])


def test_what_belongs_to_the_training_is_passed_over() -> None:
    network = untrained("gcn", {"lr": 0.1, "weight_decay": 0, "hidden_channels": 5}, **SIZES)
    assert network.state_dict()["layers.0.weight"].shape == (8, 5)


@pytest.mark.parametrize("model", ["acm-gcn", "linkx", "snowball-2"])
def test_a_trained_network_says_what_the_first_one_said(model: str) -> None:
    x, A, _, _ = learnable_graph()
    sizes = {**SIZES, "in_channels": x.shape[1], "num_nodes": len(x)}
    first = untrained(model, {}, **sizes, seed=3, dtype=torch.float64).eval()
    again = trained(model, {}, first.state_dict(), **sizes)
    assert not again.training
    x, A = x.double(), A.to(torch.float64)
    assert again(x, A).equal(first(x, A))


def test_an_initialisation_that_needs_the_graph_does_not_need_it_afterwards() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1, 2], [1, 2, 0]]), num_nodes=60)
    settings = {"init": "combined"}
    first = untrained("gcn", settings, **SIZES, graph=A)
    assert (
        trained("gcn", settings, first.state_dict(), **SIZES).state_dict().keys() == first.state_dict().keys()
    )


def test_a_setting_that_came_later_has_its_old_value_in_an_older_training() -> None:
    example, sizes = examples()[0], {"in_channels": 5, "out_channels": 3, "num_nodes": 13}
    torch.manual_seed(0)
    authors = create("acmii-gcn", in_channels=5, out_channels=3, outer_activation=True).eval()
    again = trained("acmii-gcn", {"dropout": 0.5}, authors.state_dict(), **sizes)
    x, A = example.x.float(), example.operator.to(torch.float32)
    assert torch.equal(again(x, A), authors(x, A))
    now = trained("acmii-gcn", {"outer_activation": False}, authors.state_dict(), **sizes)
    assert not torch.allclose(now(x, A), authors(x, A), atol=1e-4)
