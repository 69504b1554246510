from __future__ import annotations

import copy
import math
from dataclasses import replace

import pytest
import torch
from sklearn.metrics import f1_score
from tests.train.trainings import drawn, graph
from torch_geometric.data import Data

from allpass.data import contextual_sbm
from allpass.errors import InputError
from allpass.train.fit import fit
from allpass.train.folds import best, train_folds
from allpass.train.given import divide
from allpass.train.rare import Threshold, best_threshold
from allpass.train.rules.stopping import stopping

SHORT = stopping("fixed", max_epochs=5)


@pytest.fixture(scope="module")
def data():
    return graph()


@pytest.fixture
def numbers(data):
    found = copy.copy(data)
    found.y = 1e4 + 300 * (data.x @ torch.arange(5.0))
    found.y[:3] = torch.nan
    return found


@pytest.mark.parametrize("count", [0, -1])
def test_no_splits_are_refused(data, count):
    with pytest.raises(InputError, match=f"Got count={count}"):
        divide(data, count=count)


def test_a_model_for_every_split(data):
    folds = divide(data, count=2)
    models = train_folds("gcn", data, folds, {"lr": 0.05}, seed=4, stop=SHORT, scaling="rows")
    runs = fit("gcn", data, folds, {"lr": 0.05}, seeds=4, stop=SHORT, scaling="rows")
    for model, run, fold in zip(models, runs, folds, strict=True):
        assert model.scores == run.scores
        assert model.split == fold.name
        assert model.scaler.kind == "rows"


@pytest.fixture
def rare() -> Data:
    """Fifty frauds among five hundred accounts; the first number is higher for them."""
    found = contextual_sbm([450, 50], [[0.9, 0.1], [0.1, 0.9]], average_degree=3, num_features=3, seed=2)
    found.x = torch.randn(500, 3, generator=torch.Generator().manual_seed(0))
    found.x[:, 0] += found.y
    return found


def test_a_rare_class_gets_the_threshold_of_the_best_f1_on_its_validation_nodes(rare):
    folds = divide(rare, count=2)
    for model, fold in zip(train_folds("mlp-1", rare, folds, {"lr": 0.1}, stop=SHORT), folds, strict=True):
        chances, truth = model.probabilities(rare)[fold.val, 1], rare.y[fold.val] == 1
        assert model.threshold == Threshold(1, best_threshold(chances, truth))
        assert f1_score(truth, model.predict(rare)[fold.val.numpy()] == 1) > 0.1


def test_classes_that_are_not_rare_or_not_two_get_none(data, rare):
    rare.y[:80] = 1
    (two,) = train_folds("mlp-1", rare, divide(rare, count=1), {}, stop=SHORT)
    (three,) = train_folds("mlp-1", data, divide(data, count=1), {}, stop=SHORT)
    assert two.threshold == Threshold(1)
    assert three.threshold is None


def test_class_weights_reach_the_training(rare):
    """Where they are balanced, the mean probability of a class of a tenth is far higher."""
    folds, how = divide(rare, count=1), {"stop": stopping("fixed", max_epochs=100)}
    plain, balanced = (
        train_folds("mlp-1", rare, folds, {"lr": 0.1}, class_weight=name, **how)[0]
        .probabilities(rare)[:, 1]
        .mean()
        for name in (None, "balanced")
    )
    assert float(balanced) > float(plain) + 0.1


def test_numbers_are_learnt_whatever_their_unit(numbers):
    folds = divide(numbers, count=2)
    rule = stopping("fixed", max_epochs=150)
    models = train_folds("mlp-1", numbers, folds, {"lr": 0.1, "dropout": 0.0}, stop=rule)
    for model, fold in zip(models, folds, strict=True):
        assert model.scores["test_score"] > 0.9
        assert model.scores["test_score"] == model.measure(numbers, fold.test, "r2")
        known = numbers.y[fold.test]
        error = torch.from_numpy(model.predict(numbers))[fold.test] - known
        assert model.scores["test_loss"] == pytest.approx(error.square().mean().item(), rel=1e-3)
        assert abs(float(error.mean())) < 300


def _with(score: float, loss: float, kind: str = "accuracy"):
    return replace(drawn(), score=kind, scores={"val_score": score, "val_loss": loss})


def test_the_best_by_validation():
    assert best([_with(0.5, 1.0), _with(0.7, 1.0), _with(0.6, 0.1)]) == 1
    assert best([_with(0.7, 1.0), _with(0.7, 0.5)]) == 1
    assert best([_with(math.nan, math.nan), _with(0.1, 2.0)]) == 1
    assert best([_with(3.0, 1.0, "mae"), _with(2.0, 1.0, "mae")]) == 1


def test_no_sound_training_is_told():
    with pytest.raises(InputError, match="No training came to a sound epoch"):
        best([_with(math.nan, math.nan)])
