"""The results of one choice of settings, and which choice is best."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allpass.train.rules.scores import SCORES
from allpass.train.runs.run import Run
from allpass.train.statistics import Estimate, estimate


@dataclass(frozen=True)
class Trial:
    """Results of one choice of settings, one number per split (the mean over seeds).

    A run that diverged counts with the worst possible score, and so does one whose validation score is undefined.
    With one split only, there is one number per seed.

    Args:
        settings: What was tried.
        val_scores: Scores on the validation nodes.
        val_losses: Losses there.
        test_scores: Scores on the test nodes; nothing is chosen by them.
        diverged: How many of the runs diverged.
        splits: On how many splits it was trained.
        stopped: Whether it was stopped as hopeless before the last split.
    """

    settings: Mapping[str, object]
    val_scores: tuple[float, ...]
    val_losses: tuple[float, ...]
    test_scores: tuple[float, ...]
    diverged: int = 0
    splits: int = 0
    stopped: bool = False

    @property
    def val_score(self) -> float:
        """The mean score on the validation nodes."""
        return float(np.mean(self.val_scores))

    @property
    def val_loss(self) -> float:
        """The mean loss on the validation nodes."""
        return float(np.mean(self.val_losses))

    @property
    def test(self) -> Estimate:
        """The mean score on the test nodes with its 95% interval, over splits of this graph."""
        return estimate(self.test_scores)

    def to_dict(self) -> dict[str, Any]:
        """The trial as plain data; a number that JSON lacks is None."""
        numbers = {"val_score": self.val_score, "val_loss": self.val_loss}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {
            "settings": dict(self.settings),
            **finite,
            "test": self.test.to_dict(),
            "diverged": self.diverged,
            "splits": self.splits,
            "stopped": self.stopped,
        }


def trial_of(
    settings: Mapping[str, object], runs: Sequence[Run], splits: int, score: str, *, stopped: bool = False
) -> Trial:
    """The results of settings, from their runs on so many splits, seed by seed within."""
    scorer = SCORES[score]
    worst = scorer.low if scorer.higher_is_better else scorer.high

    def by_split(name: str, worst: float, undefined: float) -> tuple[float, ...]:
        values = np.array([run.scores[name] if run.status == "done" else worst for run in runs])
        table = np.where(np.isnan(values), undefined, values).reshape(splits, -1)
        return tuple((table.mean(1) if splits > 1 else table[0]).tolist())

    return Trial(
        settings,
        by_split("val_score", worst, undefined=worst),
        by_split("val_loss", math.inf, undefined=math.inf),
        by_split("test_score", worst, undefined=math.nan),
        sum(run.status != "done" for run in runs),
        splits,
        stopped,
    )


def ranked(trials: Sequence[Trial], score: str) -> list[Trial]:
    """The best first: by validation score, then by validation loss, then as they came; stopped ones at the end."""
    sign = SCORES[score].sign

    def place(trial: Trial) -> tuple[int, float, float]:
        return -trial.splits if trial.stopped else -sys.maxsize, -sign * trial.val_score, trial.val_loss

    return sorted(trials, key=place)


def most_tempting(trials: Sequence[Trial], score: str) -> Trial:
    """The best by the test nodes."""
    sign = SCORES[score].sign
    return max(trials, key=lambda trial: (not math.isnan(trial.test.mean), sign * trial.test.mean))
