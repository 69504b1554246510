"""A bar shows where a training stands on a terminal, and nothing anywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from tests.train.batches import batch_of

from allpass.cli.progress import Lines, reproducing, steps, stoppable, training
from allpass.papers.runner import Progress
from allpass.train.job import TrainingProgress
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store


def reached(epochs: int) -> TrainingProgress:
    batch = batch_of(3, stopping("fixed", max_epochs=10), dropout=0.5)
    for _ in range(epochs):
        batch.step()
    return TrainingProgress(batch, 4, 10)


def test_ctrl_c_says_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store, pytest.raises(typer.Exit) as stopped, stoppable(store):
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 130
    told = f"Stopped. {path} holds 0 runs in all; the same command goes on from there.\n"
    assert capsys.readouterr().err == told
    with pytest.raises(KeyboardInterrupt), stoppable(None):
        raise KeyboardInterrupt


def test_away_from_a_terminal_nothing_is_written_for_ten_seconds(capfd: pytest.CaptureFixture[str]) -> None:
    with training() as on_progress, steps(2) as say:
        say("reading")
        on_progress(reached(1))
    assert capfd.readouterr() == ("", "")


def test_away_from_a_terminal_there_is_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 9.0, 10.0, 19.0, 21.0))
    monkeypatch.setattr("allpass.train.progress.monotonic", lambda: next(clock))
    with training("sweeping gcn") as on_progress:
        for ended in (10, 20, 30, 40):
            on_progress(TrainingProgress(None, ended, 100))
    assert capfd.readouterr().err.splitlines() == [
        "sweeping gcn: 20 of 100 runs, about 40 s left",
        "sweeping gcn: 40 of 100 runs, about 31 s left",
    ]


def test_on_a_terminal_there_is_a_bar(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what a terminal would be taken for
    monkeypatch.setenv("COLUMNS", "200")
    with training("texas") as on_progress:
        on_progress(reached(1))
    written = capfd.readouterr().err
    assert "texas" in written
    assert "3 in training" in written


def test_away_from_a_terminal_a_reproduction_has_lines(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("allpass.cli.progress.BETWEEN_LINES", 0.0)
    with reproducing() as on_progress:
        on_progress(Progress(10, 5, "GCN on Cora"))
    assert capfd.readouterr().err == "5 of 10 runs: GCN on Cora\n"


def test_a_long_reproduction_has_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 0.0, 30.0, 70.0, 100.0, 140.0, 210.0))
    monkeypatch.setattr("allpass.cli.progress.time.monotonic", lambda: next(clock))
    on_progress = Lines()
    for stored in (100, 110, 170, 180, 240):
        on_progress(Progress(1_240, stored, "GCN on Cora"))
    on_progress(Progress(1_240, 240))  # nothing has come of anything yet
    assert capfd.readouterr().err.splitlines() == [
        "170 of 1,240 runs, about 18 min left: GCN on Cora",
        "240 of 1,240 runs, about 17 min left: GCN on Cora",
    ]
