"""Sweeps whose runs have given scores, without training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.train.writers import key

from allpass.train.obtain import Wish
from allpass.train.runs.run import Run

NAMES = ("val_score", "val_loss", "test_score")


def pretend(
    monkeypatch: pytest.MonkeyPatch,
    scores: Callable[[Mapping[str, Any], int, int], tuple[float, float, float]],
    status: Callable[[tuple[Mapping[str, Any], int, int]], str] = lambda run: "done",
    kept: Callable[[Mapping[str, Any]], tuple[int | None, int]] = lambda settings: (None, 0),
) -> list[Mapping[str, Any]]:
    """In place of training, runs with these scores; gives the settings that are asked for, as they come.

    Args:
        scores: ``scores(settings, split, seed)`` gives validation score, validation loss and test score.
        status: How a run ended.
        kept: The kept epoch of a run with these settings, and how many epochs it ran.
    """
    asked: list[Mapping[str, Any]] = []

    def fake(wishes: list[Wish], **_: object) -> list[list[Run]]:
        (wish,) = wishes
        folds = list(dict.fromkeys(id(run.split) for run in wish.job.wanted))
        first_seed = wish.job.wanted[0].seed
        runs = []
        for number in wish.numbers:
            one = wish.job.wanted[number]
            place = one.settings, folds.index(id(one.split)), one.seed
            if place[1:] == (0, first_seed):
                asked.append(one.settings)
            numbers = dict(zip(NAMES, scores(*place), strict=True))
            epoch, epochs = kept(one.settings)
            runs.append(Run(key=key(0), scores=numbers, status=status(place), epoch=epoch, epochs=epochs))
        return [runs]

    monkeypatch.setattr("allpass.train.halving.obtain", fake)
    return asked
