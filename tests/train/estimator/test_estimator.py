"""Estimators keep the promises of scikit-learn, and on a graph they are what the engine trains."""

from __future__ import annotations

import copy
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch_geometric.data import Data, HeteroData

from allpass.data import Split, load, splits
from allpass.errors import DataError, InputError, UnknownNameError
from allpass.testing import learnable_graph
from allpass.train import fit, stopping
from allpass.train.estimator import NodeClassifier, NodeRegressor
from allpass.train.folds import train_folds

pytestmark = pytest.mark.usefixtures("unrecorded")
SETTINGS = {"hidden_channels": 8, "lr": 0.1, "dropout": 0.0}
QUICK = {**SETTINGS, "epochs": 20, "stop": "patience-loss", "patience": 10}
NO_EDGES = np.empty((2, 0), dtype=np.int64)
DIFFERENT = {
    "check_methods_sample_order_invariance": "float32 sums round otherwise in another order of the rows",
    "check_do_not_raise_errors_in_init_or_set_params": "it takes **settings for a parameter; unknown names are refused",
    "check_sample_weight_equivalence_on_dense_data": "validation nodes are drawn by their number, not their weight",
    "check_sample_weight_equivalence_on_sparse_data": "validation nodes are drawn by their number, not their weight",
}


@parametrize_with_checks(
    [NodeClassifier(**QUICK), NodeRegressor(**QUICK)],
    expected_failed_checks=lambda _: DIFFERENT,
)
def test_manners_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", [NodeClassifier(**QUICK), NodeRegressor(**QUICK)])
def test_the_order_of_rows_matters_to_rounding_alone(estimator: NodeClassifier | NodeRegressor) -> None:
    X, y = blobs()
    order = np.random.default_rng(0).permutation(len(X))
    ask = getattr(estimator.fit(X, y), "predict_proba", estimator.predict)
    np.testing.assert_allclose(ask(X[order]), ask(X)[order], rtol=1e-5, atol=1e-6)


@pytest.fixture
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y)


@pytest.fixture
def split(data: Data) -> Split:
    return splits(data, "random", count=1)[0]


def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(90, n_features=4, centers=3, random_state=0)


def test_it_is_the_engines_training(data: Data, split: Split) -> None:
    rule = stopping("patience-loss", max_epochs=20, patience=10)
    (run,) = fit("gcn", data, split, SETTINGS, seeds=3, stop=rule, scaling="columns")
    nodes = NodeClassifier("gcn", **QUICK, random_state=3).fit(data, split=split)
    assert nodes.trained_.scores == pytest.approx(run.scores)
    for name, weight in run.weights.items():
        torch.testing.assert_close(nodes.trained_.weights[name], weight)
    assert nodes.score(data, split=split) == pytest.approx(run.scores["test_score"])
    test = split.test.numpy()
    assert nodes.score(data, split=split) == accuracy_score(data.y[test], nodes.predict(data)[test])


def test_the_default_solves_what_can_be_solved(data: Data, split: Split) -> None:
    nodes = NodeClassifier(epochs=100).fit(data, split=split)
    assert nodes.score(data, split=split) > 0.9
    assert nodes.classes_.tolist() == [0, 1, 2]
    assert nodes.n_features_in_ == 8
    probabilities = nodes.predict_proba(data)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), nodes.predict(data))


def test_class_weights_reach_the_training() -> None:
    """Where features say nothing, the probability is the share of a class, or one half."""
    graph = Data(x=torch.rand(300, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    graph.y = (torch.arange(300) % 10 == 0).long()
    plain, same, weighed = (
        NodeClassifier("mlp-1", **{**QUICK, "epochs": 60}, class_weight=name)
        .fit(graph)
        .predict_proba(graph)[:, 1]
        for name in (None, "none", "balanced")
    )
    np.testing.assert_array_equal(plain, same)
    assert plain.mean() < 0.35
    assert weighed.mean() == pytest.approx(0.5, abs=0.1)
    with pytest.raises(InputError, match="Got class_weight='equal'"):
        NodeClassifier(class_weight="equal").fit(graph)


def test_validation_nodes_are_not_the_last_of_a_permutation_that_made_the_labels() -> None:
    """Numbers that grow along NumPy's permutation of the same seed: its last fifth would be the highest."""
    X, y = np.random.default_rng(1).normal(size=(200, 3)), np.empty(200)
    y[np.random.default_rng(0).permutation(200)] = np.arange(200)
    seen = {}

    def noted(model, data, folds, *rest, **more):
        seen["split"] = folds[0]
        return train_folds(model, data, folds, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("allpass.train.estimator.base.train_folds", noted)
        NodeRegressor("mlp-1", **QUICK).fit(X, y)
    assert y[seen["split"].val.numpy()].min() < 50


def test_nodes_without_a_label_are_not_trained_on(data: Data) -> None:
    known = torch.rand(len(data.y), generator=torch.Generator().manual_seed(0)) < 0.6
    none = torch.zeros_like(known)
    partly = copy.copy(data)
    partly.y = torch.where(known, data.y, -1)
    one = NodeClassifier(**QUICK).fit(partly)
    other = NodeClassifier(**QUICK).fit(data, split=Split(known, none, none, name="by hand"))
    np.testing.assert_array_equal(one.predict_proba(data), other.predict_proba(data))
    assert one.score(partly) == accuracy_score(data.y[known], one.predict(data)[known.numpy()])


@pytest.mark.parametrize("loaded", [False, True])
def test_masks_of_the_graph_are_a_split(data: Data, split: Split, loaded: bool) -> None:
    masked = load(data) if loaded else copy.copy(data)
    masked.train_mask, masked.val_mask, masked.test_mask = split.train, split.val, split.test
    one, other = NodeClassifier(**QUICK).fit(masked), NodeClassifier(**QUICK).fit(data, split=split)
    np.testing.assert_array_equal(one.predict_proba(data), other.predict_proba(data))
    assert one.score(masked) == other.score(data, split=split)


def test_several_splits_in_masks_are_refused(data: Data, split: Split) -> None:
    data.train_mask = torch.stack([split.train, split.val], dim=1)
    with pytest.raises(InputError, match="are 2 splits"):
        NodeClassifier(**QUICK).fit(data)


def test_validation_nodes_are_a_share_of_every_class(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    import allpass.train.estimator.base as home

    seen = []
    plain = home.train_folds
    monkeypatch.setattr(
        home, "train_folds", lambda m, d, f, s, **how: seen.extend(f) or plain(m, d, f, s, **how)
    )
    NodeClassifier(**QUICK, validation=0.25).fit(data)
    NodeClassifier(**QUICK, validation=0.25, random_state=1).fit(data)
    for one in seen:
        assert torch.bincount(data.y[one.val]).tolist() == [10, 10, 10]
        assert torch.bincount(data.y[one.train]).tolist() == [30, 30, 30]
        assert not one.test.any()
    assert not torch.equal(seen[0].val, seen[1].val)


def test_networkx_with_words_for_classes_and_a_node_without() -> None:
    graph = nx.connected_caveman_graph(3, 10)
    for node in graph:
        graph.nodes[node].update(size=float(node % 10 == 0), label=("ash", "fir", "oak")[node // 10])
        graph.nodes[node]["place"] = [float(node // 10 == k) for k in range(3)]
    graph.nodes[25]["label"] = None
    nodes = NodeClassifier("gcn", **QUICK).fit(graph)
    assert nodes.classes_.tolist() == ["ash", "fir", "oak"]
    assert nodes.predict(graph)[25] == "oak"
    assert nodes.feature_names_in_.tolist() == load(graph).feature_names
    assert nodes.score(graph) == 1


def test_numbers_for_classes_stay_numbers(data: Data) -> None:
    data.y = torch.tensor([7, 3, 12])[data.y]
    before = copy.copy(data)
    nodes = NodeClassifier("gcn", **QUICK).fit(data)
    assert nodes.classes_.tolist() == [3, 7, 12]
    assert accuracy_score(data.y, nodes.predict(data)) > 0.9
    assert data.to_dict().keys() == before.to_dict().keys()


def test_rows_with_edges_are_the_graph(data: Data, split: Split) -> None:
    X, y, edges = data.x.numpy(), np.array(["a", "b", "c"])[data.y], data.edge_index
    one = NodeClassifier(**QUICK).fit(X, y, edge_index=edges, split=split)
    other = NodeClassifier(**QUICK).fit(data, split=split)
    np.testing.assert_array_equal(one.predict_proba(X, edge_index=edges.numpy()), other.predict_proba(data))
    assert one.score(X, y, edge_index=edges, split=split) == other.score(data, split=split)
    assert not np.allclose(one.predict_proba(X, edge_index=NO_EDGES), other.predict_proba(data))


def test_a_model_that_learnt_with_edges_asks_for_them(data: Data, split: Split) -> None:
    X, y = data.x.numpy(), data.y.numpy()
    message = "fitted with edges, and got rows of features without any. Pass edge_index="
    nodes = NodeClassifier(**QUICK).fit(X, y, edge_index=data.edge_index)
    for call in (nodes.predict, nodes.predict_proba):
        with pytest.raises(InputError, match=message):
            call(X)
    with pytest.raises(InputError, match=message):
        nodes.score(X, y)
    with pytest.raises(InputError, match=message):
        nodes.fit(data, split=split).predict(X)
    assert NodeClassifier("mlp-1", **QUICK).fit(data).predict(X).shape == (120,)  # it reads no edges
    assert NodeClassifier(**QUICK).fit(X, y).predict(X).shape == (120,)


def test_other_nodes_for_models_that_can(data: Data) -> None:
    some = torch.arange(80)
    part = load(data.subgraph(some))
    nodes = NodeClassifier(**QUICK).fit(part)
    assert accuracy_score(data.y[80:], nodes.predict(data)[80:]) > 0.9
    bound = NodeClassifier("linkx", epochs=3).fit(part)
    assert bound.predict(part).shape == (80,)
    with pytest.raises(InputError, match="Got 120 nodes"):
        bound.predict(data)


def test_pipelines_searches_and_copies() -> None:
    X, y = blobs()
    assert cross_val_score(make_pipeline(StandardScaler(), NodeClassifier(**QUICK)), X, y, cv=3).min() > 0.8
    search = GridSearchCV(NodeClassifier(**QUICK), {"lr": [1e-5, 0.1], "model": ["mlp-2"]}, cv=2).fit(X, y)
    assert search.best_params_ == {"lr": 0.1, "model": "mlp-2"}
    nodes = search.best_estimator_
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(nodes)).predict_proba(X), nodes.predict_proba(X))
    fresh = clone(nodes).set_params(model="gcn", epochs=5)
    assert fresh.get_params() == {**nodes.get_params(), "model": "gcn", "epochs": 5}
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_features_go_by_their_names() -> None:
    X, y = blobs()
    frame = pd.DataFrame(X, columns=list("abcd"))
    nodes = NodeClassifier(**QUICK).fit(frame, y)
    assert nodes.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        nodes.predict(frame[list("abdc")])
    graph = Data(x=torch.from_numpy(X[:, ::-1].copy()), edge_index=torch.empty(2, 0, dtype=torch.long))
    graph.feature_names = list("dcba")
    np.testing.assert_allclose(nodes.predict_proba(graph), nodes.predict_proba(frame), atol=1e-6)
    graph.feature_names = list("dcbz")
    with pytest.raises(InputError, match="lacks features"):
        nodes.predict(graph)
    nodes.fit(X, y)
    assert not hasattr(nodes, "feature_names_in_")
    graph.y = torch.from_numpy(y)
    assert nodes.fit(graph).feature_names_in_.tolist() == list("dcbz")
    del graph.feature_names
    assert not hasattr(nodes.fit(graph), "feature_names_in_")


def test_random_states() -> None:
    X, y = blobs()

    def told(state: object) -> np.ndarray:
        return NodeClassifier("mlp-2", epochs=2, random_state=state).fit(X, y).predict_proba(X)

    np.testing.assert_array_equal(told(np.int64(4)), told(4))
    np.testing.assert_array_equal(told(np.random.RandomState(1)), told(np.random.RandomState(1)))
    assert not np.array_equal(told(None), told(None))


def test_numbers_at_nodes_whatever_their_unit(data: Data, split: Split) -> None:
    smooth = (data.x @ torch.linspace(-1, 1, 8)).double()
    graph = Data(x=data.x, edge_index=data.edge_index, y=torch.where(split.test, torch.nan, smooth).float())
    nodes = NodeRegressor(epochs=100, lr=0.05).fit(graph)
    answer, test = nodes.predict(graph), split.test.numpy()
    assert r2_score(smooth[test], answer[test]) > 0.5
    assert nodes.score(graph) == pytest.approx(r2_score(smooth[~test], answer[~test]))
    graph.y = graph.y * 1000 - 5000
    np.testing.assert_allclose(nodes.fit(graph).predict(graph), answer * 1000 - 5000, rtol=1e-3, atol=1)


def test_acm_regresses_with_another_activation() -> None:
    X, y = make_regression(100, 5, random_state=0)
    nodes = NodeRegressor("acm-gcn", **{**QUICK, "epochs": 100}, activation="elu")
    assert nodes.fit(X, y).score(X, y) > 0.8


def test_what_is_not_fitted_says_so(data: Data) -> None:
    for call in ("predict", "predict_proba", "score"):
        with pytest.raises(NotFittedError):
            getattr(NodeClassifier(), call)(data)


def test_other_features_are_refused(data: Data) -> None:
    nodes = NodeClassifier(**QUICK).fit(data)
    with pytest.raises(ValueError, match="5 features"):
        nodes.predict(data.x[:, :5].numpy())
    data.x = data.x[:, :5]
    with pytest.raises(InputError, match="Got 5 features; the model was trained on 8"):
        nodes.predict(data)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"model": "acm-gcm"}, UnknownNameError, "Did you mean 'acm-gcn'"),
        ({"heads": 8}, UnknownNameError, "no setting 'heads' of the model 'acm-gcn'"),
        ({"lr": 1e300}, InputError, "the loss was NaN from the first epoch"),
        ({"lr": float("inf")}, InputError, "Got lr = inf"),
        ({"epochs": 0}, InputError, "epochs=0"),
        ({"patience": 1.5}, InputError, "patience=1.5"),
        ({"validation": 0}, InputError, "validation=0"),
        ({"validation": 1}, InputError, "leaves no training nodes"),
        ({"scaling": "row"}, UnknownNameError, "Did you mean 'rows'"),
        ({"random_state": "one"}, ValueError, "seed"),
        ({"random_state": -1}, InputError, r"Got random_state=-1\. Expected a whole number, 0 or more"),
        ({"device": None}, InputError, "There is no device None"),
        ({"undirected": "no"}, InputError, "Got undirected = 'no'"),
    ],
)
def test_choices_that_cannot_be(data: Data, changes: dict, error: type[Exception], words: str) -> None:
    nodes = NodeClassifier(**{**QUICK, **changes})
    with pytest.raises(error, match=words):
        nodes.fit(data)


def _with(data: Data, **changes: object) -> Data:
    other = copy.copy(data)
    for key, value in changes.items():
        other[key] = value
    return other


def test_a_model_of_the_structure_needs_no_features(data: Data) -> None:
    bare = _with(data, x=None)
    nodes = NodeClassifier("label-propagation").fit(bare)
    np.testing.assert_array_equal(
        nodes.predict(bare), NodeClassifier("label-propagation").fit(data).predict(data)
    )


def test_graphs_that_cannot_be(data: Data, split: Split) -> None:
    nodes, none = NodeClassifier(**QUICK), torch.zeros_like(split.train)
    for given, error, words in (
        (_with(data, y=torch.zeros_like(data.y)), InputError, "1 class"),
        (_with(data, y=data.y * 0 - 1), InputError, "0 classes"),
        (_with(data, x=torch.full_like(data.x, torch.nan)), DataError, "NaN"),
        (_with(data, x=None), InputError, "no features x.*features_from='degree'"),
        (_with(data, y=None), InputError, "has no labels y"),
        (_with(data, train_mask=none), InputError, "0 samples"),
        ("no-such-set", UnknownNameError, "neither a file"),
        (HeteroData(), InputError, "HeteroData"),
    ):
        with pytest.raises(error, match=words):
            nodes.fit(given)
    with pytest.raises(InputError, match="y beside a graph"):
        nodes.fit(data, data.y)
    with pytest.raises(InputError, match="edge_index= beside a graph"):
        nodes.fit(data, edge_index=data.edge_index)
    with pytest.raises(InputError, match="a split of 80 nodes for 120"):
        nodes.fit(data, split=Split(none[:80], none[:80], none[:80], name="short"))
    nodes.fit(data)
    with pytest.raises(InputError, match="no label to judge by"):
        nodes.score(_with(data, y=data.y * 0 - 1))


def test_classes_are_no_numbers_and_numbers_no_classes(data: Data) -> None:
    with pytest.raises(
        InputError, match=r"numbers to predict, not classes\. Use NodeRegressor, or .*classification"
    ):
        NodeClassifier().fit(load(_with(data, y=data.y / 7), task="regression"))
    with pytest.raises(InputError, match="or use NodeClassifier"):
        NodeRegressor().fit(load(data))
    with pytest.raises(InputError, match="'task' does not apply"):
        NodeRegressor().fit("cora")


def test_rows_that_cannot_be() -> None:
    X, y = blobs()
    nodes = NodeClassifier(**QUICK)
    with pytest.raises(DataError, match="120"):
        nodes.fit(X, y, edge_index=[[0], [120]])
    with pytest.raises(ValueError, match="NaN"):
        nodes.fit(np.where(X > 3, np.nan, X), y)
    with pytest.raises(ValueError, match="continuous"):
        nodes.fit(X, X[:, 0])
    with pytest.raises(ValueError, match="inconsistent"):
        nodes.fit(X, y[:-1])
    with pytest.raises(InputError, match="2 samples"):
        nodes.fit(X[:2], [0, 1])
    with pytest.raises(ValueError, match="could not convert"):
        NodeRegressor().fit(X, np.full(len(X), "tall", dtype=object))
