"""Runs that are kept: those of fit, read again, and none done twice; test_robustness.py kills and shares them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.fit import fit
from allpass.train.job import Job
from allpass.train.kept import fit_into
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store

SETTINGS = [{"lr": lr, "dropout": p} for lr in (0.05, 0.01) for p in (0.0, 0.5)]
RULE = stopping("patience-loss", patience=5, max_epochs=15)


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def test_runs_are_those_of_fit_and_are_there_again(data: Data, store: Store, monkeypatch) -> None:
    parts = splits(data, "random", count=2)
    kept = fit_into(store, "gcn", data, parts, SETTINGS, seeds=[0, 1], stop=RULE)
    plain = fit("gcn", data, parts, SETTINGS, seeds=[0, 1], stop=RULE, curves=True)
    assert len(store) == len(kept) == len(plain) == 16
    for run, replica in zip(kept, plain, strict=True):
        assert dict(run.scores) == pytest.approx(replica.scores)
        assert (run.epoch, run.epochs, run.key.seed) == (replica.epoch, replica.epochs, replica.seed)
        assert run.key.settings["lr"] == replica.settings["lr"]
        assert run.key.split == replica.split.name
        assert run.curves["val_loss"].tolist() == replica.curves["val_loss"].tolist()
        assert len(run.curves["val_loss"]) == run.epochs
        assert run.curves["val_loss"].min() == pytest.approx(run.scores["val_loss"])
        assert run.seconds > 0
    monkeypatch.setattr(Job, "run", lambda *_, **__: pytest.fail("everything is there"))
    again = fit_into(store, "gcn", data, parts, SETTINGS, seeds=[0, 1], stop=RULE)
    assert [run.scores for run in again] == [run.scores for run in kept]


def test_what_decides_the_numbers_makes_another_run_and_the_device_does_not(data: Data, store: Store) -> None:
    (split,) = splits(data, "random", count=1)
    (other,) = splits(data, "random", count=1, seed=1)
    rule = stopping("fixed", max_epochs=2)
    for how in (
        {},
        {"scaling": "columns"},
        {"stop": stopping("fixed", max_epochs=3)},
        {"select": "final"},
        {"optimizer": "adamw"},
        {"dtype": torch.float64},
    ):
        fit_into(store, "gcn", data, split, **{"stop": rule, **how})
    assert len(store) == 6
    fit_into(store, "gcn", data, other, stop=rule)
    fit_into(store, "gcn-3", data, split, stop=rule)
    fit_into(store, "gcn", data, split, {"num_layers": 3}, stop=rule)  # the one before, in other words
    assert len(store) == 8


def test_the_same_run_twice_in_one_call_is_one_run(data: Data, store: Store) -> None:
    (split,) = splits(data, "random", count=1)
    runs = fit_into(store, "gcn", data, split, [{"lr": 0.05}, {"lr": 5e-2}], stop=RULE)
    assert len(runs) == 2
    assert len(store) == 1


def test_an_interruption_keeps_what_has_ended(data: Data, store: Store) -> None:
    parts = splits(data, "random", count=20)

    def impatient(reached) -> None:
        if reached.ended >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_into(store, "gcn", data, parts, {"dropout": 0.5}, stop=RULE, on_progress=impatient)
    assert len(store) == 16
    runs = fit_into(store, "gcn", data, parts, {"dropout": 0.5}, stop=RULE)
    assert len(runs) == len(store) == 20


def test_a_run_that_diverges_is_kept_as_that(data: Data, store: Store) -> None:
    (split,) = splits(data, "random", count=1)
    good, bad = fit_into(store, "gcn", data, split, [{"lr": 0.01}, {"lr": 1e300, "dropout": 0.0}], stop=RULE)
    assert (good.status, bad.status) == ("done", "diverged")


def test_nothing_is_nothing(data: Data, store: Store) -> None:
    assert fit_into(store, "gcn", data, []) == []
