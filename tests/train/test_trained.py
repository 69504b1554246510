from __future__ import annotations

import copy
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, confusion_matrix, r2_score
from tests.train.trainings import drawn, graph

from allpass.data import load, splits, with_structural_features
from allpass.errors import InputError
from allpass.models import create
from allpass.nn import ACMConv
from allpass.train import checkpoint
from allpass.train.fit import fit
from allpass.train.folds import train_folds
from allpass.train.given import divide
from allpass.train.rare import Threshold
from allpass.train.rules.stopping import stopping
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained

SHORT = stopping("fixed", max_epochs=5)


@pytest.fixture(scope="module")
def data():
    return graph()


@pytest.mark.parametrize("model", ["mlp-2", "gcn-3", "acm-gcn+", "gat"])
def test_a_model_says_again_what_it_said_in_training(data, model):
    (split,) = splits(data, "random", count=1)
    (run,) = fit(model, data, split, {"dropout": 0.3}, stop=SHORT, scaling="columns")
    trained = Trained.of(run, data)
    for part in ("train", "val", "test"):
        assert trained.measure(data, getattr(split, part)) == run.scores[f"{part}_score"]
    assert (trained.dataset, trained.fingerprint) == (data.name, data.fingerprint)
    assert (trained.split, trained.seed, trained.epoch) == ("random/0", 0, run.epoch)
    assert trained.settings["dropout"] == 0.3


def test_outputs_are_those_of_the_network_on_scaled_features(data):
    trained = drawn("gcn", data=data)
    network = create("gcn", in_channels=5, out_channels=3)
    network.load_state_dict(trained.weights)
    x = (data.x - data.x.mean(0)) / data.x.std(0, correction=0)
    expected = network.eval()(x, data.edge_index)
    torch.testing.assert_close(trained.outputs(data), expected.detach())
    torch.testing.assert_close(trained.probabilities(data), expected.detach().double().softmax(1))
    assert trained.predict(data).tolist() == expected.argmax(1).tolist()


def test_classes_go_by_their_names(data):
    trained = drawn(data=data, class_names=("ant", "bee", "wasp"))
    numbers = drawn(data=data).predict(data)
    assert trained.predict(data).tolist() == [("ant", "bee", "wasp")[number] for number in numbers]


def test_one_logit_is_of_the_second_class(data):
    trained = drawn(data=data, task="binary", out_channels=1)
    chances = trained.probabilities(data)
    torch.testing.assert_close(chances[:, 1:], trained.outputs(data).double().sigmoid())
    torch.testing.assert_close(chances.sum(1), torch.ones(60, dtype=torch.float64))
    assert set(trained.predict(data)) <= {0, 1}


@pytest.mark.parametrize("place", ["weights", "features", "scaling"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_what_is_no_number_is_never_predicted(data, place, task):
    """All of these are finite, and their products are not."""
    trained, judged = (
        drawn(data=data, task=task, score={"regression": "r2"}.get(task, "accuracy")),
        copy.copy(data),
    )
    if place == "weights":
        trained = replace(trained, weights={name: value + 1e38 for name, value in trained.weights.items()})
    elif place == "features":
        judged.x = data.x.double()
        judged.x[7] = 1e300
    else:
        deviation = [5e-324] * 5
        trained = replace(trained, scaler=replace(trained.scaler, deviation=deviation))
    for ask in (trained.predict, trained.table, trained.outputs):
        with pytest.raises(InputError, match=r"NaN or infinity for .*very large values"):
            ask(judged)


def test_a_class_may_be_impossible(data):
    trained = drawn(data=data)
    trained.weights["layers.1.bias"][0] = -1e38
    assert (trained.probabilities(data)[:, 0] == 0).all()


def test_a_threshold_decides_predictions_and_confusion_but_no_probability(data):
    two = drawn(data=data, out_channels=2, class_names=("fraud", "ok"), threshold=Threshold(0, 0.3))
    chances, truth = two.probabilities(data)[:, 0], (data.y > 0).long()
    assert two.predict(data).tolist() == ["fraud" if chance >= 0.3 else "ok" for chance in chances]
    judged = copy.copy(data)
    judged.y = truth
    everyone = torch.ones(len(truth), dtype=torch.bool)
    expected = confusion_matrix(truth, (chances < 0.3).long(), labels=[0, 1])
    assert two.confusion(judged, everyone).tolist() == expected.tolist()
    higher = two.at(0.9)
    assert higher.threshold == Threshold(0, 0.9)
    assert (higher.predict(data) == "fraud").sum() == int((chances >= 0.9).sum())
    assert torch.equal(higher.probabilities(data), two.probabilities(data))


def test_only_models_of_two_classes_have_a_threshold(data):
    assert drawn(data=data, out_channels=2).at(0.2).threshold == Threshold(1, 0.2)
    with pytest.raises(InputError, match=r"Got threshold=0\.2 for a model of 3 classes"):
        drawn(data=data).at(0.2)
    with pytest.raises(InputError, match="for a model of numbers"):
        drawn(data=data, out_channels=1, task="regression", score="r2").at(0.2)


def test_new_nodes_are_scaled_as_the_old_ones(data):
    few = copy.copy(data)
    few.x, few.num_nodes, few.edge_index = data.x[:4], 4, torch.zeros(2, 0, dtype=torch.long)
    trained = drawn("mlp-2", data=data)
    torch.testing.assert_close(trained.outputs(few), trained.outputs(data)[:4])


def test_confusion_and_scores_are_those_of_scikit_learn(data):
    trained, mask = drawn(data=data), torch.arange(60) % 2 == 0
    truth, said = data.y[mask].numpy(), trained.predict(data)[mask.numpy()]
    assert trained.confusion(data, mask).tolist() == confusion_matrix(truth, said, labels=[0, 1, 2]).tolist()
    assert trained.measure(data, mask) == pytest.approx(accuracy_score(truth, said))


def test_nodes_without_a_label_are_in_no_confusion(data):
    partly = copy.copy(data)
    partly.y = torch.where(torch.arange(60) < 10, data.y, -1)
    assert drawn(data=data).confusion(partly, torch.ones(60, dtype=torch.bool)).sum() == 10


def test_classes_of_other_data_may_have_another_order(data):
    trained, mask = drawn(data=data, class_names=("ant", "bee", "wasp")), torch.ones(60, dtype=torch.bool)
    other = copy.copy(data)
    other.class_names, other.y = ["wasp", "ant", "bee"], torch.tensor([1, 2, 0])[data.y]
    assert (trained.confusion(other, mask) == trained.confusion(data, mask)).all()
    other.class_names = ["wasp", "ant", "fly"]
    with pytest.raises(
        InputError, match=r"a class 'fly' that the model was not trained on\. It knows 'ant', 'bee'"
    ):
        trained.confusion(other, mask)


def test_numbers_come_in_their_own_units(data):
    numbers, mask = copy.copy(data), torch.ones(60, dtype=torch.bool)
    numbers.y = 1000 + 50 * data.x[:, 0]
    trained = drawn(
        data=data, task="regression", score="r2", out_channels=1, units=Scaler("columns", (1000.0,), (50.0,))
    )
    plain = drawn(data=data, task="regression", score="r2", out_channels=1)
    torch.testing.assert_close(trained.outputs(data), 1000 + 50 * plain.outputs(data))
    said = trained.predict(data)
    assert said.shape == (60,)
    assert trained.measure(numbers, mask) == pytest.approx(r2_score(numbers.y.numpy(), said), rel=1e-4)
    assert trained.measure(numbers, mask, "mae") == pytest.approx(
        np.abs(numbers.y.numpy() - said).mean(), rel=1e-4
    )
    with pytest.raises(InputError, match="regresses numbers; there are no probabilities"):
        trained.probabilities(data)
    several = drawn(data=data, task="regression", score="r2")
    assert several.predict(data).shape == (60, 3)


@pytest.mark.parametrize(
    ("model", "layers", "channels"),
    [
        ("acm-gcn", 2, ["low", "high", "identity"]),
        ("acm-gcn+", 2, ["low", "high", "identity", "structure"]),
        ("acm-sage", 2, ["low", "high", "identity"]),
        ("acm-gcnii-2", 2, ["low", "high", "identity"]),
        ("gcn", 0, []),
    ],
)
def test_the_weights_of_channels(data, model, layers, channels):
    mixing = drawn(model, data=data).mixing(data)
    assert len(mixing) == layers
    for layer in mixing:
        assert list(layer) == channels
        assert sum(layer.values()) == pytest.approx(1, abs=1e-5)


def test_the_weights_of_the_first_layer_are_those_of_the_layer_alone(data):
    trained = drawn("acm-gcn", data=data, scaling="none")
    layer = next(part for part in copy.deepcopy(trained.network).modules() if isinstance(part, ACMConv))
    layer(data.x, data.edge_index)
    expected = layer.mixing_weights.mean(0).tolist()
    assert list(trained.mixing(data)[0].values()) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("model", "why"), [("linkx", "has weights for"), ("label-propagation", "reads the labels of")]
)
def test_models_bound_to_their_nodes_know_no_others(data, model, why):
    labels = torch.where(torch.arange(60) % 2 == 0, data.y, -1) if model == "label-propagation" else None
    trained = drawn(model, data=data, labels=labels)
    assert trained.outputs(data).shape == (60, 3)
    with pytest.raises(InputError, match=f"Got 90 nodes; '{model}' {why}.* the 60 nodes it was trained on"):
        trained.outputs(graph(30))


def test_training_labels_are_kept_where_they_are_needed(data):
    (split,) = splits(data, "random", count=1)
    settings = {"num_layers": 3, "alpha": 1.0, "clamp": True}
    (run,) = fit("mlp-1", data, split, stop=SHORT)
    run = replace(run, model="label-propagation", settings=settings, weights={})  # there is nothing to train
    trained = Trained.of(run, data)
    assert trained.labels.tolist() == torch.where(split.train, data.y, -1).tolist()
    assert trained.measure(data, split.train) == 1
    assert drawn(data=data).labels is None


def test_data_that_lacks_something_is_told(data):
    trained, bare = drawn(data=data), copy.copy(data)
    bare.y = None
    with pytest.raises(InputError, match="no labels y to compare with"):
        trained.measure(bare, torch.ones(60, dtype=torch.bool))
    bare.x = data.x[:, :2]
    with pytest.raises(InputError, match="Got 2 features; the model was trained on 5"):
        trained.outputs(bare)
    bare.x = None
    with pytest.raises(InputError, match="no features x"):
        trained.outputs(bare)


def test_features_go_by_their_names(data):
    trained = drawn(data=data, feature_names=tuple("abcde"))
    turned = copy.copy(data)
    turned.x, turned.feature_names = data.x.flip(1), list("edcba")
    torch.testing.assert_close(trained.outputs(turned), trained.outputs(data))
    turned.feature_names = list("edcbz")
    with pytest.raises(InputError, match="lacks features that the model was trained on: 'a'"):
        trained.outputs(turned)


def test_float64_stays_float64(data):
    (split,) = splits(data, "random", count=1)
    (run,) = fit("gcn", data, split, stop=SHORT, dtype=torch.float64)
    assert Trained.of(run, data).outputs(data).dtype == torch.float64


@pytest.mark.parametrize("how", ["identity", "degree", "position"])
def test_features_made_in_training_are_made_again_to_predict(how, tmp_path):
    """Nobody has to say again how features were made; identity and positions know the nodes of the training alone."""
    bare = load("karate")
    data = with_structural_features(bare, how)
    (trained,) = train_folds("gcn", data, divide(data, count=1), {}, stop=stopping("fixed", max_epochs=5))
    kept = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    expected = kept.outputs(data)
    assert torch.equal(kept.outputs(bare), expected)
    other = load(nx.path_graph(50))
    if how == "degree":
        assert kept.outputs(other).shape == (50, 2)
    else:
        with pytest.raises(InputError, match="train with features_from='degree'"):
            kept.outputs(other)


@pytest.mark.parametrize("model", ["label-propagation", "structure-trees", "linkx-structure"])
def test_models_of_the_structure_need_no_features(model, tmp_path):
    bare = load("karate")
    data = copy.copy(bare)
    data.x = torch.randn(34, 3, generator=torch.Generator().manual_seed(0))
    fold, short = divide(bare, count=1), stopping("fixed", max_epochs=5)
    (trained,) = train_folds(model, bare, fold, {}, stop=short)
    kept = checkpoint.load(checkpoint.save(trained.with_graph(bare), tmp_path / "kept"))
    assert kept.training_graph.x is None
    assert torch.equal(kept.outputs(bare), trained.outputs(bare))
    assert torch.equal(kept.outputs(kept.training_graph), trained.outputs(bare))
    if model != "linkx-structure":  # a network's weights are drawn for the width of its features
        (other,) = train_folds(model, data, fold, {}, stop=short)
        torch.testing.assert_close(other.outputs(data), trained.outputs(bare))
    assert trained.scores == kept.scores


def test_nodes_in_another_order_find_their_columns():
    plain = nx.gnp_random_graph(30, 0.2, seed=0)
    order = torch.randperm(30, generator=torch.Generator().manual_seed(0)).tolist()
    moved = nx.Graph()
    moved.add_nodes_from(order)
    moved.add_edges_from(plain.edges)
    data, other = (load(g, features_from="identity") for g in (plain, moved))
    data.y = torch.arange(30) % 2
    (trained,) = train_folds("gcn", data, divide(data, count=1), {}, stop=stopping("fixed", max_epochs=3))
    assert torch.allclose(trained.outputs(other), trained.outputs(data)[order], atol=1e-6)


@pytest.mark.parametrize("model", ["gcn", "trees"])
def test_the_device_is_named_and_known(model):
    data = labelled_ring()
    (trained,) = train_folds(model, data, divide(data, count=1), {}, stop=stopping("fixed", max_epochs=3))
    assert torch.equal(trained.on("cpu").outputs(data), trained.outputs(data))
    with pytest.raises(InputError, match="There is no device 'gpu'"):
        trained.on("gpu")


@pytest.mark.gpu
def test_a_gpu_predicts_the_same():
    data = labelled_ring()
    (trained,) = train_folds("gcn", data, divide(data, count=1), {}, stop=stopping("fixed", max_epochs=3))
    there = trained.on("cuda").outputs(data)
    assert there.device.type == "cpu"
    torch.testing.assert_close(there, trained.outputs(data), rtol=1e-4, atol=1e-5)


def labelled_ring():
    data = load(nx.cycle_graph(60))
    data.x = torch.randn(60, 4, generator=torch.Generator().manual_seed(0))
    data.y = torch.arange(60) % 2
    return data
