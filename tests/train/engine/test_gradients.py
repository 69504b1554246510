"""All replicas at once equal one after the other, for every model, with the masks of dropout advancing alike."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.graph import Operator
from allpass.models import MODELS, create
from allpass.models.entry import Model
from allpass.nn import seed_dropout
from allpass.testing import examples
from allpass.train.engine.flat import Layout, stack_buffers
from allpass.train.engine.gradients import OneByOne, Problem, Together
from allpass.train.engine.recording import AFTER

TRAINED = [
    entry for entry in MODELS if entry.is_network and not {"parameter-free", "not-batchable"} & entry.traits
]


def loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    chosen = F.log_softmax(output, dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
    return -(chosen * weight).sum() / weight.sum()


@pytest.mark.parametrize("entry", TRAINED, ids=lambda entry: entry.name)
def test_together_equals_one_by_one(entry: Model) -> None:
    example, models = examples()[0], []
    for seed in range(3):
        torch.manual_seed(seed)
        models.append(create(entry.name, in_channels=5, out_channels=3, num_nodes=13).double())
        seed_dropout(models[-1], seed)
    layout = Layout.of(models[0])
    rows = torch.stack([layout.row(dict(model.named_parameters())) for model in models])
    masks = torch.rand(3, 13, generator=torch.Generator().manual_seed(0)) < 0.6
    problem = Problem(example.x, example.operator, example.y, loss, "uses-labels" in entry.traits)
    found = []
    for way in (Together, OneByOne):
        buffers, gradients = stack_buffers(models), way(models[0], layout, problem)
        steps = [gradients.gradient(rows, buffers, masks) for _ in range(2)]
        whole = [tensor for parts, outputs in steps for tensor in (torch.cat(parts, dim=1), outputs)]
        found.append([*whole, gradients.outputs(rows, buffers, masks), *buffers.values()])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", [Together, OneByOne])
def test_without_masks_a_rate_of_0_gives_the_same_bits_and_the_stream_of_masks_stands_still(
    way: type[Together] | type[OneByOne],
) -> None:
    example, model = examples()[0], create("gcn", in_channels=5, out_channels=3, dropout=0.0).double()
    layout = Layout.of(model)
    rows = layout.row(dict(model.named_parameters())).unsqueeze(0)
    problem = Problem(example.x, example.operator, example.y, loss)
    found, keys = [], []
    for dropout in (True, False):
        buffers = stack_buffers([model])
        parts, outputs = way(model, layout, problem, dropout=dropout).gradient(
            rows, buffers, torch.ones(1, 13, dtype=torch.bool)
        )
        found.append((torch.cat(parts, dim=1), outputs))
        keys.append(next(value for name, value in buffers.items() if name.endswith("key")))
    for with_masks, without in zip(*found, strict=True):
        assert torch.equal(with_masks, without)
    assert not torch.equal(keys[0], keys[1])
    assert torch.equal(keys[1], stack_buffers([model])["dropouts.0.key"])


class Tied(nn.Module):
    """One weight under two names, and a buffer of no replica's own making."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(5, 5), nn.Linear(5, 5)
        self.second.weight = self.first.weight
        self.register_buffer("scale", torch.rand(()))
        self.register_buffer("nothing", None)

    def forward(self, x: Tensor, graph: Operator) -> Tensor:
        assert isinstance(self.scale, Tensor)
        return self.second(graph @ self.first(x).relu()) * self.scale


def test_a_weight_in_two_places_is_one_weight() -> None:
    example, models = examples()[0], [Tied().double() for _ in range(2)]
    layout = Layout.of(models[0])
    rows = torch.stack([layout.row(dict(model.named_parameters())) for model in models])
    problem = Problem(example.x, example.operator, example.y, loss)
    masks = torch.ones(2, 13, dtype=torch.bool)
    gradients, _ = OneByOne(models[0], layout, problem).gradient(rows, stack_buffers(models), masks)
    for model, gradient in zip(models, torch.cat(gradients, dim=1), strict=True):
        value = loss(model(example.x, example.operator), example.y, torch.ones(13).double())
        wanted = torch.autograd.grad(value, list(model.parameters()))
        torch.testing.assert_close(gradient, torch.cat([part.flatten() for part in wanted]))


class Changing(nn.Module):
    """A product with the graph, which is another one from the fifth epoch on."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(5, 3, dtype=torch.float64))
        self.register_buffer("times", torch.zeros(()))

    def forward(self, x: Tensor, A: Operator) -> Tensor:
        return A @ (x @ self.weight)

    def refresh(self, epoch: int, x: Tensor, A: Operator, target: Tensor, mask: Tensor, loss: object):
        self.times.add_(1)
        return Operator(A.pattern, 2 * A.values) if epoch == 5 else None


def test_a_refresh_changes_the_graph_of_steps_that_are_recorded() -> None:
    example, model = examples()[0], Changing()
    layout, buffers = Layout.of(model), stack_buffers([model])
    rows = layout.row(dict(model.named_parameters())).unsqueeze(0)
    masks = torch.ones(1, 13, dtype=torch.bool)
    gradients = OneByOne(model, layout, Problem(example.x, example.operator, example.y, loss))
    wanted = model(example.x, example.operator).detach()
    for epoch in range(5):
        for _ in range(AFTER):
            found = gradients.outputs(rows, buffers, masks)[0]
        gradients.refresh(epoch, rows, buffers, masks, None)
        torch.testing.assert_close(found, wanted)
    gradients.refresh(5, rows, buffers, masks, None)
    torch.testing.assert_close(gradients.outputs(rows, buffers, masks)[0], 2 * wanted)
    assert float(buffers["times"][0]) == 6


def test_a_model_that_refreshes_now_and_then_is_not_asked_in_between() -> None:
    example, model = examples()[0], Changing()
    model.refresh_every = 5
    layout, buffers = Layout.of(model), stack_buffers([model])
    rows = layout.row(dict(model.named_parameters())).unsqueeze(0)
    masks = torch.ones(1, 13, dtype=torch.bool)
    gradients = OneByOne(model, layout, Problem(example.x, example.operator, example.y, loss))
    for epoch in range(11):
        gradients.refresh(epoch, rows, buffers, masks, None)
    assert float(buffers["times"][0]) == 3  # at 0, 5 and 10
