"""Our number against a printed one: the difference, how sure it is, and what to call it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import t

from allpass.train.statistics import welch

AGREES, BETTER, WORSE, INCOMPARABLE = "agrees", "better", "worse", "not comparable"

ERRORS = 2.0
"""By how many standard errors of the difference two means may differ and still agree."""

Spread = Literal["population", "sample", "interval"]
"""What stands behind ±: a deviation, divided by the runs or by one less; or half of a 95% interval of the mean."""


class Verdict(NamedTuple):
    """Ours minus theirs in points, the ends of its 95% interval, and a word for it."""

    difference: float
    low: float
    high: float
    word: str


def verdict(
    ours: Sequence[float], theirs: Sequence[float], *, runs: int = 10, spread: Spread = "population"
) -> Verdict:
    """The mean of our runs against a printed mean, with Welch's interval of the difference.

    Args:
        ours: Our scores, in percent.
        theirs: The printed mean and, if known, what stands behind ±; without it, their runs are taken to differ as
            ours do.
        runs: How many runs their mean is of.
        spread: What stands behind ±.

    Example:
        >>> verdict([94.0, 95.0, 96.0], [94.9, 2.9]).word
        'agrees'
    """
    values = np.asarray(ours, dtype=np.float64)
    difference = float(values.mean()) - theirs[0]
    own = error_of(float(values.std()), len(values)) ** 2
    other = error_of(theirs[1], runs, spread) ** 2 if len(theirs) > 1 else own * len(values) / runs
    total = own + other
    if not total > 0 or not math.isfinite(total):
        return Verdict(difference, math.nan, math.nan, AGREES if abs(difference) < 1e-9 else INCOMPARABLE)
    freedom = float(len(values) - 1)
    if len(theirs) > 1:
        freedom = welch(own, len(values), other, runs)
    error = math.sqrt(total)
    margin = float(t.ppf(0.975, freedom)) * error
    word = BETTER if difference > ERRORS * error else WORSE if difference < -ERRORS * error else AGREES
    return Verdict(difference, difference - margin, difference + margin, word)


def error_of(printed: float, runs: int, spread: Spread = "population") -> float:
    """The standard error of a mean of independent runs, from what stands behind its ±.

    Args:
        printed: What stands there.
        runs: How many runs the mean is of.
        spread: What it is.

    Example:
        >>> round(error_of(3.0, 10), 3), round(error_of(0.7, 100, "interval"), 3)
        (1.0, 0.353)
    """
    if runs < 2:
        return math.nan
    if spread == "interval":
        return printed / float(t.isf(0.025, runs - 1))
    return printed / math.sqrt(runs if spread == "sample" else runs - 1)
