"""Comparisons with scores that are given, not trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from allpass.train.compare import Comparison, Contender
from allpass.train.statistics import estimate

SETTINGS = {"lr": 0.05, "weight_decay": 5e-4, "dropout": 0.5}


def comparison(
    scores: Mapping[str, Sequence[float]],
    validation: Mapping[str, Sequence[float]] | None = None,
    *,
    score: str = "accuracy",
    overlap: float = 1 / 3,
) -> Comparison:
    contenders = tuple(
        Contender(
            model,
            SETTINGS,
            tuple(found),
            tuple((validation or scores)[model]),
            estimate(found, overlap=overlap),
            epochs=60.0,
            seconds=1.5,
            diverged=0,
        )
        for model, found in scores.items()
    )
    count = len(next(iter(scores.values())))
    return Comparison(
        "drawn", score, tuple(f"random/{k}" for k in range(count)), overlap, contenders, "60/20/20"
    )
