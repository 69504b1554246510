"""What a round trains and predicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.few_labels.expansion import Labels
from allpass.train.few_labels.learner import Learner
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping

HOW = {"stop": stopping("fixed", max_epochs=20), "select": "final", "dtype": torch.float64}


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


def test_without_added_labels_it_is_fit(data: Data) -> None:
    parts = splits(data, "random", count=2)
    found = Learner("gcn", data, {"lr": 0.05}, 3, HOW).fit([Labels.of(split, data.y) for split in parts])
    for run, expected in zip(found, fit("gcn", data, parts, {"lr": 0.05}, seeds=3, **HOW), strict=True):
        assert run.scores == expected.scores
        assert run.seed == 3


@pytest.mark.parametrize("scaling", ["none", "columns"])
def test_predictions_have_the_reported_scores(data: Data, scaling: str) -> None:
    (split,) = splits(data, "random", count=1)
    learner = Learner("acm-gcn", data, {}, 0, {**HOW, "scaling": scaling})
    (run,) = learner.fit([Labels.of(split, data.y)])
    right = learner.predict(run).argmax(1) == data.y
    for part in ("train", "val", "test"):
        assert float(right[getattr(split, part)].double().mean()) == pytest.approx(
            run.scores[f"{part}_score"]
        )


def test_guessed_classes_are_learnt_as_they_are_guessed(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    nobody = replace(split, train=torch.zeros_like(split.train))
    wrong = torch.nn.functional.one_hot((data.y + 1) % 3, 3).bool()
    guessed = Labels.of(nobody, data.y).grown(wrong & split.train.unsqueeze(1))
    (run,) = Learner("mlp-2", data, {"lr": 0.05, "dropout": 0.0}, 0, HOW).fit([guessed])
    assert run.scores["train_score"] > 0.9  # by what it was told
    assert run.scores["test_score"] < 0.1  # by the truth


@pytest.mark.parametrize(
    ("model", "settings", "layers"), [("gcn", {}, 2), ("gcn", {"num_layers": 3}, 3), ("linkx", {}, 3)]
)
def test_how_far_a_model_looks(data: Data, model: str, settings: dict[str, int], layers: int) -> None:
    assert Learner(model, data, settings, 0, {}).num_layers == layers
