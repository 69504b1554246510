"""Verdicts on scores that are given, not trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.train.contenders import comparison

from allpass.diagnosis.race import Stopped
from allpass.diagnosis.verdict import Verdict, conclude
from allpass.train.compare import Contender
from allpass.train.statistics import estimate


def verdict_on(
    scores: Mapping[str, Sequence[float]],
    validation: Mapping[str, Sequence[float]] | None = None,
    *,
    baseline: float = 0.3,
    score: str = "accuracy",
    stopped: tuple[Stopped, ...] = (),
    test_nodes: int = 0,
) -> Verdict:
    count = len(next(iter(scores.values())))
    flat = (baseline,) * count
    nothing = Contender("majority class", {}, flat, flat, estimate(flat), 0.0, 0.0, 0)
    return conclude(
        comparison(scores, validation, score=score),
        nothing,
        stopped=stopped,
        budget=60.0,
        test_nodes=test_nodes,
    )
