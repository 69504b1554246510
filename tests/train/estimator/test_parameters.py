"""Settings of models and options of trainings are parameters, as scikit-learn knows them."""

from __future__ import annotations

import io

import joblib
import numpy as np
import pytest
import torch
from sklearn import config_context
from sklearn.base import clone
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.models.catalog import MODELS
from allpass.testing import learnable_graph
from allpass.train.config import TrainingConfig
from allpass.train.estimator import NodeClassifier, NodeRegressor
from allpass.train.estimator.parameters import OPTIONS

pytestmark = pytest.mark.usefixtures("unrecorded")
KINDS = pytest.mark.parametrize("kind", [NodeClassifier, NodeRegressor])


@KINDS
def test_settings_and_options_are_parameters(kind) -> None:
    made = kind("gcn", lr=0.05, dropout=0.3, epochs=7)
    params = made.get_params()
    assert params == {
        "model": "gcn",
        "graph": None,
        "validation": 0.2,
        "random_state": 0,
        "lr": 0.05,
        "dropout": 0.3,
        "epochs": 7,
    }
    assert kind(**params).get_params() == params == clone(made).get_params()
    assert made.set_params(lr=0.1, stop="fixed", model="mlp-2", validation=0.3) is made
    assert made.get_params() == {**params, "lr": 0.1, "stop": "fixed", "model": "mlp-2", "validation": 0.3}
    assert "lr=0.1" in repr(made)
    assert "dropout" in made._repr_html_()


def test_a_copy_shares_the_graph_and_nothing_else() -> None:
    x, A, y, _ = learnable_graph()
    graph, channels = Data(x=x, edge_index=A.edge_index, y=y), ["low", "high"]
    made = NodeClassifier("acm-gcn", graph=graph, channels=channels)
    copied = clone(made)
    assert copied.graph is graph
    assert copied.get_params()["channels"] == channels
    assert copied.get_params()["channels"] is not channels
    assert clone(made.set_params(graph=None)).graph is None


def test_a_copy_keeps_what_is_routed() -> None:
    with config_context(enable_metadata_routing=True):
        made = clone(NodeClassifier().set_fit_request(sample_weight=True))
        assert made.get_metadata_routing().fit.requests["sample_weight"] is True


def test_defaults_are_those_of_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was not given reaches the training, which has its defaults from one place."""
    seen = {}

    def noted(*_, **how):
        seen.update(how)
        raise KeyboardInterrupt

    monkeypatch.setattr("allpass.train.estimator.base.train_folds", noted)
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(KeyboardInterrupt):
        NodeClassifier().fit(X, np.arange(20) % 2)
    assert not set(seen) & set(OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        NodeClassifier(patience=3, label_input=True).fit(X, np.arange(20) % 2)
    assert (seen["patience"], seen["label_input"]) == (3, True)


def test_no_name_is_both_a_parameter_and_a_setting() -> None:
    settings = {name for entry in MODELS for name in entry.settings}
    assert not settings & set(NodeClassifier._named())
    assert set(NodeClassifier._named()) == set(NodeRegressor._named())
    assert set(OPTIONS) | {"task"} == set(vars(TrainingConfig()))


@KINDS
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"droput": 0.3}, "has no parameter 'droput'. Did you mean 'dropout'"),
        ({"epoch": 3}, "has no parameter 'epoch'. Did you mean 'epochs'"),
        ({"validaton": 3}, "Did you mean 'validation'"),
        ({"settings": {"lr": 0.1}}, "has no parameter 'settings'"),
        ({"zzz": 1}, "`allpass models NAME` lists"),
        ({"model": "gcm", "zzz": 1}, "`allpass models NAME` lists"),
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest(kind, given, message) -> None:
    with pytest.raises(InputError, match=message):
        kind(**given)
    with pytest.raises(InputError, match=message):
        kind().set_params(**given)


def test_rates_of_groups_are_parameters() -> None:
    made = NodeClassifier("gprgnn", **{"weight_decay:filter": 0.0})
    assert clone(made).get_params()["weight_decay:filter"] == 0.0


@KINDS
def test_joblib_keeps_parameters_and_predictions(kind) -> None:
    x, A, y, _ = learnable_graph()
    graph = Data(x=x, edge_index=A.edge_index, y=y if kind is NodeClassifier else y.float())
    fitted = kind("gcn", hidden_channels=8, epochs=3).fit(graph)
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    again = joblib.load(file)
    assert again.get_params() == fitted.get_params()
    np.testing.assert_array_equal(again.predict(graph), fitted.predict(graph))
    with pytest.raises(InputError, match="fitted with edges"):
        again.predict(torch.zeros(3, 8).numpy())
