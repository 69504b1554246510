"""Numbers of nodes as rows: scikit-learn's tools on a graph."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from torch_geometric.data import Data

from allpass.data import Split, load
from allpass.errors import InputError
from allpass.testing import learnable_graph
from allpass.train import fit
from allpass.train.estimator import NodeClassifier, NodeRegressor
from allpass.train.estimator.given import places_of, spread

pytestmark = pytest.mark.usefixtures("unrecorded")
QUICK = {
    "hidden_channels": 8,
    "lr": 0.1,
    "dropout": 0.0,
    "epochs": 20,
    "stop": "patience-loss",
    "patience": 10,
}


@pytest.fixture
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y)


def test_cross_validation_hides_labels_and_keeps_the_graph(data: Data) -> None:
    """Each fold is the training of `fit` whose masks are the fold, and its score that of the held-out nodes."""
    nodes, y = np.arange(120), data.y.numpy()
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(nodes, y))
    model = NodeClassifier("gcn", graph=data, **QUICK)
    found = cross_val_score(model, nodes, y, cv=folds)
    for (train, test), score in zip(folds, found, strict=True):
        alone = NodeClassifier("gcn", graph=data, **QUICK).fit(train, y[train])
        masks = Split(*(torch.zeros(120, dtype=torch.bool) for _ in range(3)), name="fold")
        masks.train[train], masks.test[test] = True, True
        whole = NodeClassifier("gcn", **QUICK).fit(data, split=masks)
        np.testing.assert_array_equal(alone.predict_proba(test), whole.predict_proba(data)[test])
        assert score == accuracy_score(y[test], whole.predict(data)[test])
    assert found.mean() > 0.9
    assert (cross_val_predict(model, nodes, y, cv=3) == y).mean() > 0.9


def test_a_search_on_a_graph(data: Data) -> None:
    words = np.array(["ash", "fir", "oak"])[data.y]
    search = GridSearchCV(NodeClassifier("gcn", graph=data, **QUICK), {"lr": [1e-6, 0.1]}, cv=2)
    search.fit(np.arange(120)[:, None], words)
    assert search.best_params_ == {"lr": 0.1}
    assert search.predict([3, 5]).tolist() == words[[3, 5]].tolist()


def test_the_labels_of_the_graph_are_taken_where_none_are_given(data: Data) -> None:
    data.y[7] = -1
    some = np.arange(60)
    model = NodeClassifier("gcn", graph=data, **QUICK).fit(some)
    known = np.setdiff1d(some, [7])
    other = NodeClassifier("gcn", graph=data, **QUICK).fit(known, data.y[known].numpy())
    np.testing.assert_allclose(model.predict_proba(some), other.predict_proba(some), rtol=1e-6)
    assert model.score(np.arange(60, 120)) == accuracy_score(data.y[60:], model.predict(np.arange(60, 120)))


def test_numbers_are_regressed_at_numbered_nodes(data: Data) -> None:
    target = (data.x @ torch.linspace(-1, 1, 8)).double().numpy()
    data.y = None
    model = NodeRegressor("sage", graph=data, **{**QUICK, "epochs": 60})
    assert (
        cross_val_score(model, np.arange(120), target, cv=KFold(3, shuffle=True, random_state=0)).mean() > 0.5
    )


def test_weights_of_nodes_are_those_of_the_loss(data: Data) -> None:
    weight = np.random.default_rng(0).random(120)
    none = torch.zeros(120, dtype=torch.bool)
    split = Split(torch.arange(120) < 60, torch.arange(120) >= 90, none, name="mine")
    (run,) = fit("gcn", data, split, {"hidden_channels": 8}, epochs=5, sample_weight=torch.from_numpy(weight))
    model = NodeClassifier("gcn", hidden_channels=8, epochs=5)
    of_graph = model.fit(data, sample_weight=weight, split=split).trained_
    assert of_graph.scores["val_loss"] == run.scores["val_loss"]
    rows = model.fit(data.x.numpy(), data.y.numpy(), weight, edge_index=data.edge_index, split=split).trained_
    assert rows.scores["val_loss"] == run.scores["val_loss"]
    plain = model.fit(data, split=split).trained_
    assert plain.scores["val_loss"] != run.scores["val_loss"]
    some = np.arange(0, 120, 2)
    numbered = NodeClassifier("gcn", graph=data, hidden_channels=8, epochs=5)
    one = numbered.fit(some, sample_weight=weight[some]).predict_proba(some)
    other = numbered.fit(some, sample_weight=7 * weight[some]).predict_proba(some)
    np.testing.assert_allclose(one, other, rtol=1e-4)


@pytest.mark.parametrize("wrong", [np.ones(3), np.ones(121)])
def test_weights_of_other_nodes_are_refused(data: Data, wrong: np.ndarray) -> None:
    model = NodeClassifier("mlp-1", epochs=1)
    with pytest.raises(InputError, match=rf"Got {len(wrong)} weights in sample_weight for 120 rows or nodes"):
        model.fit(data.x.numpy(), data.y.numpy(), wrong)
    with pytest.raises(InputError, match="weights in sample_weight for 120"):
        model.fit(data, sample_weight=wrong)


def test_weights_by_class_are_weights_of_their_nodes(data: Data) -> None:
    weights = {0: 5.0, 1: 1.0, 2: 0.5}
    by_class = NodeClassifier("gcn", hidden_channels=8, epochs=5, class_weight=weights).fit(data)
    by_node = NodeClassifier("gcn", hidden_channels=8, epochs=5).fit(
        data, sample_weight=[weights[int(c)] for c in data.y]
    )
    np.testing.assert_array_equal(by_class.predict_proba(data), by_node.predict_proba(data))


def test_values_find_their_places() -> None:
    places = np.array([4, 0, 2])
    found = spread(np.array(["a", "b", "c"], dtype=object), places, 5, None)
    assert found.tolist() == ["b", None, "c", None, "a"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [2, 3]], r"Got X of shape \(2, 2\).*Pass the numbers of the nodes"),
        ([0.5, 1.0], "Pass the numbers of the nodes"),
        ([], "Pass the numbers of the nodes"),
        ([0, 120], "Got node 120 of a graph with 120 nodes. Pass numbers from 0 to 119"),
        ([-1, 3], "Got node -1"),
        ([3, 3], "Got a node twice"),
    ],
)
def test_what_numbers_no_nodes_is_refused(data: Data, given: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        places_of(given, load(data))


def test_what_does_not_go_with_a_graph_is_refused(data: Data) -> None:
    model = NodeClassifier("gcn", graph=data, **QUICK)
    with pytest.raises(InputError, match="edge_index= beside the parameter graph"):
        model.fit([0, 1, 2], [0, 1, 0], edge_index=data.edge_index)
    with pytest.raises(InputError, match="Got 2 labels for 3 nodes"):
        model.fit([0, 1, 2], [0, 1])
    with pytest.raises(InputError, match="Got 3 weights in sample_weight for 120"):
        model.fit(np.arange(120), sample_weight=np.ones(3))
