"""The command line, `fit` and `NodeClassifier` train alike: the same model, split and seed give the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from typer.testing import CliRunner

from allpass.cli.main import app
from allpass.data import save_npz
from allpass.data.load import load
from allpass.models import resolve
from allpass.testing import learnable_graph
from allpass.train.compare import compare
from allpass.train.estimator import NodeClassifier
from allpass.train.fit import fit
from allpass.train.folds import train_folds
from allpass.train.given import divide
from allpass.train.runs.store import Store
from allpass.train.sweep import sweep

pytestmark = pytest.mark.usefixtures("unrecorded")
MODELS = ("gcn", "acm-gcn", "mlp-2", "linkx", "trees")
SEED = 3


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classes that are not in the order of their names, one of them so rare that the score is not accuracy."""
    x, A, y, _ = learnable_graph()
    here = (y != 0) | (torch.arange(len(y)) < 45)
    data = Data(x=x, edge_index=A.edge_index, y=(y != 0).long(), num_nodes=len(y)).subgraph(here)
    data.class_names = ["yes", "no"]
    path = tmp_path_factory.mktemp("doors") / "graph.npz"
    save_npz(data, path)
    return path


@pytest.mark.parametrize("model", MODELS)
def test_every_door_gives_the_same_numbers(model: str, graph: Path, tmp_path: Path) -> None:
    words = ["train", str(graph), "--model", model, "--count", "1", "--seed", str(SEED), "--epochs", "60"]
    done = CliRunner().invoke(app, [*words, "--json", "-o", str(tmp_path / "kept")])
    assert done.exit_code == 0, done.output
    line = json.loads(done.stdout)["kept"]

    data = load(graph)
    (split,) = divide(data, count=1, seed=SEED)
    (run,) = fit(model, data, split, seeds=SEED, epochs=60)
    assert run.config.scorer(data).name == "roc_auc"
    (trained,) = train_folds(model, data, [split], {}, seed=SEED, epochs=60)
    made = NodeClassifier(model, random_state=SEED, epochs=60).fit(data, split=split)
    compared = compare([model], data, split, seeds=SEED, epochs=60)
    for name, value in run.scores.items():
        assert line[name] == value, name
        assert made.trained_.scores[name] == value, name
        assert trained.scores[name] == value, name
    assert line["epoch"] == run.epoch == made.trained_.epoch
    assert compared[model].scores == (run.scores["test_score"],)
    rates = resolve(model)[0].training
    if "lr" in rates:
        with Store(tmp_path / "runs.db") as store:
            found = sweep(store, model, data, split, {"lr": (rates["lr"],)}, seeds=SEED, epochs=60)
        assert found.chosen.test_scores == (run.scores["test_score"],)
    for name, weight in run.weights.items():
        assert torch.equal(made.trained_.weights[name], weight), name
    order = [data.class_names.index(name) for name in made.classes_]
    np.testing.assert_array_equal(made.predict_proba(data), trained.probabilities(data).numpy()[:, order])
