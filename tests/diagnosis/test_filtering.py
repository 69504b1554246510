"""The separation of nodes against the dense definition on the paper's seven-node example."""

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import load
from allpass.diagnosis.filtering import GROUPS, separate
from allpass.metrics import prepare


def test_seven_node_example():
    """Averaging confuses nodes 1 and 3 with the other class; their differences set all nodes apart."""
    data = load("example-high-pass")
    found = separate(prepare(data))
    A = torch.eye(7, dtype=torch.float64)
    A[data.edge_index[0], data.edge_index[1]] = 1
    L = A / A.sum(1, keepdim=True)
    same = data.y.unsqueeze(0) == data.y.unsqueeze(1)
    M = L @ data.x.double()
    S = M @ M.T
    own = (S * same).sum(1) / same.sum(1)
    other = (S * ~same).sum(1) / (~same).sum(1)
    low = own >= other - 1e-12
    assert found.shares["both"] == pytest.approx(float(low.double().mean()))
    assert found.shares["high-pass only"] == pytest.approx(float((~low).double().mean()))
    assert found.shares["high-pass only"] > 0


def test_groups_add_up_by_class():
    generator = torch.Generator().manual_seed(5)
    data = Data(
        edge_index=torch.randint(0, 40, (2, 120), generator=generator),
        x=torch.randn(40, 6, generator=generator),
        y=torch.arange(40) % 4 - 1,  # a quarter of the nodes has no label
        num_nodes=40,
    )
    found = separate(prepare(data))
    assert sum(found.shares.values()) == pytest.approx(1.0)
    for group in GROUPS:
        assert found.shares[group] == pytest.approx(sum(c[group] for c in found.by_class) / 3)


def test_labels_stand_in_for_missing_features():
    assert separate(prepare(load("karate"))).signal == "labels"


def test_nothing_to_separate_with_one_class():
    data = Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 0]), num_nodes=2)
    assert separate(prepare(data)) is None
