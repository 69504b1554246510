"""How scores and their intervals are written: the same in tables, figures and on the page."""

from __future__ import annotations

import math

from allpass.train.rules.scores import SCORES, Score
from allpass.train.statistics import TELLING, Difference, Estimate

_WORDS = {"roc": "ROC", "auc": "AUC", "f1": "F1", "r2": "R²", "mae": "MAE", "mse": "MSE"}


def score_name(score: str) -> str:
    """A score in words.

    Example:
        >>> score_name("roc_auc"), score_name("balanced_accuracy"), score_name("r2")
        ('ROC AUC', 'balanced accuracy', 'R²')
    """
    return " ".join(_WORDS.get(word, word) for word in score.split("_"))


def possible(score: str, found: Estimate) -> tuple[float, float]:
    """The interval of a mean score, cut where no score can lie; NaN where there is none."""
    if math.isnan(found.margin):
        return math.nan, math.nan
    least, most = SCORES[score].low, SCORES[score].high
    low, high = (min(max(end, least), most) for end in (found.low, found.high))
    return low, high


def is_uneven(score: Score, found: Estimate) -> bool:
    """Whether an interval is wider than the range of its score, or than 1 where that is unbounded."""
    return found.high - found.low > min(score.high - score.low, 1.0)


def signed(value: float, digits: int) -> str:
    """A number with its sign; one that rounds to 0 has none.

    Example:
        >>> signed(1.25, 1), signed(-0.04, 1)
        ('+1.2', '0.0')
    """
    text = f"{value:+.{digits}f}"
    return text[1:] if text.strip("+-0.") == "" else text


def mean(score: str, found: Estimate) -> str:
    """A mean with half the width of its interval, where splits are enough for one.

    An interval that reaches beyond what is possible is cut there and written by its ends.
    """
    unit, digits = (100, 1) if SCORES[score].in_percent else (1, 3)
    written = f"{unit * found.mean:.{digits}f}"
    if not _has_interval(found):
        return written
    low, high = possible(score, found)
    if (low, high) != (found.low, found.high):
        return f"{written} ({unit * low:.{digits}f} to {unit * high:.{digits}f})"
    return f"{written} ± {unit * found.margin:.{digits}f}"


def lead(score: str, found: Difference) -> str:
    """A difference with half the width of its interval, unless splits differ too much for one."""
    unit, digits = (100, 1) if SCORES[score].in_percent else (1, 3)
    written = signed(unit * found.mean, digits)
    told = _has_interval(found) and not is_uneven(SCORES[score], found)
    return f"{written} ± {unit * found.margin:.{digits}f}" if told else written


def p_value(found: Difference) -> str:
    """A p-value in three decimals; a dash where it tells nothing."""
    return small(found.p_value) if found.telling else "–"


def small(p: float) -> str:
    """A p-value, or the words that it is below 0.001.

    Example:
        >>> small(0.0004), small(0.03)
        ('<0.001', '0.030')
    """
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def _has_interval(found: Estimate) -> bool:
    return math.isfinite(found.margin) and found.count >= TELLING
