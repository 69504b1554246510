"""Every registered layer and model keeps every contract; one without a reference formula fails."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from allpass.models import MODELS
from allpass.nn import LAYERS
from allpass.testing import (
    BAR,
    CONTRACTS,
    Subject,
    accuracy_after_training,
    agrees_on_cuda,
    layer_subject,
    model_subject,
)

FAMILIES = [
    importlib.import_module(f"tests.references.{part.name}")
    for part in pkgutil.iter_modules([str(Path(__file__).parents[1] / "references")])
]
LAYER_FORMULAS = {name: formula for family in FAMILIES for name, formula in family.LAYERS.items()}
MODEL_FORMULAS = {name: formula for family in FAMILIES for name, formula in family.MODELS.items()}

NETWORKS = [entry for entry in MODELS if entry.is_network]

SUBJECTS = [
    *(
        pytest.param(layer_subject(entry, LAYER_FORMULAS.get(entry.name)), id=f"layer {entry.name}")
        for entry in LAYERS
    ),
    *(
        pytest.param(model_subject(entry, MODEL_FORMULAS.get(entry.name)), id=f"model {entry.name}")
        for entry in NETWORKS
    ),
]


def test_there_is_a_reference_for_every_member_and_no_other() -> None:
    assert set(LAYER_FORMULAS) == set(LAYERS.names)
    assert set(MODEL_FORMULAS) == {entry.name for entry in NETWORKS}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_it_keeps_the_contract(subject: Subject, contract: Callable[[Subject], None]) -> None:
    contract(subject)


@pytest.mark.gpu
@pytest.mark.parametrize("subject", SUBJECTS)
def test_cuda_agrees(subject: Subject) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    agrees_on_cuda(subject)


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry.name)
def test_it_learns_a_graph_it_can_solve(entry) -> None:
    torch.manual_seed(0)
    small = {"hidden_channels": 16} if "hidden_channels" in entry.settings else {}
    from allpass.models import create

    model = create(entry.name, in_channels=8, out_channels=3, num_nodes=120, **small)
    labels = "uses-labels" in entry.traits
    assert accuracy_after_training(model, epochs=60, lr=0.05, uses_labels=labels) >= BAR
