from __future__ import annotations

import statistics

import pytest
import torch
from tests.train.trainings import graph

from allpass.data import splits
from allpass.errors import InputError
from allpass.train import Trained, checkpoint, fit, refit, train_folds
from allpass.train.given import divide
from allpass.train.rare import Threshold

pytestmark = pytest.mark.usefixtures("unrecorded")


@pytest.fixture(scope="module")
def data():
    return graph()


@pytest.mark.parametrize("model", ["gcn", "trees"])
def test_all_labels_for_the_median_of_the_epochs(data, tmp_path, model):
    options = {"epochs": 30} if model == "gcn" else {}
    some = data.clone()
    some.y[:7] = -1
    folds = divide(some, count=3)
    models = train_folds(model, some, folds, {}, **options)
    final = refit(models, some, folds, **options)
    assert final.epoch == statistics.median(one.epoch for one in models)
    assert final.sets.tolist() == [0] * 7 + [1] * 53
    tests = [one.scores["test_score"] for one in models]
    assert final.estimate["mean"] == pytest.approx(statistics.mean(tests))
    assert final.estimate["count"] == 3
    again = checkpoint.load(checkpoint.save(final, tmp_path / "kept"))
    assert (again.refit, again.split, dict(again.estimate)) == (True, "all labels", dict(final.estimate))
    assert torch.equal(again.outputs(some), final.outputs(some))


def test_as_many_epochs_on_the_same_nodes_are_the_same_model(data):
    (split,) = splits(data, "random", count=1)
    (run,) = fit("gcn", data, split, {"dropout": 0.5}, epochs=40)
    only = data.clone()
    only.y[~split.train] = -1
    final = refit([Trained.of(run, data)], only, [split], epochs=40)
    for name, value in run.weights.items():
        assert torch.equal(final.weights[name], value)


def test_the_threshold_is_the_median_of_the_splits(data):
    two = data.clone()
    two.y = (torch.arange(60) % 6 == 0).long()
    folds = divide(two, count=3)
    models = train_folds("mlp-1", two, folds, {}, epochs=10)
    values = [one.threshold.value for one in models]
    assert refit(models, two, folds, epochs=10).threshold == Threshold(1, statistics.median(values))


def test_what_follows_another_model_cannot_be_refitted(data):
    folds = divide(data, count=1)
    models = train_folds("correct-and-smooth", data, folds, {}, epochs=3)
    with pytest.raises(
        InputError, match="'correct-and-smooth' follows another model, whose training needs valid"
    ):
        refit(models, data, folds, epochs=3)
