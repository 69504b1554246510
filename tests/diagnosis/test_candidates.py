"""Which models a verdict compares."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.diagnosis.candidates import SQUARES, Candidate, candidates_for
from allpass.errors import InputError, UnknownNameError


def graph(*, features: bool = True, numbers: bool = False) -> Data:
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    data.y = torch.tensor([0.5, 1.5]) if numbers else torch.tensor([0, 1])
    data.x = torch.ones(2, 3) if features else None
    return data


def test_every_square_has_candidates():
    assert {one.square for one in candidates_for(graph())} == set(SQUARES)


def test_the_squares_follow_what_a_model_reads():
    expected = {
        "mlp-2": "features",
        "feature-trees": "features",
        "feature-linear": "features",
        "label-propagation": "structure",
        "trees": "both",
        "linear": "both",
    }
    assert {name: Candidate(name).square for name in expected} == expected


def test_without_features_only_the_structure_is_asked():
    assert {one.square for one in candidates_for(graph(features=False))} == {"structure"}
    with pytest.raises(InputError, match="has no features, and 'gcn' needs some"):
        candidates_for(graph(features=False), ["gcn"])


def test_a_network_that_ends_in_relu_regresses_nothing():
    names = [one.model for one in candidates_for(graph(numbers=True))]
    assert "acm-gcn" not in names
    assert "gcn" in names


def test_named_candidates_are_taken_as_they_are():
    assert [one.model for one in candidates_for(graph(), ["gcn", "trees", "gcn"])] == ["gcn", "trees"]
    with pytest.raises(InputError, match="Got candidates = 'gcn'"):
        candidates_for(graph(), "gcn")
    with pytest.raises(UnknownNameError, match="Did you mean 'trees'"):
        candidates_for(graph(), ["treess"])[0].square  # noqa: B018
