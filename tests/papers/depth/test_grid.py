"""What the study of depth combines: all that was asked for, bound to what exists; wrong files and cells are refused."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models.catalog import create
from allpass.papers.depth.grid import Combination
from allpass.papers.depth.study import STUDY
from allpass.papers.study import Plan
from allpass.train.job import TRAINING

GRID = STUDY.grid
EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def test_everything_is_combined_and_shallow_networks_come_first() -> None:
    asked = GRID.asked(Plan())
    assert len(asked) == len(set(asked)) == 6 * 10 * 4 * 5
    assert [place.layers for place in asked] == sorted(place.layers for place in asked)


def test_quick_is_two_depths_and_two_initialisations_on_cora() -> None:
    asked = GRID.asked(Plan(quick=True))
    assert {place.dataset for place in asked} == {"cora"}
    assert {place.layers for place in asked} == {2, 8}
    assert {place.initialisation for place in asked} == {"glorot", "he"}
    how = GRID.how(Plan(quick=True))
    assert (how.splits["count"], how.stop["max_epochs"]) == (2, 20)
    assert how.stop["patience"] == GRID.protocol.stop["patience"]


def test_cells_choose_on_their_own_axes_whatever_their_case() -> None:
    plan = Plan(cells=("CORA", "pubmed", "Energy", "relu", "16"))
    assert GRID.asked(plan) == [
        Combination("cora", "relu", "energy", 16),
        Combination("pubmed", "relu", "energy", 16),
    ]


def test_a_named_cell_is_quick_too() -> None:
    asked = GRID.asked(Plan(cells=("citeseer", "energy"), quick=True))
    assert {(place.dataset, place.initialisation, place.layers) for place in asked} == {
        ("citeseer", "energy", 2),
        ("citeseer", "energy", 8),
    }


def test_a_quick_plan_that_names_all_depths_has_all_of_them() -> None:
    asked = GRID.asked(Plan(cells=tuple(map(str, GRID.depths)), quick=True))
    assert {place.layers for place in asked} == set(GRID.depths)


def test_an_unknown_cell_is_told() -> None:
    with pytest.raises(InputError, match=r"no cell 'glorto' in 'depth'.*Did you mean 'glorot'"):
        GRID.asked(Plan(cells=("glorto",)))


@pytest.mark.parametrize("initialisation", GRID.initialisations)
@pytest.mark.parametrize("activation", GRID.activations)
def test_every_network_can_be_built(initialisation: str, activation: str) -> None:
    settings = {name: value for name, value in GRID.fixed.items() if name not in TRAINING}
    chosen = {"init": initialisation, "activation": activation, "num_layers": 3}
    network = create("gcn", in_channels=5, out_channels=2, graph=EDGES, **settings, **chosen)
    assert network(torch.ones(3, 5), EDGES).shape == (3, 2)
