"""Sweeps that are killed at random moments, or share a store: the scenes of test_robustness.py."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
from pathlib import Path

import torch
from tests.train.scenes import serve
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.engine import plan, recording
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store
from allpass.train.sweep import Sweep, sweep

SPACE = {"lr": (0.2, 0.05), "dropout": (0.0, 0.5)}
SPLITS = 4
RUNS = len(SPACE["lr"]) * len(SPACE["dropout"]) * SPLITS
RULE = stopping("patience-loss", patience=5, max_epochs=20)


def swept(path: Path) -> Sweep:
    """The sweep, from where it was stopped."""
    x, A, y, _ = learnable_graph()
    data = Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")
    with Store(path) as store:
        return sweep(store, "gcn", data, splits(data, "random", count=SPLITS), SPACE, stop=RULE)


def struck(path: Path, seconds: float) -> bool:
    """Whether a sweep was struck dead after so much time of a processor, and not done before.

    Nobody catches the signal, so it ends a process where it stands; the time is its own, whatever else is running.
    """
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        swept(path)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def stored(path: Path) -> list[str]:
    """The runs of a store as SQLite itself reads them, once it has found the file sound."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'runs'").fetchall()
    found = [row[0] for row in connection.execute("SELECT identity FROM runs")] if tables else []
    connection.close()
    return found


def killed(folder: Path, times: int) -> None:
    """After so many kills every run is there once, with the numbers of a sweep that nobody disturbed."""
    dice, kills, moments, number = random.Random(0), 0, set[int](), 0
    while kills < times:
        path = folder / f"{number}.db"
        if struck(path, dice.uniform(0.01, 0.2)):
            kills += 1
            moments.add(len(stored(path)) if path.exists() else 0)
        else:
            number += 1  # it was quicker: the next one begins anew
    assert len(moments) > 2  # some of the work was done at a kill, more at another
    whole = swept(folder / "whole.db")
    assert (whole.trained, whole.read) == (RUNS, 0)
    for path in (folder / f"{k}.db" for k in range(number + 1)):
        found = swept(path)
        assert found.trials == whole.trials
        assert found.read + found.trained == RUNS == len(stored(path)) == len(set(stored(path)))
        assert sorted(stored(path)) == sorted(stored(folder / "whole.db"))


def shared(folder: Path) -> None:
    """Two sweeps at once on one store: both have all of it in the end, and nothing is there twice."""
    path, children = folder / "runs.db", []
    for _ in range(2):
        children.append(os.fork())
        if children[-1] == 0:
            found = swept(path)
            os._exit(0 if found.read + found.trained == RUNS else 1)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert len(stored(path)) == len(set(stored(path))) == RUNS
    assert swept(path).trials == swept(folder / "whole.db").trials


if __name__ == "__main__":
    torch.set_num_threads(1)
    plan.ON_A_CPU = 2  # runs that end together: a kill finds some of them stored
    recording.SLOW = 0.0  # so few epochs are not worth a record
    serve({"killed": killed, "shared": shared})
