"""How fast repeated averaging wears the features out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.metrics import LabelledGraph, smoothing_curve

DEPTH = 16
SAMPLE = 50_000
"""Nodes at which the distance to neighbours is measured, on graphs of more than twice as many."""

_NUMBERS = 8_000_000


@dataclass(frozen=True)
class Smoothing:
    """Measures of X, ÂX, Â²X, ... by depth.

    Args:
        signal: What was averaged, in words.
        sample: What was sampled, in a sentence; empty where nothing was.
        distance: Mean cosine distance between neighbours.
        variance: Variance over the nodes, relative to that of X.
        energy: Dirichlet energy relative to the size of the signal.
        half_depth: First depth at which the variance has halved; nothing when it never does.
    """

    signal: str
    distance: tuple[float, ...]
    variance: tuple[float, ...]
    energy: tuple[float, ...]
    half_depth: int | None
    sample: str = ""


def find_smoothing(graph: LabelledGraph, *, seed: int = 0) -> Smoothing:
    """Average the features (or random signals where there are none) up to depth 16.

    Wide features are projected to at most 128 random directions first, which keeps lengths and angles nearly as they
    are and the memory small.
    """
    signal, words = _signal(graph, seed)
    sample = SAMPLE if graph.num_nodes > 2 * SAMPLE else None
    curve = smoothing_curve(graph.adjacency, signal, DEPTH, sample=sample, seed=seed)
    variance = tuple(curve["variance"])
    return Smoothing(
        signal=words,
        distance=tuple(curve["distance"]),
        variance=variance,
        energy=tuple(curve["energy"]),
        half_depth=next((depth for depth, v in enumerate(variance) if depth and v <= 0.5), None),
        sample=""
        if sample is None
        else f"The distance of neighbours by depth is a mean over {sample:,} random nodes (seed {seed}).",
    )


def _signal(graph: LabelledGraph, seed: int) -> tuple[Tensor, str]:
    width = max(8, min(128, _NUMBERS // max(graph.num_nodes, 1)))
    generator = torch.Generator().manual_seed(seed)
    x = graph.x
    if x is None or not x.shape[1]:
        return torch.randn(graph.num_nodes, width, generator=generator, dtype=torch.float64), "random signals"
    width = max(width, 16)  # directions of features differ more than random signals do
    if x.layout == torch.strided and x.shape[1] <= width:
        return x, "features"
    directions = torch.randn(x.shape[1], width, generator=generator, dtype=torch.float32) / width**0.5
    return x.float() @ directions, f"features, projected to {width} random directions"
