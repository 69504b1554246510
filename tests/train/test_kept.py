"""Runs that are kept: read again, shared by processes, and none lost or done twice whatever kills them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.fit import fit
from allpass.train.job import Job
from allpass.train.kept import fit_into
from allpass.train.stopping import stopping
from allpass.train.store import Store

SETTINGS = [{"lr": lr, "dropout": p} for lr in (0.05, 0.01) for p in (0.0, 0.5)]
RULE = stopping("patience-loss", patience=5, max_epochs=30)


def graph() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")


@pytest.fixture(scope="module")
def data() -> Data:
    return graph()


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

    def impatient(glance) -> None:
        if glance.ended >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_into(store, "gcn", data, parts, {"dropout": 0.5}, stop=RULE, look=impatient)
    assert len(store) == 16
    runs = fit_into(store, "gcn", data, parts, {"dropout": 0.5}, stop=RULE)
    assert len(runs) == len(store) == 20


def test_a_run_that_diverges_is_kept_as_that(data: Data, store: Store) -> None:
    (split,) = splits(data, "random", count=1)
    good, bad = fit_into(store, "gcn", data, split, [{"lr": 0.01}, {"lr": 1e300, "dropout": 0.0}], stop=RULE)
    assert (good.status, bad.status) == ("done", "diverged")


def test_nothing_is_nothing(data: Data, store: Store) -> None:
    assert fit_into(store, "gcn", data, []) == []


WORK = """
import sys
import torch
torch.set_num_threads(1)
from tests.train.test_kept import RULE, SETTINGS, graph
from allpass.data import splits
from allpass.train.kept import fit_into
from allpass.train.store import Store
data = graph()
print("ready", flush=True)
with Store(sys.argv[1]) as store:
    fit_into(store, "gcn", data, splits(data, "random", count=12), SETTINGS, stop=RULE, dtype=torch.float64)
"""


def start(path: Path) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    surroundings = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", WORK, str(path)]
    return subprocess.Popen(command, cwd=root, env=surroundings, stdout=subprocess.PIPE, text=True)


def undisturbed() -> list:
    data = graph()
    parts = splits(data, "random", count=12)
    return fit("gcn", data, parts, SETTINGS, stop=RULE, dtype=torch.float64, weights=False)


def agrees(path: Path) -> None:
    """Every run is there once, with the numbers of an undisturbed training."""
    data = graph()
    parts = splits(data, "random", count=12)
    with Store(path) as store:
        assert len(store) == 48
        runs = fit_into(store, "gcn", data, parts, SETTINGS, stop=RULE, dtype=torch.float64)
        assert len(store) == 48
    for run, replica in zip(runs, undisturbed(), strict=True):
        assert (run.epoch, run.epochs) == (replica.epoch, replica.epochs)
        assert dict(run.scores) == pytest.approx(replica.scores, abs=1e-12)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_ends_with_every_run_once(tmp_path: Path, kills: int) -> None:
    path, rng = tmp_path / "runs.db", random.Random(0)
    for _ in range(kills):
        worker = start(path)
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(rng.uniform(0.02, 0.6))
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
    with start(path) as worker:
        assert worker.wait(timeout=300) == 0
    agrees(path)


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with start(path) as one, start(path) as other:
        assert one.wait(timeout=300) == 0
        assert other.wait(timeout=300) == 0
    agrees(path)
