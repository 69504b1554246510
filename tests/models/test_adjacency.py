"""Networks around a learned graph: which ones, what is held out, and what rewards say."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.models import MODELS, create
from allpass.models.adjacency import AdjacencyNetwork, adjacency_network
from allpass.nn.adjacency.fusion import LearnedOperator
from allpass.testing import learnable_graph

X, A, Y, MASK = learnable_graph()
SMALL = {"in_channels": 8, "out_channels": 3, "num_nodes": 120, "hidden_channels": 8, "k1": 6, "k2": 3}
UNFIT = {"ignores-graph", "ignores-weights", "uses-labels", "parameter-free"}
NETWORKS = [entry for entry in MODELS if entry.is_network and entry.build is not adjacency_network]


def loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return (F.cross_entropy(output, target, reduction="none") * weight).sum() / weight.sum()


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry.name)
def test_it_goes_around_every_network_that_takes_edge_weights(entry) -> None:
    torch.manual_seed(0)
    if UNFIT & entry.traits:
        with pytest.raises(
            InputError, match=f"network = '{entry.name}', which .*takes edge weights, such as"
        ):
            create("adjacency-gcn", network=entry.name, **SMALL)
        return
    model = create("adjacency-gcn", network=entry.name, **SMALL)
    with torch.no_grad():  # some begin as the identity filter, which reads no graph
        for number, part in enumerate(model.network.parameters()):
            part.add_(0.1 * torch.randn(part.shape, generator=torch.Generator().manual_seed(number)))
    model(X, A).square().sum().backward()
    assert model.learner.heads.weight.grad.any()


def bandit(**settings: object) -> AdjacencyNetwork:
    torch.manual_seed(0)
    model = create("adjacency-gcn", candidates="bandit", pretraining=5, **{**SMALL, **settings})
    assert isinstance(model, AdjacencyNetwork)
    return model.eval()


def test_the_held_out_nodes_are_training_nodes_out_of_the_loss() -> None:
    model = bandit(holdout=0.3)
    held, counted = model.held(MASK), model.counted(MASK)
    assert torch.equal(held | counted, MASK)
    assert not (held & counted).any()
    assert 0.1 < float(held.sum() / MASK.sum()) < 0.5
    one = torch.zeros(120, dtype=torch.bool)
    one[7] = True
    assert torch.equal(model.held(one), one)  # at least one is held out, and one is left
    assert torch.equal(model.counted(one), one)
    assert torch.equal(create("adjacency-gcn", **SMALL).counted(MASK), MASK)


def test_a_reward_is_what_an_edge_takes_off_the_loss_of_held_out_nodes() -> None:
    model, x = bandit().double(), X.double()
    graph = model.refresh(0, x, A.to(torch.float64), Y, MASK, loss)
    assert graph is not None
    rewards = model._rewards(x, graph, Y, MASK, loss)
    values = model.learner.fused(x, graph).values.detach()
    held = model.held(MASK).double()

    def held_loss(values: Tensor) -> float:
        return float(loss(model.network(x, graph.given, LearnedOperator(graph, values)), Y, held).detach())

    step = 1e-5
    for i, slot in ((0, 0), (5, 2), (60, 5), (119, 1)):
        place = graph.places[i, slot]
        less = values.clone()
        for entry in {int(place), int(graph.mirrored[place])}:
            less[entry] *= 1 - step
        assert float(rewards[i, slot]) == pytest.approx(
            (held_loss(less) - held_loss(values)) / step, abs=1e-4
        )


def test_labels_outside_the_training_nodes_are_never_read() -> None:
    other = torch.where(MASK, Y, (Y + 1) % 3)
    found = []
    for labels in (Y, other):
        model = bandit(every=1)
        graph = model.refresh(0, X, A, labels, MASK, loss)
        for epoch in (1, 2):
            graph = model.refresh(epoch, X, graph, labels, MASK, loss) or graph
        found.append(graph.chosen)
    assert torch.equal(*found)
