"""A bar shows where a training stands on a terminal, and nothing anywhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
import typer
from tests.train.batches import batch_of

from allpass.cli.progress import Lines, reproducing, share_done, state, steps, stoppable, training
from allpass.papers.runner import Progress
from allpass.train.engine.batch import REPORTED
from allpass.train.job import TrainingProgress
from allpass.train.rules.stopping import stopping
from allpass.train.rules.tasks import task
from allpass.train.runs.store import Store

VAL = REPORTED.index("val_score")


def reached(epochs: int, ended: int = 4, runs: int = 10) -> TrainingProgress:
    batch = batch_of(3, stopping("fixed", max_epochs=10), dropout=0.5)
    for _ in range(epochs):
        batch.step()
    return TrainingProgress(batch, ended, runs)


def test_the_state_in_words() -> None:
    assert state(reached(0)) == "4/10 runs · epoch 0 · 3 alive"
    seen = reached(2)
    best = max(seen.batch.reported[:, VAL].tolist())
    assert state(seen) == f"4/10 runs · epoch 2 · 3 alive · best validation {best:.3f}"


def test_one_without_a_score_does_not_hide_the_others() -> None:
    seen = reached(2)
    seen.batch.reported[0, VAL] = torch.nan
    assert seen.best == max(seen.batch.reported[1:, VAL].tolist())


@pytest.mark.parametrize(("score", "best"), [("r2", 0.75), ("mae", 0.25), ("mse", 0.25)])
def test_the_best_score_goes_by_its_direction(score: str, best: float) -> None:
    seen = reached(1)
    seen.batch.recipe = replace(seen.batch.recipe, task=task("regression", score=score))
    seen.batch.reported[:, VAL] = torch.tensor([0.75, 0.25, torch.nan])
    assert seen.best == best


def test_the_share_counts_runs_that_ended_and_epochs_of_the_others() -> None:
    assert share_done(reached(0)) == pytest.approx(0.4)
    assert share_done(reached(5)) == pytest.approx((4 + 3 * 0.5) / 10)
    assert share_done(reached(10)) == pytest.approx(0.7)
    early = reached(5)
    early.batch.alive[0] = False
    assert share_done(early) == pytest.approx((4 + 2 * 0.5 + 1) / 10)


def test_ctrl_c_says_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store, pytest.raises(typer.Exit) as stopped, stoppable(store):
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 130
    told = f"Stopped. {path} holds 0 runs in all; the same command goes on from there.\n"
    assert capsys.readouterr().err == told
    with pytest.raises(KeyboardInterrupt), stoppable(None):
        raise KeyboardInterrupt


def test_away_from_a_terminal_nothing_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    with training() as on_progress, steps(2) as say:
        say("reading")
        on_progress(reached(1))
    assert capfd.readouterr() == ("", "")


def test_on_a_terminal_there_is_a_bar(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what a terminal would be taken for
    monkeypatch.setenv("COLUMNS", "200")
    with training("texas") as on_progress:
        on_progress(reached(1))
    written = capfd.readouterr().err
    assert "texas" in written
    assert "3 alive" in written


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
