"""Labels as features: which columns there are, which labels a step shows, and sparse features against dense ones."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

from allpass.graph.operator import Operator
from allpass.nn import GCNConv, LabelInput
from allpass.nn.label_input import beside
from allpass.testing import examples

EXAMPLE = examples()[0]
KNOWN = {"labels": EXAMPLE.y, "mask": EXAMPLE.mask}


class Seen(nn.Module):
    """Gives its features as they came."""

    def forward(self, x, edge_index):
        return x.to_dense() if isinstance(x, Operator) else x


def test_in_evaluation_every_training_label_is_shown() -> None:
    found = LabelInput(Seen(), 3).eval()(EXAMPLE.x, EXAMPLE.operator, **KNOWN)
    assert torch.equal(found[:, :5], EXAMPLE.x)
    for node in range(13):
        wanted = [float(EXAMPLE.mask[node] and EXAMPLE.y[node] == c) for c in range(3)]
        assert found[node, 5:].tolist() == [*wanted, float(EXAMPLE.mask[node])]


def test_in_training_the_shown_half_and_the_counted_half_share_no_node() -> None:
    layer = LabelInput(Seen(), 3, seed=1).train()
    steps = []
    for _ in range(400):
        shown = layer(EXAMPLE.x, EXAMPLE.operator, **KNOWN)[:, -1] > 0
        counted = layer.counted(EXAMPLE.mask)
        assert torch.equal(shown | counted, EXAMPLE.mask)
        assert not bool((shown & counted).any()) or torch.equal(counted, EXAMPLE.mask)
        assert bool(counted.any())
        steps.append(shown)
    often = torch.stack(steps).double().mean(0)
    assert bool(((often[EXAMPLE.mask] - 0.5).abs() < 0.1).all())


def test_a_step_that_hides_nothing_counts_every_training_node() -> None:
    layer, one = LabelInput(Seen(), 3).train(), torch.arange(13) == 4
    for _ in range(20):
        layer(EXAMPLE.x, EXAMPLE.operator, labels=EXAMPLE.y, mask=one)
        assert torch.equal(layer.counted(one), one)


def test_the_seed_decides_the_halves() -> None:
    def halves(seed: int) -> list[list[bool]]:
        layer = LabelInput(Seen(), 3, seed=seed).train()
        return [(layer(EXAMPLE.x, EXAMPLE.operator, **KNOWN)[:, -1] > 0).tolist() for _ in range(5)]

    assert halves(0) == halves(0)
    assert halves(0) != halves(1)


@pytest.mark.parametrize(("outputs", "columns"), [(1, 2), (2, 3), (3, 4)])
def test_columns_of_classes(outputs: int, columns: int) -> None:
    labels = EXAMPLE.y.clamp(max=max(outputs - 1, 1))
    found = LabelInput(Seen(), outputs).columns(labels, EXAMPLE.mask, torch.float64)
    assert found.shape == (13, columns)
    if outputs == 1:
        assert torch.equal(found[:, 0], torch.where(EXAMPLE.mask, labels, 0).double())


def test_columns_of_numbers_with_unknown_ones() -> None:
    numbers = torch.where(EXAMPLE.mask.unsqueeze(1), EXAMPLE.x[:, :2], torch.nan)
    found = LabelInput(Seen(), 2).columns(numbers, EXAMPLE.mask, torch.float64)
    wanted = torch.where(EXAMPLE.mask.unsqueeze(1), EXAMPLE.x[:, :2], 0)
    assert torch.equal(found, torch.cat([wanted, EXAMPLE.mask.double().unsqueeze(1)], 1))


@given(st.integers(0, 1000), st.integers(1, 5))
def test_columns_beside_sparse_features(seed: int, more: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(7, 4, generator=generator) * (torch.rand(7, 4, generator=generator) < 0.3)
    columns = torch.randn(7, more, generator=generator)
    found = beside(Operator.from_sparse(x.to_sparse_csr()), columns)
    assert torch.equal(found.to_dense(), torch.cat([x, columns], 1))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_replicas_at_once_equal_one_by_one(sparse: bool, training: bool) -> None:
    def made(seed: int) -> LabelInput:
        torch.manual_seed(seed)
        return LabelInput(GCNConv(5 + 3 + 1, 3), 3, seed=seed).double().train(training)

    x = EXAMPLE.x.to_sparse_csr() if sparse else EXAMPLE.x
    masks = torch.stack([EXAMPLE.mask, ~EXAMPLE.mask, EXAMPLE.mask.flip(0)])
    layers = [made(seed) for seed in range(3)]
    parameters, buffers = stack_module_state(layers)
    buffers = {name: value.clone() for name, value in buffers.items()}
    frame = made(0)
    found = vmap(
        lambda p, b, mask: functional_call(
            frame, (p, b), (x, EXAMPLE.operator), {"labels": EXAMPLE.y, "mask": mask}
        )
    )(parameters, buffers, masks)
    for number, (layer, mask) in enumerate(zip(layers, masks, strict=True)):
        wanted = layer(x, EXAMPLE.operator, labels=EXAMPLE.y, mask=mask)
        torch.testing.assert_close(found[number], wanted)
