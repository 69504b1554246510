"""Progress shows where a training stands, in the way of the place that it runs in."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from tests.train.batches import batch_of

from allpass.data import load, splits
from allpass.errors import InputError
from allpass.train.engine.batch import REPORTED
from allpass.train.fit import fit
from allpass.train.job import TrainingProgress
from allpass.train.progress import share_done, shown, sometimes, state
from allpass.train.rules.stopping import stopping
from allpass.train.rules.tasks import task

VAL = REPORTED.index("val_score")


def reached(epochs: int, ended: int = 4, runs: int = 10) -> TrainingProgress:
    batch = batch_of(3, stopping("fixed", max_epochs=10), dropout=0.5)
    for _ in range(epochs):
        batch.step()
    return TrainingProgress(batch, ended, runs)


def test_the_state_in_words() -> None:
    assert state(reached(0)) == "4 of 10 runs · epoch 0 · 3 in training"
    seen = reached(2)
    best = max(seen.batch.reported[:, VAL].tolist())
    assert state(seen) == f"4 of 10 runs · epoch 2 · 3 in training · best validation {best:.3f}"
    assert state(TrainingProgress(None, 1200, 3000)) == "1,200 of 3,000 runs"
    assert state(TrainingProgress(None, 0, 1, step=7)) == "0 of 1 runs · epoch 7"


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
    assert share_done(TrainingProgress(None, 3, 10)) == pytest.approx(0.3)


def test_what_is_given_is_told_and_none_is_silent() -> None:
    seen = []
    with shown(seen.append, "training") as told:
        told(reached(0))
    assert len(seen) == 1
    with shown(None, "training") as told:
        assert told is None
    with pytest.raises(InputError, match="Expected 'auto', None or a function"), shown("yes", "training"):
        pass


def test_elsewhere_it_is_a_log_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = iter((0.0, 5.0, 11.0, 20.0, 22.0))
    monkeypatch.setattr("allpass.train.progress.monotonic", lambda: next(clock))
    with caplog.at_level(logging.INFO, "allpass"), shown("auto", "comparing") as told:
        for ended in (0, 0, 2, 5):
            told(TrainingProgress(None, ended, 10))
    assert [record.message for record in caplog.records] == [
        "comparing: 0 of 10 runs",
        "comparing: 5 of 10 runs, about 22 s left",
    ]


def test_a_notebook_has_one_line_that_is_empty_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []

    class Handle:
        def update(self, content, *, raw):
            assert raw
            said.append(content["text/plain"])

    def display(content, *, raw, display_id):
        assert raw
        assert display_id
        said.append(content["text/plain"])
        return Handle()

    clock = iter((0.0, 0.5, 0.5, 0.5, 2.0, 2.0, 2.0, 3.0, 3.0))
    monkeypatch.setattr("allpass.train.progress.monotonic", lambda: next(clock))
    kernel = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with shown("auto", "sweeping gcn") as told:
        for ended in (1, 3, 5):
            told(TrainingProgress(None, ended, 10))
    assert said == ["sweeping gcn: 3 of 10 runs", "sweeping gcn: 5 of 10 runs", ""]


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # taken for a terminal
    monkeypatch.setenv("COLUMNS", "200")
    with shown("auto", "comparing") as told:
        told(reached(1))
    assert "3 in training" in capfd.readouterr().err


def test_looks_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, clock = [], iter((0.0, 0.0, 0.5, 2.0, 2.0))
    monkeypatch.setattr("allpass.train.progress.monotonic", lambda: next(clock))
    told = sometimes(seen.append, 1.0)
    for number in range(3):
        told(number)
    assert seen == [0, 2]


def test_fit_shows_it_too(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    data = load("karate")
    data.x = torch.eye(34)
    parts = splits(data, "random", count=2)
    fit("gcn", data, parts, stop="fixed", epochs=3)
    assert "training gcn" in capfd.readouterr().err
    fit("gcn", data, parts, stop="fixed", epochs=3, on_progress=None)
    assert capfd.readouterr().err == ""
