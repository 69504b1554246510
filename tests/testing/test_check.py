"""What ``check`` says of layers that break a promise, each by one mistake that is easily made."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.nn import GCNConv
from allpass.nn.inputs import dense, read
from allpass.testing import CLASSES, FEATURES, Subject, check


class Broken(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = GCNConv(FEATURES, CLASSES)


class DropsTorchsWay(Broken):
    def forward(self, x, edge_index, edge_weight=None):
        return F.dropout(self.conv(x, edge_index, edge_weight), training=self.training)


class ForgetsWeights(Broken):
    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index)


class WantsDense(Broken):
    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x[:, [4, 3, 2, 1, 0]], edge_index, edge_weight)


class KnowsTheirPlaces(Broken):
    def forward(self, x, edge_index, edge_weight=None):
        x, A = read(x, edge_index, edge_weight)
        return self.conv(dense(x) * torch.arange(x.shape[0])[:, None], A)


class HasIdleWeights(Broken):
    def __init__(self) -> None:
        super().__init__()
        self.idle = nn.Parameter(torch.ones(2))

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index, edge_weight)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (DropsTorchsWay, "mine: batches under vmap: RuntimeError: .*random"),
        (ForgetsWeights, "mine: takes edge index or operator: edge_index with edge_weight: off by"),
        (WantsDense, "mine: takes sparse features: .*Error"),
        (KnowsTheirPlaces, "mine: is equivariant: another order of the nodes: off by"),
        (HasIdleWeights, "mine: uses every parameter: no gradient ever reaches idle"),
        (GCNConv, "mine: .*TypeError: .*missing 2 required"),
        (lambda: GCNConv(FEATURES + 1, CLASSES), "mine: .*InputError: Got features of shape"),
    ],
)
def test_the_first_broken_promise_is_named(build, message):
    with pytest.raises(AssertionError, match=message) as caught:
        check(Subject("mine", build))
    assert caught.value.__cause__ is not None
    assert str(caught.value).count("mine") == 1


def test_a_wrong_formula():
    def build() -> GCNConv:
        return GCNConv(FEATURES, CLASSES)

    with pytest.raises(
        AssertionError, match=r"^mine: follows its formula: the formula on a graph undirected: off"
    ):
        check(Subject("mine", build, reference=lambda module, X, A: A @ X @ module.weight))


def test_a_module_is_no_subject():
    with pytest.raises(InputError, match=r"Got a GCNConv to check. Expected a Subject"):
        check(GCNConv(FEATURES, CLASSES))
