"""What is wanted of a model and a graph: runs grouped by shape, trained in parts, named by what decides them."""

from __future__ import annotations

from itertools import islice

import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from allpass.data import splits
from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator
from allpass.testing import learnable_graph
from allpass.train.config import TrainingConfig
from allpass.train.fit import fit, job_of
from allpass.train.job import TrainingProgress
from allpass.train.network import untrained
from allpass.train.rules.stopping import stopping

RULE = stopping("fixed", max_epochs=4)


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


def test_only_runs_of_one_shape_train_together(data: Data) -> None:
    settings = [
        {"hidden_channels": 4},
        {"hidden_channels": 8},
        {"lr": 0.5, "hidden_channels": 4},
        {"dropout": 0.1},
    ]
    job = job_of("gcn", data, splits(data, "random", count=2), settings, 0, TrainingConfig(stop=RULE))
    assert job._groups(range(8)) == [[0, 1, 4, 5], [2, 3], [6, 7]]


def test_some_of_the_runs_and_those_that_are_taken(data: Data) -> None:
    job = job_of("gcn", data, splits(data, "random", count=6), {}, 0, TrainingConfig(stop=RULE))
    asked = []

    def take(part):
        asked.append(list(part))
        return [number for number in part if number % 2]

    found = {number for ended in job.run([1, 2, 3, 4], take=take) for number in ended}
    assert asked == [[1, 2, 3, 4]]
    assert found == {1, 3}


def test_a_look_counts_runs_over_all_parts(data: Data) -> None:
    seen: list[tuple[int, int, int]] = []

    def on_progress(reached: TrainingProgress) -> None:
        seen.append((reached.ended, reached.alive, reached.runs))

    fit("gcn", data, splits(data, "random", count=20), {"dropout": 0.5}, stop=RULE, on_progress=on_progress)
    assert seen[0] == (0, 1, 20)  # a CPU trains one after the other
    assert seen[-1] == (19, 0, 20)


def test_targets_are_learnt_and_labels_judge(data: Data) -> None:
    parts = splits(data, "random", count=2)
    turned = (data.y + 1) % 3
    rule = stopping("fixed", max_epochs=60)
    how = {"settings": {"lr": 0.1, "dropout": 0.0}, "stop": rule, "select": "final"}
    wrong, right = (fit("gcn", data, parts, targets=[t, t], **how) for t in (turned, data.y))
    for run in wrong:
        assert run.scores["train_score"] > 0.9  # on what it was told
        assert run.scores["test_score"] < 0.1  # the truth is another
    told = data.clone()
    told.y = turned
    for run, same in zip(wrong, fit("gcn", told, parts, **how), strict=True):
        assert run.scores["train_loss"] == pytest.approx(same.scores["train_loss"], abs=1e-6)
    for run, same in zip(right, fit("gcn", data, parts, **how), strict=True):
        assert run.scores == pytest.approx(same.scores)
    with pytest.raises(InputError, match="Got 1 targets for 2 splits"):
        fit("gcn", data, parts, targets=[turned])


class Pulled(nn.Module):
    """A network whose own loss pulls every output to a number."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x, edge_index):
        return self.model(x, edge_index)

    def loss(self, output, x, edge_index, target, mask):
        return (output - 2).square().mean()


def test_a_loss_of_its_own_takes_the_place_of_the_task(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    how = {"settings": {"lr": 0.1, "weight_decay": 0.0, "dropout": 0.0}, "select": "final"}
    (run,) = fit("mlp-2", data, split, stop=stopping("fixed", max_epochs=200), wrap=Pulled, **how)
    assert all(name.startswith("model.") for name in run.weights)
    network = Pulled(
        job_of("mlp-2", data, split, {}, 0)._network(job_of("mlp-2", data, split, {}, 0).wanted[0])
    )
    network.load_state_dict(dict(run.weights))
    with torch.no_grad():
        assert float((network.eval()(data.x, data.edge_index) - 2).abs().mean()) < 0.2


def test_curves_and_weights_are_there_when_wanted(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    (run,) = fit("gcn", data, split, stop=RULE, curves=True, weights=False)
    assert run.weights == {}
    assert {len(curve) for curve in run.curves.values()} == {4}
    for name, value in run.scores.items():
        assert float(run.curves[name][run.epoch]) == pytest.approx(value, rel=1e-6)
    (run,) = fit("gcn", data, split, stop=RULE)
    assert run.curves == {}


def test_time_is_shared_out(data: Data) -> None:
    runs = fit("gcn", data, splits(data, "random", count=3), stop=RULE)
    assert all(run.seconds > 0 for run in runs)


def test_scaling_is_part_of_the_training(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    scaled = data.clone()
    scaled.x = data.x / data.x.sum(1, keepdim=True)
    (ours,), (theirs,) = (
        fit("gcn", graph, split, stop=RULE, scaling=how) for graph, how in ((data, "rows"), (scaled, "none"))
    )
    assert ours.scores == pytest.approx(theirs.scores, rel=1e-5)


def test_ten_thousand_runs_are_cut_into_parts(data: Data) -> None:
    job = job_of(
        "gcn",
        data,
        splits(data, "random", count=1),
        [{}] * 10_000,
        0,
        TrainingConfig(stop=stopping("fixed", max_epochs=1)),
    )
    first = [number for ended in islice(job.run(range(10_000)), 20) for number in ended]
    assert first == list(range(20))  # a CPU trains one after the other, and makes sixteen of them at a time


def test_one_network_is_made_for_all_that_begin_alike(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*given: object, **more: object) -> object:
        made.append(more["seed"])
        return untrained(*given, **more)

    monkeypatch.setattr("allpass.train.job.untrained", counted)
    tried = [{"lr": lr, "dropout": dropout} for lr in (0.01, 0.1) for dropout in (0.0, 0.5)]
    job = job_of("gcn", data, splits(data, "random", count=3), tried, [0, 7], TrainingConfig(stop=RULE))
    batch = job.batch(range(24))
    assert sorted(made) == [0, 0, 7, 7]  # a dropout each
    alone = job.batch([23])
    assert torch.equal(batch.rows[23], alone.rows[0])
    assert not torch.equal(batch.rows[23], batch.rows[22])


def test_wrong_input(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'weight_decay'"):
        job_of("gcn", data, split, {"weight_decya": 0}, 0)
    with pytest.raises(InputError, match="no features"):
        job_of("gcn", Data(edge_index=data.edge_index, y=data.y, num_nodes=data.num_nodes), split, {}, 0)


def test_features_that_are_mostly_zero_are_stored_sparse_and_give_the_same(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    thin, full = data.clone(), data.clone()
    thin.x = torch.where(
        torch.rand(data.x.shape, generator=torch.Generator().manual_seed(0)) < 0.15, data.x, 0
    )
    full.x = thin.x.to_sparse_csr()
    as_given = TrainingConfig(scaling="none")
    assert isinstance(job_of("gcn", thin, split, {}, 0, as_given).problem.x, Operator)
    assert isinstance(job_of("gcn", data, split, {}, 0, as_given).problem.x, torch.Tensor)
    one, other = (
        fit("gcn", graph, split, {"dropout": 0.5}, stop=RULE, scaling="none", dtype=torch.float64)[0]
        for graph in (thin, full)
    )
    assert one.scores == pytest.approx(other.scores, abs=1e-12)


def test_the_precision_of_products_is_part_of_the_key(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    keys = [job_of("gcn", data, split, {}, 0, TrainingConfig(tf32=tf32)).key(0) for tf32 in (False, True)]
    assert [key.protocol["precision"] for key in keys] == ["float32", "tf32"]
    assert keys[0].identity != keys[1].identity


@pytest.mark.parametrize(
    ("model", "given", "stored"),
    [
        (
            "label-propagation",
            {"output": "scores"},
            {"num_layers": 50, "alpha": 0.9, "filter": "A_sym", "clamp": False, "clip": False},
        ),
        (
            "linkx",
            {},
            {
                "hidden_channels": 64,
                "num_layers": 3,
                "num_edge_layers": 1,
                "num_node_layers": 1,
                "dropout": 0.5,
                "lr": 0.01,
                "weight_decay": 0.001,
            },
        ),
    ],
)
def test_a_setting_that_came_later_leaves_the_keys_of_stored_runs_alone(data, model, given, stored) -> None:
    """The settings on the right are those in the keys that were written before the setting existed."""
    split = splits(data, "random", count=1)
    key = job_of(model, data, split, given, 0).key(0)
    assert dict(key.settings) == stored
    later = {"label-propagation": {"output": "log-shares"}, "linkx": {"features": False}}[model]
    other = job_of(model, data, split, later, 0).key(0)
    assert dict(other.settings) == {**stored, **later}
    assert other.identity != key.identity


@pytest.mark.gpu
def test_curves_targets_and_losses_are_those_of_a_cpu(data: Data) -> None:
    parts = splits(data, "random", count=3)
    for extra in ({"targets": [(data.y + k) % 3 for k in range(3)]}, {"wrap": Pulled}):
        how = {"stop": stopping("fixed", max_epochs=60), "dtype": torch.float64, "curves": True, **extra}
        here, there = (
            fit("gcn", data, parts, {"dropout": 0.5}, device=one, **how) for one in ("cpu", "cuda")
        )
        for a, b in zip(here, there, strict=True):
            assert a.curves["train_loss"].tolist() == pytest.approx(b.curves["train_loss"].tolist(), abs=1e-6)
            assert a.scores == pytest.approx(b.scores, abs=1e-6)
