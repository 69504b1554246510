"""Our number against a printed one: the difference, how sure it is, and what to call it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from allpass.train.statistics import welch

AGREES, BETTER, WORSE, INCOMPARABLE = "agrees", "better", "worse", "not comparable"


@dataclass(frozen=True)
class Verdict:
    """What the comparison says.

    Args:
        difference: Ours minus theirs, in points.
        low: The lower end of its 95% interval.
        high: The upper end.
        word: ``"agrees"`` within so many standard errors, else ``"better"`` or ``"worse"``.
    """

    difference: float
    low: float
    high: float
    word: str


def verdict(
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    runs: int = 10,
    sample: bool = False,
    errors: float = 2.0,
) -> Verdict:
    """The mean of our runs against a printed mean, with Welch's interval of the difference.

    Args:
        ours: Our scores, in percent.
        theirs: The printed mean and, if known, its deviation; without one, their runs are taken to differ as ours do.
        runs: How many runs their mean is of.
        sample: Whether their deviation was divided by ``runs - 1``; else by ``runs``.
        errors: By how many standard errors of the difference they may differ and still agree.

    Example:
        >>> verdict([94.0, 95.0, 96.0], [94.9, 2.9]).word
        'agrees'
    """
    values = np.asarray(ours, dtype=np.float64)
    difference = float(values.mean()) - theirs[0]
    own = _squared_error(float(values.std()), len(values), sample=False)
    other = _squared_error(theirs[1], runs, sample=sample) if len(theirs) > 1 else own * len(values) / runs
    total = own + other
    if not total > 0 or not math.isfinite(total):
        return Verdict(difference, math.nan, math.nan, AGREES if abs(difference) < 1e-9 else INCOMPARABLE)
    freedom = float(len(values) - 1)
    if len(theirs) > 1:
        freedom = welch(own, len(values), other, runs)
    error = math.sqrt(total)
    margin = float(t.ppf(0.975, freedom)) * error
    word = BETTER if difference > errors * error else WORSE if difference < -errors * error else AGREES
    return Verdict(difference, difference - margin, difference + margin, word)


def _squared_error(deviation: float, runs: int, *, sample: bool) -> float:
    """The squared standard error of a mean of independent runs."""
    if runs < 2:
        return math.nan
    return deviation**2 / (runs if sample else runs - 1)
