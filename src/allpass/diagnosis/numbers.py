"""How the number of a node goes with the numbers of its neighbours, where labels are numbers and not classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allpass.metrics import Autocorrelation, LabelledGraph
from allpass.metrics.autocorrelation import (
    measure_neighbour_correlation,
    neighbour_means,
    run_autocorrelation,
)

POINTS = 2000
"""Nodes in the figure; a random sample where there are more."""


@dataclass(frozen=True)
class Numbers:
    """Autocorrelation of the labels over edges.

    Args:
        moran: Moran's I, with what chance gives.
        geary: Geary's C, with what chance gives.
        correlation: Correlation of a node's number with the mean of its neighbours' numbers.
        points: That number and that mean, for at most ``POINTS`` nodes.
        sample: Which nodes ``points`` holds, in a sentence; empty where it holds all.
    """

    moran: Autocorrelation
    geary: Autocorrelation
    correlation: float
    points: tuple[tuple[float, float], ...]
    sample: str = ""


def find_numbers(graph: LabelledGraph, *, seed: int = 0) -> Numbers | None:
    """The autocorrelation of a prepared graph; nothing where labels are no numbers, or none that differ and meet."""
    if graph.numbers is None:
        return None
    moran = run_autocorrelation(graph, "moran")
    if np.isnan(moran.value):
        return None
    own, means = neighbour_means(graph)
    chosen = np.arange(len(own))
    if len(own) > POINTS:
        chosen = np.sort(np.random.default_rng(seed).choice(len(own), POINTS, replace=False))
    return Numbers(
        moran=moran,
        geary=run_autocorrelation(graph, "geary"),
        correlation=measure_neighbour_correlation(graph).value,
        points=tuple(zip(own[chosen].tolist(), means[chosen].tolist(), strict=True)),
        sample=""
        if len(own) <= POINTS
        else f"The figure of numbers and neighbours shows {POINTS:,} random nodes (seed {seed}).",
    )
