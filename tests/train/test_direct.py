"""Models without epochs through the doors of a training: fit, store, checkpoint, compare, estimator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.train.cards import weights_file
from torch_geometric.data import Data

from allpass.data import contextual_sbm, splits
from allpass.errors import InputError, UnknownNameError
from allpass.models.catalog import resolve
from allpass.sealed import CheckpointError
from allpass.train import checkpoint
from allpass.train.compare import compare
from allpass.train.estimator import NodeClassifier, NodeRegressor
from allpass.train.export import ExportError, export
from allpass.train.fit import fit, job_of
from allpass.train.folds import train_folds
from allpass.train.given import divide
from allpass.train.job import TrainingProgress
from allpass.train.kept import fit_into
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store
from allpass.train.trained import Trained

SHORT = stopping("fixed", max_epochs=5)
MODELS = [
    ("trees", {}),
    ("trees", {"label_input": False}),
    ("feature-trees", {}),
    ("structure-trees", {}),
    ("linear", {}),
    ("linear", {"label_input": False}),
    ("feature-linear", {}),
    ("label-propagation", {}),
    ("correct-and-smooth", {}),
    ("correct-and-smooth", {"base": "feature-trees"}),
    ("correct-and-smooth", {"base": "trees"}),
    ("correct-and-smooth", {"base": "gcn-3"}),
]
IDS = [f"{model} {settings}" for model, settings in MODELS]


def graph(nodes: int = 40, seed: int = 0) -> Data:
    mixing = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    return contextual_sbm([nodes] * 3, mixing, average_degree=5, num_features=6, seed=seed)


def labelled(kind: str, seed: int = 0) -> Data:
    data = graph(seed=seed)
    if kind == "binary":
        data.y = (data.y == 0).long()
    elif kind == "number":
        data.y = data.y * 1000.0 + data.x[:, 0] * 50 + 1e5
    elif kind == "numbers":
        data.y = torch.stack([data.y * 1000.0, data.x[:, 0]], 1)
    return data


@pytest.fixture(scope="module")
def data() -> Data:
    return graph()


@pytest.mark.parametrize("kind", ["classes", "binary", "number", "numbers"])
@pytest.mark.parametrize(("model", "settings"), MODELS, ids=IDS)
def test_checkpoints_predict_the_same(
    model: str, settings: Mapping[str, object], kind: str, tmp_path
) -> None:
    data = labelled(kind)
    folds = divide(data, "random", count=1)
    if kind == "binary":
        (run,) = fit(model, data, folds, settings, task="binary", stop=SHORT, scaling="auto")
        trained = Trained.of(run, data)
    else:
        (trained,) = train_folds(model, data, folds, settings, stop=SHORT)
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    wanted = trained.outputs(data)
    assert torch.equal(found.outputs(data), wanted)
    assert wanted.shape == (120, {"classes": 3, "binary": 1, "number": 1, "numbers": 2}[kind])
    score = found.measure(data, folds[0].test)
    assert score == pytest.approx(trained.scores["test_score"], abs=1e-4)
    other = labelled(kind, seed=1)
    other.edge_index, other.num_nodes = other.edge_index[:, other.edge_index.max(0).values < 90], 90
    other.x, other.y = other.x[:90], other.y[:90]
    if settings == {"label_input": False} or model in {"feature-trees", "feature-linear"}:
        assert found.outputs(other).shape[0] == 90
    else:
        with pytest.raises(InputError, match="120 nodes it was trained on"):
            found.outputs(other)


def test_positions_are_read_from_the_checkpoint(data: Data, tmp_path) -> None:
    """Another machine may find other singular vectors."""
    (trained,) = train_folds("structure-trees", data, splits(data, "random", count=1), {})
    folder = checkpoint.save(trained, tmp_path / "kept")
    assert load_file(weights_file(folder))["positions"].shape == (120, 32)


@pytest.mark.parametrize("name", ["trees.0.threshold", "seed"])
def test_a_checkpoint_with_a_part_missing_is_refused(data: Data, tmp_path, name: str) -> None:
    (trained,) = train_folds("trees", data, splits(data, "random", count=1), {})
    weights = {key: value for key, value in trained.weights.items() if key != name}
    folder = checkpoint.save(replace(trained, weights=weights), tmp_path / "kept")
    with pytest.raises(CheckpointError, match="cannot be used"):
        checkpoint.load(folder)


@pytest.mark.parametrize(("model", "settings"), MODELS[:8], ids=IDS[:8])
def test_runs_are_stored_once_and_are_those_of_fit(data: Data, model: str, settings, tmp_path) -> None:
    folds = splits(data, "random", count=2)
    alone = fit(model, data, folds, settings, stop=SHORT)
    with Store(tmp_path / "runs.db") as store:
        for _ in range(2):
            runs = fit_into(store, model, data, folds, settings, stop=SHORT)
            assert len(store) == 2
    for run, one in zip(runs, alone, strict=True):
        assert run.status == "done"
        assert run.scores == pytest.approx(dict(one.scores), nan_ok=True)
        assert len(run.curves["val_score"]) == 1
    assert runs[0].epochs == alone[0].epochs


def test_label_propagation_is_evaluated_once(data: Data) -> None:
    (run,) = fit("label-propagation", data, splits(data, "random", count=1))
    assert (run.epoch, run.epochs, run.diverged) == (0, 1, False)


def test_each_model_beside_the_others(data: Data) -> None:
    names = ["mlp-2", "trees", "feature-trees", "structure-trees", "label-propagation", "correct-and-smooth"]
    looks, folds = [], splits(data, "random", count=2)
    found = compare(names, data, folds, on_progress=looks.append, stop=stopping("fixed", max_epochs=60))
    assert all(math.isfinite(score) for one in found.contenders for score in one.scores)
    assert found.difference("trees", "feature-trees").mean > 0
    assert any(reached.batch is None and 0 <= reached.share <= 1 for reached in looks)


def test_what_a_look_raises_stops_a_run(data: Data) -> None:
    def stop(reached: object) -> None:
        raise KeyboardInterrupt

    for model in ("trees", "correct-and-smooth"):
        with pytest.raises(KeyboardInterrupt):
            fit(model, data, splits(data, "random", count=1), on_progress=stop)


def test_targets_in_place_of_labels(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    wrong = (data.y + 1) % 3
    for model in ("trees", "label-propagation", "correct-and-smooth"):
        (run,) = fit(model, data, split, targets=[wrong], stop=stopping("fixed", max_epochs=100))
        assert run.scores["train_score"] > 0.6  # judged by what it was shown
        assert run.scores["test_score"] < 0.2


def test_the_base_of_a_correction_is_trained_as_it_would_be_alone(data: Data) -> None:
    folds = splits(data, "random", count=2)
    alone = fit("mlp-2", data, folds, seeds=3, stop=SHORT)
    for run, base in zip(fit("correct-and-smooth", data, folds, seeds=3, stop=SHORT), alone, strict=True):
        for name, value in base.weights.items():
            assert torch.equal(run.weights[f"base.{name}"], value)
        assert run.epochs == base.epochs


def test_the_key_of_a_correction_holds_the_settings_of_its_base(data: Data, monkeypatch) -> None:
    """Otherwise a run of other defaults would be read from a store in its place."""
    (split,) = splits(data, "random", count=1)

    def key():
        return job_of("correct-and-smooth", data, split, {}, 0).key(0)

    before = key()
    assert before.protocol["base"] == dict(job_of("mlp-2", data, split, {}, 0).key(0).settings)
    entry = resolve("mlp-2")[0]
    monkeypatch.setitem(entry.training, "lr", 2 * entry.training["lr"])
    assert key().identity != before.identity


@pytest.mark.parametrize(
    ("model", "settings", "error", "message"),
    [
        ("trees", {"lr": 0.1}, UnknownNameError, "no setting 'lr' of the model 'trees'"),
        ("label-propagation", {"weight_decay": 0.1}, UnknownNameError, "no setting 'weight_decay'"),
        ("correct-and-smooth", {"base": "gnc"}, UnknownNameError, "Did you mean 'sgc' or 'gcn'"),
        ("correct-and-smooth", {"base": "correct-and-smooth"}, InputError, "follows another model itself"),
    ],
)
def test_settings_that_cannot_be(data: Data, model: str, settings, error, message: str) -> None:
    with pytest.raises(error, match=message):
        fit(model, data, splits(data, "random", count=1), settings)


def test_only_networks_are_wrapped_and_exported(data: Data, tmp_path) -> None:
    folds = splits(data, "random", count=1)
    with pytest.raises(InputError, match="wrap= for 'trees', which is no network"):
        fit("trees", data, folds, wrap=lambda network: network)
    (trained,) = train_folds("trees", data, folds, {})
    with pytest.raises(ExportError, match="'trees' is no torch network"):
        export(trained, data, tmp_path / "trees.pt2")
    assert trained.mixing(data) == []


def test_the_settings_of_trees_are_in_the_key(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    keys = {job_of("trees", data, split, {"min_leaf": leaf}, 0).key(0).identity for leaf in (5, 10)}
    assert len(keys) == 2


def test_the_estimators(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    for model in ("trees", "correct-and-smooth"):
        found = NodeClassifier(model, epochs=100).fit(data, split=split)
        assert (found.predict(data) == data.y.numpy())[split.test.numpy()].mean() > 0.8
    numbers = labelled("number")
    predicted = NodeRegressor("trees").fit(numbers, split=split).predict(numbers)[split.test]
    assert np.corrcoef(predicted, numbers.y[split.test])[0, 1] > 0.8


@pytest.mark.parametrize(
    "model", ["trees", "linear", "structure-trees", "correct-and-smooth", "label-propagation"]
)
def test_nothing_leaks_where_labels_are_shuffled(model: str) -> None:
    """Eight graphs with shuffled labels: right answers on test nodes stay within four deviations of a coin's."""
    right = nodes = 0
    for seed in range(8):
        data = graph(seed=seed)
        data.y = data.y[torch.randperm(120, generator=torch.Generator().manual_seed(seed))]
        (split,) = splits(data, "random", count=1, seed=seed)
        (run,) = fit(model, data, split, seeds=seed, stop=stopping("fixed", max_epochs=60))
        right += round(run.scores["test_score"] * int(split.test.sum()))
        nodes += int(split.test.sum())
    deviation = math.sqrt(nodes * (1 / 3) * (2 / 3))
    assert abs(right - nodes / 3) < 4 * deviation


def test_trees_that_are_ended_early_keep_their_best_round(data: Data) -> None:
    """A callback that calls ``stop`` gives what a limit on the rounds gives."""

    def stop_after_ten(reached: TrainingProgress) -> None:
        if reached.step >= 9:
            reached.stop()

    (split,) = splits(data, "stratified", count=1)
    (ended,) = fit("trees", data, split, on_progress=stop_after_ten)
    (limited,) = fit("trees", data, split, {"max_trees": 10})
    assert ended.epochs <= 10
    assert ended.scores == limited.scores


def test_bound_models_refuse_the_same_nodes_in_another_order(data: Data, tmp_path) -> None:
    """By row every prediction would be another node's."""
    data.node_ids = [f"n{number}" for number in range(data.num_nodes)]
    (kept,) = train_folds("label-propagation", data, divide(data, count=1), {})
    again = checkpoint.load(checkpoint.save(kept, tmp_path / "kept"))
    assert torch.equal(again.outputs(data), kept.outputs(data))
    data.node_ids = data.node_ids[::-1]
    with pytest.raises(InputError, match="node ids are not those of the training, or in another order"):
        again.predict(data)
