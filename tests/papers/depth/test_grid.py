"""What the study of depth combines: all that was asked for, bound to what exists; wrong files and cells are refused."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.models.catalog import create
from allpass.papers.content import read_text
from allpass.papers.depth import STUDY
from allpass.papers.depth.grid import Combination, parse_grid
from allpass.papers.study import Plan
from allpass.train.job import TRAINING

GRID = STUDY.spec
TEXT = read_text("depth")
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("depths = [2, 4", "depths = [4, 2", "depth, depths: got .*the smallest first"),
        ("depths = [2, 4", "depths = [0, 4", "depth, depths: got .*numbers of layers"),
        ('cora = "Cora"', 'corra = "Cora"', "depth, datasets: there is no dataset 'corra'"),
        ('relu = "ReLU"', 'rleu = "ReLU"', "depth, activations: there is no activation 'rleu'"),
        ('["glorot", "he", "f', '["glorot", "hee", "f', "depth, initialisations: there is no init.* 'hee'"),
        (
            'baseline = "glorot"',
            'baseline = "xavier"',
            "depth, baseline: there is no initialisation 'xavier'",
        ),
        ("dropout = 0.0", "droput = 0.0", "depth, fixed: there is no setting 'droput'.*'dropout'"),
        ("[tried]\nlr", "[tried]\nrate", "depth, tried: there is no entry 'rate'"),
        ("depths = [8, 32]", "depths = [8, 33]", "depth, profiles: there is no entry of depths '33'"),
        ('datasets = ["cora"]', 'datasets = ["film"]', "depth, quick: there is no entry of datasets 'film'"),
        ("epochs = 20", "epoch = 20", "depth, quick: there is no entry 'epoch'"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=message):
        parse_grid(TEXT.replace(old, new, 1))
