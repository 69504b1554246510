"""Predictions on the graph of a training: the report's formulas, written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from allpass.data import load
from allpass.papers.depth.predictions import Ground
from allpass.papers.depth.study import STUDY
from allpass.papers.depth.trainings import DeepTrainings

FEATURES, HIDDEN, CLASSES = 1433, 8, 7


def settings(**changed: Any) -> dict[str, Any]:
    base = {"hidden_channels": HIDDEN, "num_layers": 4, "activation": "relu", "init": "he"}
    return {**STUDY.grid.fixed, **base, **changed}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground.of(DeepTrainings("cora", STUDY.grid.protocol, settings(), (0.01,)))


@pytest.fixture(scope="module")
def degrees() -> np.ndarray[Any, Any]:
    data = load("cora")
    return np.bincount(data.edge_index[0].numpy(), minlength=data.num_nodes).astype(float)


def test_the_ground_is_what_is_trained_on(ground: Ground) -> None:
    x = load("cora").x.numpy()
    rows = x / np.maximum(x.sum(1, keepdims=True), 1)
    assert ground.moment == pytest.approx((rows**2).mean(), rel=1e-5)
    assert (ground.features, ground.classes) == (FEATURES, CLASSES)


@pytest.mark.parametrize(("assumption", "alpha"), [("independent", 0.0), ("alike", 1.0)])
@pytest.mark.parametrize(("activation", "gain"), [("relu", 0.5), ("tanh", 1.0), ("adarelu", 1.0)])
def test_variance_layer_by_layer(
    ground: Ground,
    degrees: np.ndarray[Any, Any],
    assumption: str,
    alpha: float,
    activation: str,
    gain: float,
) -> None:
    share = np.mean((alpha * degrees + 1) / (degrees + 1))
    value, expected = ground.moment, []
    for layer, width in enumerate([FEATURES, HIDDEN, HIDDEN, HIDDEN]):
        value *= share * width * (2 / width) * (gain if layer else 1.0)  # He: 2 / F_l
        expected.append(math.log10(value))
    found = ground.predicted(settings(activation=activation))
    assert found[f"{assumption}_variance"] == pytest.approx(expected, rel=1e-9)
    widths = np.array([HIDDEN] * 3 + [CLASSES])
    energies = np.log10(len(degrees) * widths) + expected
    assert found[f"{assumption}_energy"] == pytest.approx(energies, rel=1e-9)


def test_gradients_have_one_prediction(ground: Ground, degrees: np.ndarray[Any, Any]) -> None:
    found = ground.predicted(settings(init="glorot"))
    share = np.mean(1 / (degrees + 1))
    value = (CLASSES - 1) / CLASSES**2
    expected = [math.log10(value)]
    for fan_in, fan_out in ((HIDDEN, CLASSES), (HIDDEN, HIDDEN), (HIDDEN, HIDDEN)):
        value *= 0.5 * share * fan_out * 2 / (fan_in + fan_out)
        expected.insert(0, math.log10(value))
    assert found["independent_gradient_variance"] == pytest.approx(expected, rel=1e-9)
    assert "alike_gradient_variance" not in found


def test_orthogonal_weights_keep_the_energy_of_independent_neighbours(ground: Ground) -> None:
    found = ground.predicted(settings(init="energy", activation="adarelu"))
    assert np.ptp(found["independent_energy"][:3]) == pytest.approx(0, abs=1e-9)


def test_effective_degree_has_the_correlation_of_its_settings(
    ground: Ground, degrees: np.ndarray[Any, Any]
) -> None:
    alpha = STUDY.grid.fixed["alpha"]
    factor = 2 * np.mean((degrees + 1) / (alpha * degrees + 1)) * np.mean(1 / (degrees + 1))
    found = ground.predicted(settings(init="effective-degree"))["independent_variance"]
    assert found[0] == pytest.approx(math.log10(ground.moment * factor), rel=1e-9)
