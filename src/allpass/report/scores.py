"""How scores and their intervals are written: the same in tables, figures and on the page."""

from __future__ import annotations

import math

from allpass.train.compare import Comparison
from allpass.train.rules.scores import SCORES
from allpass.train.statistics import Estimate

_WORDS = {"roc": "ROC", "auc": "AUC", "f1": "F1", "r2": "R²", "mae": "MAE", "mse": "MSE"}


def score_name(score: str) -> str:
    """A score in words.

    Example:
        >>> score_name("roc_auc"), score_name("balanced_accuracy"), score_name("r2")
        ('ROC AUC', 'balanced accuracy', 'R²')
    """
    return " ".join(_WORDS.get(word, word) for word in score.split("_"))


def possible(compared: Comparison, found: Estimate) -> tuple[float, float]:
    """The interval of a mean score, cut where no score can lie; NaN where there is none."""
    score = SCORES[compared.score]
    if math.isnan(found.margin):
        return math.nan, math.nan
    low, high = (min(max(end, score.low), score.high) for end in (found.low, found.high))
    return low, high
