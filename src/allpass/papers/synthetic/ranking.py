"""How well a metric of graphs ranks the accuracy on them: Spearman's correlation, with an interval by resampling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]
RESAMPLES = 1000
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A number and where it may lie.

    Args:
        value: What was found.
        low: The lower end of its interval.
        high: The upper end.
    """

    value: float
    low: float
    high: float


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's rank correlation along the last axis; ties share their rank, and what does not vary has none (NaN).

    Args:
        first: Numbers, ``[..., L]``.
        second: As many.

    Example:
        >>> float(spearman(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.5, 0.7])))
        1.0
    """
    ranks = [rankdata(values, axis=-1) for values in (first, second)]
    a, b = (rank - rank.mean(-1, keepdims=True) for rank in ranks)
    scale = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    with np.errstate(invalid="ignore"):
        found: Floats = np.asarray((a * b).sum(-1) / np.where(scale > 0, scale, np.nan))
    return found


def rankings(
    metrics: Mapping[str, Floats], accuracy: Floats, against: str = "", seed: int = 0
) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """How each metric ranks accuracy over levels, and by how much one metric does so better than each of the others.

    A level stands for the mean over its graphs. Levels are drawn anew with replacement, each whole, with all its
    graphs: the means that are drawn then have the noise of graphs once, as those that were found have it. Were graphs
    drawn within levels as well, they would have it twice, and a high correlation would lie outside of its interval
    (Davison and Hinkley: Bootstrap Methods and their Application, 1997, section 3.8).

    Args:
        metrics: Values by metric, ``[levels, graphs]``.
        accuracy: The accuracy on the same graphs.
        against: The metric that is set against the others; none where it is empty.
        seed: Where the random numbers start.

    Returns:
        The correlation of each metric, and that of ``against`` less that of each other one.
    """
    levels = len(accuracy)
    level = np.random.default_rng(seed).integers(levels, size=(RESAMPLES, levels))
    found = _correlations(metrics, accuracy, lambda values: values.mean(1)[level])
    lead = _leads(found, against) if against else {}
    return {name: _interval(values) for name, values in found.items()}, lead


def leads_here(
    metrics: Mapping[str, Floats], accuracy: Floats, against: str, seed: int = 0
) -> dict[str, Interval]:
    """By how much one metric ranks accuracy better than each of the others on these very levels.

    Graphs alone are drawn anew, within their levels; a graph keeps its metrics and its accuracy together. That lowers
    all correlations, so only their differences are told, from which most of that falls out.

    Args:
        metrics: Values by metric, ``[levels, graphs]``.
        accuracy: The accuracy on the same graphs.
        against: The metric that is set against the others.
        seed: Where the random numbers start.

    Returns:
        The correlation of ``against`` less that of each other one.
    """
    levels, graphs = accuracy.shape
    graph = np.random.default_rng(seed).integers(graphs, size=(RESAMPLES, levels, graphs))
    level = np.arange(levels)[:, None]
    return _leads(_correlations(metrics, accuracy, lambda values: values[level, graph].mean(2)), against)


def _correlations(
    metrics: Mapping[str, Floats], accuracy: Floats, draw: Callable[[Floats], Floats]
) -> dict[str, Floats]:
    """By metric what was found, and behind it what was drawn; the same is drawn of all, so that they are paired."""

    def means(values: Floats) -> Floats:
        return np.concatenate([values.mean(1)[None], draw(values)])

    wanted = means(accuracy)
    return {name: spearman(means(values), wanted) for name, values in metrics.items()}


def _leads(found: Mapping[str, Floats], against: str) -> dict[str, Interval]:
    return {name: _interval(found[against] - values) for name, values in found.items() if name != against}


def _interval(values: Floats) -> Interval:
    """What was found stands first, what was drawn behind it."""
    known = values[1:][~np.isnan(values[1:])]
    if not len(known):
        return Interval(float(values[0]), float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(values[0]), float(low), float(high))


class Valley(NamedTuple):
    """How far a curve falls between its ends.

    Args:
        place: The level at which it is lowest.
        depth: How far that is below the lower one of its ends, with an interval; above 0 it has the shape of a U.
    """

    place: int
    depth: Interval


def valley(accuracy: Floats, seed: int = 0) -> Valley:
    """Where accuracy is lowest along levels, and how far below both ends that is; graphs are drawn anew in each level.

    One half of the graphs chooses the place and the other tells its depth: the lowest of noisy means is too low.

    Args:
        accuracy: ``[levels, graphs]``, levels in the order of the curve; of one graph there is no other half.
        seed: Where the random numbers start.
    """
    place, told = (
        int(accuracy[:, ::2].mean(1).argmin()),
        accuracy[:, 1::2] if accuracy.shape[1] > 1 else accuracy,
    )
    levels, graphs = told.shape
    graph = np.random.default_rng(seed).integers(graphs, size=(RESAMPLES, levels, graphs))
    means = np.concatenate([told.mean(1)[None], told[np.arange(levels)[:, None], graph].mean(2)])
    return Valley(place, _interval(np.minimum(means[:, 0], means[:, -1]) - means[:, place]))


def in_order(metric: Floats, accuracy: Floats) -> NDArray[np.intp]:
    """The levels as a metric rises; those that it does not tell apart, as accuracy rises.

    Args:
        metric: ``[levels, graphs]``.
        accuracy: Likewise.
    """
    return np.lexsort((accuracy.mean(1), metric.mean(1)))


def largest_fall(metric: Floats, accuracy: Floats) -> float:
    """The most that the mean accuracy falls where a metric rises: 0 for a monotone curve; ties do not count.

    Args:
        metric: ``[levels, graphs]``.
        accuracy: Likewise.

    Example:
        >>> largest_fall(np.array([[1.0], [2.0], [3.0]]), np.array([[0.5], [0.25], [1.0]]))
        0.25
    """
    curve = accuracy.mean(1)[in_order(metric, accuracy)]
    return float((np.maximum.accumulate(curve) - curve).max())
