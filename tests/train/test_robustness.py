"""The engine where things go wrong, and what must not matter to a run: its company, the order, the threads."""

from __future__ import annotations

import logging
import math
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.train.scenes import stage
from tests.train.trainings import drawn
from tests.train.trainings import graph as graph_of_drawn
from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.data import contextual_sbm, splits
from allpass.data.splits import Split
from allpass.errors import InputError, UnknownNameError
from allpass.sealed import CheckpointError
from allpass.testing import learnable_graph
from allpass.train import checkpoint
from allpass.train.config import TrainingConfig
from allpass.train.engine.batch import Outcome
from allpass.train.engine.gradients import Together
from allpass.train.engine.loop import train
from allpass.train.export import export
from allpass.train.fit import Replica, fit, job_of
from allpass.train.job import Job, _tell
from allpass.train.kept import fit_into
from allpass.train.rules.stopping import stopping
from allpass.train.runs.database import StoreError
from allpass.train.runs.store import Store

pytestmark = pytest.mark.usefixtures("unrecorded")
FEW = {"stop": stopping("fixed", max_epochs=4)}


def graph(**changes: object) -> Data:
    x, A, y, _ = learnable_graph()
    given = {"x": x, "edge_index": A.edge_index, "y": y, "num_nodes": len(y), "name": "learnable"}
    return Data(**(given | changes))


@pytest.fixture(scope="module")
def data() -> Data:
    return graph()


@pytest.fixture(scope="module")
def split(data: Data) -> Split:
    return splits(data, "random", count=1)[0]


@pytest.fixture(scope="module")
def play() -> Iterator[Callable[..., None]]:
    with stage("tests.train.sweeps") as found:
        yield found


def test_a_sweep_killed_twenty_times_is_the_undisturbed_sweep(play, tmp_path: Path) -> None:
    play("killed", tmp_path, 20)


def test_two_sweeps_that_share_a_store_do_nothing_twice(play, tmp_path: Path) -> None:
    play("shared", tmp_path)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond a size: what a full disk is to whoever writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_room_for_a_run_loses_nothing_and_it_goes_on(data: Data, tmp_path: Path) -> None:
    parts = splits(data, "random", count=6)
    with Store(tmp_path / "runs.db") as store:
        first = fit_into(store, "gcn", data, parts[:2], **FEW)
        log = tmp_path / "runs.db-wal"
        later = partial(fit_into, store, "gcn", data, parts, {"dropout": 0.9}, **FEW)
        with room_for(log.stat().st_size + 2**14), pytest.raises(StoreError, match="space") as refusal:
            later()
        assert "what was stored before is safe" in refusal.value.cure
        kept = list(store.runs())
        assert [run.scores for run in kept[:2]] == [run.scores for run in first]
        assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        runs = later()
        plain = fit("gcn", data, parts, {"dropout": 0.9}, **FEW)
        assert [dict(run.scores) for run in runs] == [dict(run.scores) for run in plain]
        assert len(store) == 8


def test_no_room_for_a_checkpoint_or_a_program(tmp_path: Path) -> None:
    small, large = drawn("mlp-1"), drawn("mlp-2", settings={"hidden_channels": 4000})
    kept = checkpoint.save(small, tmp_path / "kept")
    program = tmp_path / "program.pt2"
    program.write_text("older")
    with room_for(2**14):
        for folder in (kept, tmp_path / "new"):
            with pytest.raises(CheckpointError, match=r"cannot be written: File too large\. Make room"):
                checkpoint.save(large, folder)
        with pytest.raises(InputError, match=r"cannot be written: File too large\. Make room"):
            export(large, graph_of_drawn(), program)
    assert checkpoint.load(kept).model == "mlp-1"
    assert program.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "program.pt2"]


def finite(run: Outcome) -> bool:
    return not run.diverged and all(math.isfinite(value) for value in run.scores.values())


@pytest.mark.parametrize("model", ["acm-gcn", "gat", "gprgnn", "snowball-2"])
def test_a_graph_without_edges_and_one_of_lonely_nodes(data: Data, split: Split, model: str) -> None:
    for edges in ([], [[0, 1], [1, 0]]):
        bare = graph(edge_index=torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T)
        (run,) = fit(model, bare, split, {"dropout": 0.0}, **FEW)
        assert finite(run)


def without(split: Split, part: str, nodes: Tensor) -> Split:
    return replace(split, **{part: getattr(split, part) & ~nodes})


def test_a_class_that_training_does_not_show_is_told_once(data: Data, split: Split, caplog) -> None:
    _tell.cache_clear()
    hidden = without(split, "train", data.y == 1)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            (run,) = fit("gcn", data, hidden, **FEW)
    assert [record.message for record in caplog.records] == [
        "The training nodes of 1 of 1 splits have none of class 1: what is not shown cannot be learnt."
    ]
    assert finite(run)
    assert run.weights["layers.1.bias"].shape == (3,)  # new nodes may still be of that class


@pytest.mark.parametrize("part", ["val", "test"])
@pytest.mark.parametrize("score", ["accuracy", "macro_f1"])
def test_a_class_missing_elsewhere_is_not_judged_there(
    data: Data, split: Split, part: str, score: str, caplog
) -> None:
    (run,) = fit("gcn", data, without(split, part, data.y == 1), score=score, **FEW)
    assert finite(run)
    assert caplog.records == []


def test_a_score_that_nobody_can_have_is_told_and_leaves_the_others(data: Data, split: Split, caplog) -> None:
    """The area under a curve needs two classes; losses are there, and so is the epoch they choose."""
    _tell.cache_clear()
    two = graph(y=(data.y > 0).long())
    single = without(split, "val", two.y == 0)
    (run,) = fit("gcn", two, single, task="binary", **FEW)
    (record,) = caplog.records
    assert record.message == "The validation nodes of 1 of 1 splits are of one class: no roc_auc there."
    assert math.isnan(run.scores["val_score"])
    assert all(math.isfinite(value) for name, value in run.scores.items() if name != "val_score")
    assert run.epoch is not None
    (run,) = fit("gcn", two, single, task="binary", select="best-val-score", **FEW)
    assert run.epoch is None  # none was best
    assert not run.diverged


def test_one_node_of_a_class_and_numbers_that_are_skipped(data: Data, split: Split) -> None:
    y = torch.where(data.y == 2, 0, data.y)
    y[int(split.train.nonzero()[0])] = 7
    (run,) = fit("gcn", graph(y=y), split, {"lr": 0.1}, stop=stopping("fixed", max_epochs=40))
    assert run.weights["layers.1.bias"].shape == (8,)
    assert finite(run)
    assert run.scores["test_score"] > 0.8


@pytest.mark.parametrize("stop", ["gprgnn", "patience-loss", "patience-score", "training-only", "fixed"])
def test_one_epoch_is_an_epoch(data: Data, split: Split, stop: str) -> None:
    for dropout in (0.0, 0.5):
        (run,) = fit("gcn", data, split, {"dropout": dropout}, stop=stopping(stop, max_epochs=1), curves=True)
        assert (run.epoch, run.epochs) == (0, 1)
        assert {name: float(curve[0]) for name, curve in run.curves.items()} == pytest.approx(run.scores)


def test_sets_without_nodes(data: Data, split: Split) -> None:
    everything = torch.ones(data.num_nodes, dtype=torch.bool)
    with pytest.raises(InputError, match="Split 1 has no training nodes"):
        fit("gcn", data, [split, without(split, "train", everything)])
    blind = without(split, "val", everything)
    for how, rule in (({"select": "final"}, "ends a run"), (FEW, "the choice of the epoch")):
        with pytest.raises(InputError, match=f"no validation nodes, and .*{rule}"):
            fit("gcn", data, [split, blind], **how)
    (run,) = fit("gcn", data, blind, select="last-best-train-score", **FEW)
    assert math.isfinite(run.scores["test_score"])
    assert math.isnan(run.scores["val_score"])
    (run,) = fit("gcn", data, without(split, "test", everything), **FEW)
    assert math.isnan(run.scores["test_loss"])
    assert run.epoch is not None


def test_nothing_wanted_is_nothing_done(data: Data, split: Split) -> None:
    for none in ({"splits": []}, {"splits": split, "settings": []}, {"splits": split, "seeds": []}):
        assert fit("gcn", data, **none) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"settings": {"lr": math.nan}}, "Got lr = nan"),
        ({"settings": {"lr": "fast"}}, "Got lr = 'fast'"),
        ({"settings": [{}, {"weight_decay": -1.0}]}, r"Got weight_decay = -1\.0"),
        ({"settings": "lr"}, "Got 'lr' in place of a dict of settings"),
        ({"settings": {"dropout": 2.0}}, "from 0 to 1"),
        ({"seeds": -1}, "Got seed=-1"),
        ({"seeds": [0, 1.5]}, r"Got 1\.5 in place of a seed"),
        ({"splits": "randm"}, "no split 'randm'"),
        ({"splits": None}, "Got None in place of a split"),
        ({"splits": Split(*[torch.ones(7, dtype=torch.bool)] * 3, "mine")}, r"'mine' is of shape \[7\]"),
    ],
)
def test_what_cannot_be_trained_is_told(data: Data, split: Split, given: dict, told: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=told):
        fit("gcn", data, **({"splits": [split]} | given), **FEW)


def test_features_that_are_no_numbers_are_told_before_any_training(data: Data, split: Split) -> None:
    for value in (math.nan, math.inf):
        x = data.x.clone()
        x[3, 1] = value
        for scaling in ("none", "rows", "columns", "auto"):
            with pytest.raises(InputError, match=f"Feature 1 of node 3 is {value}"):
                job_of("gcn", graph(x=x), split, {}, 0, TrainingConfig(scaling=scaling))
    with pytest.raises(InputError, match=r"too large for torch\.float32"):
        fit("gcn", graph(x=data.x.double() * 1e300), split, scaling="none")


def test_a_seed_may_be_of_numpy(data: Data, split: Split) -> None:
    ours, theirs = (fit("gcn", data, split, seeds=seed, **FEW)[0] for seed in (np.int64(3), 3))
    assert (ours.seed, ours.scores) == (3, theirs.scores)


def test_groups_of_parameters_that_a_model_has_not(data: Data, split: Split) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'weight_decay:conv'"):
        fit("gcnii", data, split, {"weight_decay:covn": 0.0}, **FEW)


def test_runs_with_and_without_a_rate_for_a_group_train_side_by_side(data: Data, split: Split) -> None:
    settings = [{"weight_decay": 0.1}, {"weight_decay": 0.1, "weight_decay:conv": 50.0}, {"lr:conv": 0.0}]
    runs = fit("gcnii", data, split, settings, **FEW)
    for run, setting in zip(runs, settings, strict=True):
        (alone,) = fit("gcnii", data, split, setting, **FEW)
        assert run.scores == pytest.approx(alone.scores, rel=1e-6)
    assert len({run.scores["train_loss"] for run in runs}) == 3


class Turning(nn.Module):
    """A network whose loss is no number any more after some steps of an unlucky replica."""

    def __init__(self, network: nn.Module, steps: int) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("left", torch.tensor(steps), persistent=False)

    def forward(self, x: Tensor, graph: object) -> Tensor:
        return self.network(x, graph)

    def loss(self, output: Tensor, x: Tensor, graph: object, target: Tensor, mask: Tensor) -> Tensor:
        self.left.sub_(1)
        losses = nn.functional.cross_entropy(output, target, reduction="none")
        return torch.where(self.left < 0, torch.nan, 1) * (losses * mask).sum() / mask.sum()


def outcomes(job: Job, numbers: list[int], *, together: bool) -> list[Outcome]:
    """Some runs of a job in one batch: all in one call as on a GPU, or one after the other."""
    batch = job.batch(numbers)
    if together:
        batch.together = True
        batch.gradients = Together(job._network(job.wanted[0]), batch.layout, batch.problem)
    found = {place: outcome for ended in train(batch) for place, outcome in ended.items()}
    return [found[place] for place in range(len(numbers))]


@pytest.mark.parametrize("together", [True, False])
def test_a_loss_that_turns_nan_late_keeps_the_best_epoch_before(
    data: Data, split: Split, together: bool
) -> None:
    steps = iter([5, 100, 0])
    job = job_of(
        "gcn",
        data,
        split,
        [{"dropout": 0.3}, {"dropout": 0.5}],
        0,
        TrainingConfig(stop=stopping("fixed", max_epochs=9)),
    )
    job.wrap = lambda network: Turning(network, next(steps))
    short, whole = outcomes(job, [0, 1], together=together)
    assert (short.diverged, short.epochs) == (True, 6)
    assert short.epoch in range(5)
    assert all(math.isfinite(value) for value in short.scores.values())
    assert all(bool(weight.isfinite().all()) for weight in short.weights.values())
    assert finite(whole)
    assert whole.epochs == 9


COMPANY = [
    {"lr": 0.1, "weight_decay": 5e-3, "dropout": 0.5},
    {"lr": 0.05, "weight_decay": 5e-4, "dropout": 0.2},
    {"lr": 0.01, "weight_decay": 0.0, "dropout": 0.0},
    {"lr": 0.3, "weight_decay": 1e-3, "dropout": 0.8},
    {"lr": 0.2, "weight_decay": 1e-2, "dropout": 0.0},
]


def same(a: Outcome, b: Outcome, tolerance: float) -> None:
    assert (a.epoch, a.epochs, a.diverged) == (b.epoch, b.epochs, b.diverged)
    assert a.scores == pytest.approx(b.scores, rel=tolerance, abs=tolerance)
    for name, weight in a.weights.items():
        torch.testing.assert_close(weight, b.weights[name], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("model", ["acm-gcn", "gat", "gprgnn", "snowball-2"])
def test_a_run_among_fifty_is_the_run_alone(data: Data, model: str) -> None:
    """Rates, dropout, nodes, seeds and ends that differ, to 1e-9 in float64, in both ways of computing."""
    parts, narrow = splits(data, "random", count=5), {"hidden_channels": 4}
    how = {"stop": stopping("patience-loss", patience=1, max_epochs=10), "dtype": torch.float64}
    job = job_of(model, data, parts, [one | narrow for one in COMPANY], [0, 1], TrainingConfig(**how))
    many = {way: outcomes(job, list(range(50)), together=way) for way in (True, False)}
    assert len({run.epochs for run in many[True]}) > 2
    for one, other in zip(many[True], many[False], strict=True):
        same(one, other, 1e-9)
    for number in (13, 49):
        run = job.wanted[number]
        (alone,) = fit(model, data, run.split, run.settings, seeds=run.seed, **how)
        same(alone, many[True][number], 1e-9)


ROUNDING = 1e-3
"""How far float32 may take a run of 20 epochs from the same run in other company, as a share of its numbers."""


@pytest.mark.parametrize("model", ["acm-gcn", "gat", "gprgnn", "snowball-2"])
def test_in_float32_it_is_the_run_alone_within_rounding(data: Data, model: str) -> None:
    parts, narrow = splits(data, "random", count=5), {"hidden_channels": 4}
    how = {"stop": stopping("fixed", max_epochs=20), "select": "final"}
    job = job_of(model, data, parts, [one | narrow for one in COMPANY], [0, 1], TrainingConfig(**how))
    many = outcomes(job, list(range(50)), together=True)
    for number in (13, 49):
        run = job.wanted[number]
        (alone,) = fit(model, data, run.split, run.settings, seeds=run.seed, **how)
        for part in ("train", "val", "test"):
            assert many[number].scores[f"{part}_loss"] == pytest.approx(
                alone.scores[f"{part}_loss"], rel=ROUNDING
            )


def by_content(runs: list[Replica]) -> dict[tuple, Replica]:
    return {(*run.settings.values(), run.split.name, run.seed): run for run in runs}


def test_the_order_of_runs_and_the_size_of_parts_do_not_matter(data: Data, monkeypatch) -> None:
    parts = splits(data, "random", count=3)
    how = {"stop": stopping("patience-loss", patience=2, max_epochs=12), "dtype": torch.float64}
    there = by_content(fit("gcn", data, parts, COMPANY[:3], seeds=[0, 1], **how))
    monkeypatch.setattr("allpass.train.engine.plan.ON_A_CPU", 5)  # so others end beside a run, and before it
    back = by_content(fit("gcn", data, parts[::-1], COMPANY[2::-1], seeds=[1, 0], **how))
    assert there.keys() == back.keys()
    for key, run in there.items():
        same(run, back[key], 1e-12)


def test_the_number_of_threads_does_not_matter() -> None:
    """On a graph that is large enough for several of them to work on it."""
    large = contextual_sbm(
        [700] * 3, np.full((3, 3), 1 / 3).tolist(), average_degree=6, num_features=20, seed=0
    )
    (split,) = splits(large, "random", count=1)
    found, before = [], torch.get_num_threads()
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        try:
            found += fit("acm-gcn", large, split, {"dropout": 0.5}, dtype=torch.float64, **FEW)
        finally:
            torch.set_num_threads(before)
    for other in found[1:]:
        same(found[0], other, 1e-9)
