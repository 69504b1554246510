"""The command line struck dead at random moments: the scenes of test_kills.py.

A command runs in a process forked from this one and ends where it stands, after a random share of the processor time
that it takes undisturbed; no one catches the signal. What is left has to be sound, and the next run has to end well.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import resource
import signal
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pandas
import torch
from safetensors.torch import load_file
from tests.fuzz.prototypes import prototypes
from tests.train import scenes
from tests.train.scenes import serve
from tests.train.trainings import drawn

import allpass.papers.catalogue
import allpass.train.sweep
from allpass.cli.main import run
from allpass.train import checkpoint

__all__ = ["allpass", "pandas"]
TRAIN = ["--count", "3", "--epochs", "8", "--device", "cpu"]
TIMES = ("seconds", "started", "ended", "machine")
"""What a run does not decide."""


def forked(place: Path, action: Callable[[], object], seconds: float = 0.0) -> tuple[int, float]:
    """The exit status of an action in a child, or minus the signal that ended it, and its processor time."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.chdir(place)
            sink = os.open(place.with_suffix(".said"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            if seconds:
                signal.setitimer(signal.ITIMER_PROF, seconds)
            action()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        finally:
            os._exit(status)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def struck(
    place: Path,
    times: int,
    action: Callable[[], object],
    holds: Callable[[], object],
    whole: float,
    seed: int,
) -> set[object]:
    """Strike so many processes dead, each at a moment of its own; each time the check has to hold. Gives what it found.

    Args:
        place: Where they work.
        times: How many kills.
        action: What they do.
        holds: The check.
        whole: The processor time of an undisturbed one.
        seed: Decides the moments.
    """
    dice, kills, found = Random(seed), 0, set[object]()
    while kills < times:
        status, _ = forked(place, action, seconds=max(dice.random() * whole, 0.002))
        assert status in (0, -signal.SIGPROF), place.with_suffix(".said").read_text()
        kills += status != 0
        found.add(holds())
    return found


def trained(folder: Path, times: int) -> None:
    """``allpass train`` over a checkpoint that is there: at all times the old one or the new one loads."""
    place = _place(folder)
    words = [["train", "g.npz", "--model", model, *TRAIN, "-o", "kept"] for model in ("gcn", "mlp-2")]
    status, seconds = forked(place, lambda: run(words[0]))
    assert status == 0
    whole = _tensors(place / "kept")
    for number, one in enumerate(words):
        struck(place, times // 2, partial(run, one), lambda: _loads(place / "kept"), seconds, number)
    assert forked(place, lambda: run(words[0]))[0] == 0
    again = _tensors(place / "kept")
    assert whole.keys() == again.keys()
    assert all(torch.equal(again[name], whole[name]) for name in whole)
    _is_clean(place, {"g.npz"})


def overwritten(folder: Path, times: int) -> None:
    """Saves of two models in turns, one after the other."""
    place = _place(folder)
    models = [drawn("gcn"), drawn("mlp-2")]
    checkpoint.save(models[0], place / "kept")

    def action() -> None:
        for number in range(12):
            checkpoint.save(models[number % 2], "kept")

    status, seconds = forked(place, action)
    assert status == 0
    struck(place, times, action, lambda: _loads(place / "kept"), seconds, 2)
    checkpoint.save(models[0], place / "kept")
    _is_clean(place, {"g.npz"})


def compared(folder: Path, times: int) -> None:
    """``allpass compare`` with a store."""
    _stored(
        folder,
        times,
        ["compare", "g.npz", "--models", "mlp-1,gcn,acm-gcn", *TRAIN, "--store", "runs.db", "--json"],
    )


def swept(folder: Path, times: int) -> None:
    """``allpass sweep`` with a store."""
    words = [
        "--set",
        "lr=0.01,0.1",
        "--set",
        "dropout=0,0.5",
        "--no-early-stop",
        "--store",
        "runs.db",
        "--json",
    ]
    _stored(folder, times, ["sweep", "g.npz", "--model", "gcn", *TRAIN, *words])


def reproduced(folder: Path, times: int) -> None:
    """``allpass reproduce``: page, picture, table and rows beside the store."""
    words = ["reproduce", "rank", "--quick", "--cells", "tanh", "--store", "runs.db", "--out", "out"]
    whole, place = _place(folder, "whole"), _place(folder)
    status, seconds = forked(whole, lambda: run(words))
    assert status == 0, whole.with_suffix(".said").read_text()

    def holds() -> int:
        for path in (place / "out").rglob("*.csv"):
            assert _rows(path) == _rows(whole / path.relative_to(place))
        return len(_runs(place / "runs.db"))

    moments = struck(place, times, partial(run, words), holds, seconds, 5)
    assert len(moments) > 1  # some of the work was done at one kill, more at another
    assert forked(place, lambda: run(words))[0] == 0
    assert _runs(place / "runs.db") == _runs(whole / "runs.db")
    holds()
    files = [
        sorted(str(path.relative_to(top)) for path in (top / "out").rglob("*")) for top in (place, whole)
    ]
    assert files[0] == files[1]
    _is_clean(place, {"g.npz", "runs.db", "out"})


def _stored(folder: Path, times: int, words: list[str]) -> None:
    """Killed again and again, a command with a store ends with the answer and the runs of an undisturbed one."""
    whole, place = _place(folder, "whole"), _place(folder)
    status, seconds = forked(whole, lambda: run(words))
    assert status == 0, whole.with_suffix(".said").read_text()
    moments = set[object]()
    for part in range(2):  # a new store, so that there is work to be killed in
        (place / "runs.db").unlink(missing_ok=True)
        moments |= struck(
            place, times // 2, partial(run, words), lambda: len(_runs(place / "runs.db")), seconds, 3 + part
        )
        assert forked(place, lambda: run(words))[0] == 0
        assert _answer(place) == _answer(whole)
        assert _runs(place / "runs.db") == _runs(whole / "runs.db")
    assert len(moments) > 1  # some of the work was done at one kill, more at another
    _is_clean(place, {"g.npz", "runs.db"})


def _place(folder: Path, name: str = "struck") -> Path:
    place = folder / name
    place.mkdir()
    originals = folder / "originals"
    if not originals.exists():
        with Path(os.devnull).open("w") as sink, contextlib.redirect_stdout(sink):
            prototypes(originals)
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    return place


def _loads(kept: Path) -> None:
    assert checkpoint.load(kept).model in ("gcn", "mlp-2")


def _tensors(kept: Path) -> dict[str, torch.Tensor]:
    card = json.loads((kept / "card.json").read_text())
    return load_file(kept / card["files"]["weights"]["name"])


def _runs(path: Path) -> dict[str, str]:
    """Scores by identity as SQLite itself reads them, once it has found the file sound; each run once."""
    if not path.exists():
        return {}
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchall():
            return {}
        rows = connection.execute("SELECT identity, scores FROM runs").fetchall()
    assert len(dict(rows)) == len(rows)
    return dict(rows)


def _answer(place: Path) -> object:
    text = place.with_suffix(".said").read_text()
    return _timeless(json.loads(text[text.index("\n{") :] if not text.startswith("{") else text))


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        hidden = (*TIMES, "trained", "read")
        return {name: _timeless(part) for name, part in value.items() if name not in hidden}
    return [_timeless(part) for part in value] if isinstance(value, list) else value


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return [
            {name: cell for name, cell in row.items() if name not in TIMES} for row in csv.DictReader(stream)
        ]


def _is_clean(place: Path, expected: set[str]) -> None:
    """Nothing but what is asked for, and of a checkpoint its card and the files that it names."""
    assert not list(place.rglob("*.part")), list(place.rglob("*"))
    assert {path.name for path in place.iterdir()} <= {*expected, "kept"}
    if (place / "kept").exists():
        files = json.loads((place / "kept" / "card.json").read_text())["files"].values()
        names = {"card.json", *(file["name"] for file in files)}
        assert {path.name for path in (place / "kept").iterdir()} == names


if __name__ == "__main__":
    torch.set_num_threads(1)
    scenes.LONGEST = 1800  # on a busy machine
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(
        {
            "train": trained,
            "overwrite": overwritten,
            "compare": compared,
            "sweep": swept,
            "reproduce": reproduced,
        }
    )
