"""How well a metric of graphs ranks the accuracy on them: Spearman's correlation, with an interval by resampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]
RESAMPLES = 1000


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's rank correlation along the last axis; NaN where a sample does not vary.

    Args:
        first: Numbers, ``[..., L]``.
        second: As many.

    Example:
        >>> float(spearman(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.5, 0.7])))
        1.0
    """
    a, b = (
        ranks - ranks.mean(-1, keepdims=True) for ranks in (rankdata(x, axis=-1) for x in (first, second))
    )
    scale = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    found: Floats = np.asarray((a * b).sum(-1) / np.where(scale > 0, scale, np.nan))
    return found


def lead(metric: Floats, other: Floats, accuracy: Floats, seed: int = 0) -> tuple[float, float, float]:
    """By how much one metric ranks accuracy over levels better than another, with its 95% interval.

    Levels are drawn with replacement, each with all its graphs, whose mean stands for it: so that the noise of graphs
    counts once (Davison and Hinkley: Bootstrap Methods and their Application, 1997, section 3.8).

    Args:
        metric: Its values, ``[levels, graphs]``.
        other: Those of the other one.
        accuracy: The accuracy on the same graphs.
        seed: Of the resampling.
    """
    levels = len(accuracy)
    drawn = np.random.default_rng(seed).integers(levels, size=(RESAMPLES, levels))

    def gaps(places: NDArray[np.int64]) -> Floats:
        one, two, wanted = (values.mean(1)[places] for values in (metric, other, accuracy))
        return np.asarray(spearman(one, wanted) - spearman(two, wanted))

    low, high = np.nanquantile(gaps(drawn), [0.025, 0.975])
    return float(gaps(np.arange(levels))), float(low), float(high)
