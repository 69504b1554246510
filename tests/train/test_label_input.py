"""Networks that read the labels of training nodes, through every door of a training."""

from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import contextual_sbm, splits
from allpass.errors import InputError
from allpass.train import checkpoint
from allpass.train.compare import compare
from allpass.train.config import TrainingConfig
from allpass.train.engine import loop
from allpass.train.engine.gradients import Together
from allpass.train.estimator import NodeClassifier
from allpass.train.export import export
from allpass.train.few_labels import few_labels
from allpass.train.fit import fit, job_of
from allpass.train.folds import train_folds
from allpass.train.given import divide
from allpass.train.rules.stopping import stopping
from allpass.train.trained import Trained

SHORT = stopping("fixed", max_epochs=5)
ENOUGH = stopping("fixed", max_epochs=150)


def graph(seed: int = 0, nodes: int = 50) -> Data:
    """Neighbours share their class, and features say nothing."""
    mixing = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    data = contextual_sbm([nodes] * 3, mixing, average_degree=6, num_features=5, seed=seed)
    data.x = torch.randn(3 * nodes, 5, generator=torch.Generator().manual_seed(seed))
    return data


@pytest.fixture(scope="module")
def data() -> Data:
    return graph()


def test_labels_help_where_features_say_nothing(data: Data) -> None:
    folds = splits(data, "random", count=3)
    without, found = (
        [run.scores["test_score"] for run in fit("gcn", data, folds, stop=ENOUGH, label_input=flag)]
        for flag in (False, True)
    )
    assert sum(found) / 3 > sum(without) / 3 + 0.1
    assert min(found) > 0.8


def test_shuffled_labels_stay_at_chance() -> None:
    right = nodes = 0
    for seed in range(6):
        data = graph(seed)
        data.y = data.y[torch.randperm(150, generator=torch.Generator().manual_seed(seed))]
        (split,) = splits(data, "random", count=1, seed=seed)
        (run,) = fit("gcn", data, split, seeds=seed, stop=ENOUGH, label_input=True)
        right += round(run.scores["test_score"] * int(split.test.sum()))
        nodes += int(split.test.sum())
    assert abs(right - nodes / 3) < 4 * math.sqrt(nodes * 2 / 9)


def test_labels_of_test_nodes_are_never_read(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    other = data.clone()
    other.y = torch.where(split.test, (data.y + 1) % 3, data.y)
    runs = [fit("gcn", one, split, stop=SHORT, label_input=True)[0] for one in (data, other)]
    for name, value in runs[0].weights.items():
        assert torch.equal(value, runs[1].weights[name])


@pytest.mark.parametrize("model", ["gcn", "acm-gcn", "linkx", "mlp-2"])
def test_runs_together_equal_runs_alone(data: Data, model: str) -> None:
    folds, settings = (
        splits(data, "random", count=2),
        [{"label_input": True}, {}, {"dropout": 0.0, "label_input": True}],
    )
    together = fit(model, data, folds, settings, seeds=[0, 1], stop=SHORT)
    for run in together:
        (alone,) = fit(model, data, run.split, run.settings, seeds=run.seed, stop=SHORT)
        assert dict(alone.scores) == pytest.approx(dict(run.scores), nan_ok=True)
    assert [bool(run.settings.get("label_input")) for run in together] == [True] * 4 + [False] * 4 + [
        True
    ] * 4


def test_all_at_once_equals_one_after_the_other(data: Data) -> None:
    """The way of a GPU, on a CPU: vmap over replicas with training nodes of their own."""
    job = job_of(
        "gcn", data, splits(data, "random", count=2), {}, [0, 1], TrainingConfig(stop=SHORT, label_input=True)
    )
    alone = dict(next(iter(job.run([number]))).popitem() for number in range(4))
    batch = job.batch(range(4))
    batch.gradients = Together(job._networks(job.wanted)[0], batch.layout, batch.problem)
    batch.together = True
    for found in loop.train(batch):
        for number, outcome in found.items():
            assert dict(outcome.scores) == pytest.approx(dict(alone[number].scores), rel=1e-4, nan_ok=True)


def test_it_is_part_of_the_key_when_it_is_on_alone(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    plain, off, on = (
        job_of("gcn", data, split, {}, 0, TrainingConfig(**given)).key(0)
        for given in ({}, {"label_input": False}, {"label_input": True})
    )
    assert plain.identity == off.identity != on.identity
    assert on.settings["label_input"] is True
    assert "label_input" not in job_of("gcn", data, split, {"label_input": False}, 0).key(0).settings


@pytest.mark.parametrize("kind", ["classes", "binary", "number", "numbers"])
def test_checkpoints_keep_the_labels(data: Data, kind: str, tmp_path) -> None:
    data = data.clone()
    if kind == "binary":
        data.y = (data.y == 0).long()
    elif kind != "classes":
        data.y = data.y * 1000.0 + 1e4 if kind == "number" else torch.stack([data.y * 10.0, data.x[:, 0]], 1)
    folds = divide(data, "random", count=1)
    if kind == "binary":
        (run,) = fit("gcn", data, folds, task="binary", stop=ENOUGH, label_input=True)
        trained = Trained.of(run, data)
    else:
        (trained,) = train_folds("gcn", data, folds, {}, stop=ENOUGH, label_input=True)
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    assert torch.equal(found.outputs(data), trained.outputs(data))
    assert found.measure(data, folds[0].test) == pytest.approx(trained.scores["test_score"], abs=1e-4)
    if kind == "number":
        assert trained.scores["test_score"] > 0.5
    with pytest.raises(
        InputError, match=r"Got 60 nodes; 'gcn' reads the labels of .*150 nodes.*label_input=False"
    ):
        found.outputs(graph(nodes=20))


def test_a_program_keeps_the_labels(data: Data, tmp_path) -> None:
    (trained,) = train_folds("gcn", data, splits(data, "random", count=1), {}, stop=SHORT, label_input=True)
    program = export(trained, data, tmp_path / "gcn.pt2")
    graph_ = trained.inputs(data)[1]
    torch.testing.assert_close(program.module()(data.x, graph_.edge_index), trained.outputs(data))


def test_in_a_comparison_and_an_estimator(data: Data) -> None:
    folds = splits(data, "random", count=2)
    found = compare(
        ["mlp-2", "gcn", "label-propagation", "trees"], data, folds, stop=ENOUGH, label_input=True
    )
    assert found["gcn"].settings["label_input"] is True
    assert "label_input" not in found["label-propagation"].settings
    made = NodeClassifier("gcn", epochs=150, label_input=True).fit(data, split=folds[0])
    assert (made.predict(data) == data.y.numpy())[folds[0].test.numpy()].mean() > 0.8


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        ("gcn", {"settings": {"label_input": 1}}, "label_input = 1.*Expected True or False"),
        ("linkx-structure", {"label_input": True}, "reads no features"),
        ("cpgnn", {"label_input": True}, "has a loss of its own"),
        ("gcn", {"label_input": True, "wrap": lambda network: network}, "has a loss of its own"),
    ],
)
def test_what_cannot_read_labels_says_so(data: Data, model: str, given, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit(model, data, splits(data, "random", count=1), stop=SHORT, **given)


def test_few_label_strategies_take_none(data: Data) -> None:
    with pytest.raises(InputError, match="label_input = True for a few-label strategy"):
        few_labels("union", "gcn", data, splits(data, "random", count=1), label_input=True)


@pytest.mark.gpu
def test_a_gpu_gives_the_same(data: Data) -> None:
    folds = splits(data, "random", count=2)
    here, there = (
        fit("gcn", data, folds, stop=SHORT, label_input=True, device=device) for device in ("cpu", "cuda")
    )
    for a, b in zip(here, there, strict=True):
        assert dict(a.scores) == pytest.approx(dict(b.scores), abs=1e-4)
