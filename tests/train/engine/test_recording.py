"""A recorded function gives what the function gives, bit for bit, and is not recorded where values decide."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.engine import recording
from allpass.train.engine.recording import AFTER, Recorded, record
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping


def step(weight: Tensor, x: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """A gradient, and a change in place of one of the inputs."""
    leaf = weight.detach().requires_grad_()
    count.add_(1)
    output = (x @ leaf * count).tanh()
    (gradient,) = torch.autograd.grad(output.square().sum(), [leaf])
    return gradient, output.detach()


def inputs(seed: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(4, 2, generator=generator), torch.randn(5, 4, generator=generator), torch.zeros(())]


def test_it_replays_gradients_and_changes_in_place() -> None:
    first = inputs(0)
    replay = record(step, *first)
    assert replay is not None
    assert float(first[2]) == 0  # recording has changed nothing
    for seed in range(3):
        ours, theirs = inputs(seed), inputs(seed)
        for _ in range(2):
            for a, b in zip(replay(*ours), step(*theirs), strict=True):
                assert torch.equal(a, b)
        assert float(ours[2]) == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 if bool(x.sum() > 0) else x,
        lambda x: x * float(x.max()),
        lambda x: x[x > 0].sum(),
        lambda x: x.nonzero().sum() + x.sum(),
    ],
)
def test_where_values_decide_nothing_is_recorded(function) -> None:
    assert record(function, torch.randn(5)) is None


def test_a_function_is_recorded_after_some_quick_calls_and_not_while_it_is_slow(monkeypatch) -> None:
    called = []

    def double(x: Tensor) -> Tensor:
        called.append(1)
        return x * 2

    recorded = Recorded(double)
    for number in range(AFTER + 10):
        assert float(recorded(torch.tensor(float(number)))) == 2 * number
    assert len(called) == AFTER + 3  # one call to warm up, one to record, and the one that was asked for
    monkeypatch.setattr(recording, "SLOW", 0.0)
    called.clear()
    slow = Recorded(double)
    for _ in range(AFTER + 10):
        slow(torch.ones(()))
    assert len(called) == AFTER + 10


@pytest.mark.parametrize(
    "model", ["acm-gcn", "gat", "gprgnn", "cpgnn", "h2gcn", "gcn-jk", "acm-gcn++", "label-propagation"]
)
def test_trainings_with_and_without_are_equal_to_the_last_bit(model: str, monkeypatch) -> None:
    x, A, y, _ = learnable_graph()
    data = Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))
    parts = splits(data, "random", count=2)
    rule = stopping("fixed", max_epochs=AFTER)  # two calls an epoch: half of them are replayed
    with_it = fit(model, data, parts, stop=rule, curves=True)
    monkeypatch.setattr(recording, "SLOW", 0.0)
    without = fit(model, data, parts, stop=rule, curves=True)
    for a, b in zip(with_it, without, strict=True):
        assert a.scores == b.scores
        assert all(torch.equal(a.curves[name], b.curves[name]) for name in a.curves)
