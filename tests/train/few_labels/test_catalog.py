"""The door: names, options, order, and that nobody looks at labels that were not given."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.errors import InputError, UnknownNameError
from allpass.testing import learnable_graph
from allpass.train.few_labels import STRATEGIES, few_labels
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping

HOW = {"stop": stopping("fixed", max_epochs=10), "select": "final", "dtype": torch.float64}
FEW = {"percent": 5, "val": 30, "test": 60}
OPTIONS = {
    "self-training": {"added": 20},
    "co-training": {"added": 20},
    "union": {"added": 20},
    "intersection": {"added": 20},
    "multi-stage": {"added": 20, "stages": 2},
    "m3s": {"added": 20, "stages": 2, "clusters": 10},
    "svat": {},
    "dvat": {},
}


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


def test_every_strategy_is_tested_here() -> None:
    assert set(OPTIONS) == set(STRATEGIES.names)


@pytest.mark.parametrize("strategy", OPTIONS)
def test_labels_that_were_not_given_change_nothing(data: Data, strategy: str) -> None:
    (split,) = splits(data, "few-label", count=1, **FEW)
    other = data.clone()
    other.y = torch.where(split.train, data.y, data.y.flip(0))
    runs = [
        few_labels(strategy, "gcn", one, split, {"lr": 0.05}, options=OPTIONS[strategy], **HOW)[0]
        for one in (data, other)
    ]
    for name, weight in runs[0].weights.items():
        assert torch.equal(weight, runs[1].weights[name])
    assert runs[0].scores["train_loss"] == runs[1].scores["train_loss"]


@pytest.mark.parametrize("strategy", ["union", "svat"])
def test_the_order_is_that_of_fit_and_a_run_among_many_is_the_run_alone(data: Data, strategy: str) -> None:
    parts = splits(data, "few-label", count=2, **FEW)
    settings = [{"lr": 0.05}, {"lr": 0.01}]
    many = few_labels(strategy, "gcn", data, parts, settings, seeds=[0, 1], options=OPTIONS[strategy], **HOW)
    plain = fit("gcn", data, parts, settings, seeds=[0, 1], **HOW)
    for run, expected in zip(many, plain, strict=True):
        assert run.split is expected.split
        assert (run.settings, run.seed) == (expected.settings, expected.seed)
    run = many[5]
    (alone,) = few_labels(
        strategy, "gcn", data, run.split, settings[1], seeds=run.seed, options=OPTIONS[strategy], **HOW
    )
    assert alone.scores == pytest.approx(run.scores, abs=1e-12)


def test_more_labels_help_where_neighbours_agree(data: Data) -> None:
    blurred = data.clone()
    blurred.x = data.x + 4 * torch.randn(data.x.shape, generator=torch.Generator().manual_seed(0))
    parts = splits(blurred, "few-label", count=3, percent=3, val=30, test=60)
    how = {"stop": "fixed", "epochs": 40, "select": "final", "scaling": "none"}
    found = few_labels("co-training", "gcn", blurred, parts, options={"added": 60}, **how)
    plain = fit("gcn", blurred, parts, **how)
    gains = [a.scores["test_score"] - b.scores["test_score"] for a, b in zip(found, plain, strict=True)]
    assert sum(gains) / len(gains) > 0.05


def test_no_runs_of_no_splits(data: Data) -> None:
    assert few_labels("union", "gcn", data, [], **HOW) == []


def test_a_typo_in_a_name(data: Data) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'self-training'"):
        few_labels("self-trainig", "gcn", data, [])
    with pytest.raises(UnknownNameError, match=r"no option 'stage'\. Did you mean 'stages'"):
        few_labels("m3s", "gcn", data, [], options={"stage": 2})


@pytest.mark.parametrize("value", [0, -1, float("nan"), None, "much"])
def test_options_are_above_zero(data: Data, value: object) -> None:
    with pytest.raises(InputError, match="a number above 0"):
        few_labels("union", "gcn", data, [], options={"alpha": value})


@pytest.mark.parametrize("value", [0, 2.5, None])
def test_rounds_are_counted(data: Data, value: object) -> None:
    with pytest.raises(InputError, match="a whole number above 0"):
        few_labels("m3s", "gcn", data, [], options={"stages": value})


def test_the_number_of_nodes_may_be_left_open(data: Data) -> None:
    assert few_labels("union", "gcn", data, [], options={"added": None}, **HOW) == []


def test_only_classes_can_be_guessed(data: Data) -> None:
    with pytest.raises(InputError, match="'regression' for a few-label strategy"):
        few_labels("union", "gcn", data, [], task="regression")


@pytest.mark.parametrize("model", ["label-propagation", "feature-trees"])
def test_a_model_without_weights_is_refused(data: Data, model: str) -> None:
    with pytest.raises(InputError, match=f"train networks; '{model}' is none"):
        few_labels("union", model, data, [])
