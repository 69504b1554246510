"""What the same graph would show if its labels were dealt out at random: the bar a finding has to clear."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import torch

from allpass.data.draft import many
from allpass.metrics import LabelledGraph
from allpass.metrics.aggregation import measure_aggregation_homophily
from allpass.metrics.diversification import measure_diversification
from allpass.metrics.informativeness import measure_informativeness

SHUFFLES = 5
LARGE = 100_000
"""Nodes above which one shuffle is enough: a mean over so many nodes hardly varies."""


@dataclass(frozen=True)
class Chance:
    """Means over shuffled labels; NaN where a metric is undefined.

    Args:
        label_informativeness: LI; well above 0 when classes are many and edges few.
        aggregation_homophily: H_agg; high because a node's own label is part of its average.
        diversification_distinguishability: DD of the features (of the labels where there are none).
        sample: How many shuffles were measured, in a sentence.
    """

    label_informativeness: float
    aggregation_homophily: float
    diversification_distinguishability: float
    sample: str = ""


def find_chance(graph: LabelledGraph, *, shuffles: int | None = None, seed: int = 0) -> Chance | None:
    """The metrics of the same graph under shuffled labels; nothing without two classes.

    Args:
        graph: The prepared graph.
        shuffles: How often labels are shuffled; by default 5 times, once on more than 100,000 nodes.
        seed: Seed of the shuffles.
    """
    if graph.y is None or graph.num_classes < 2:
        return None
    if shuffles is None:
        shuffles = SHUFFLES if graph.num_nodes <= LARGE else 1
    generator = torch.Generator().manual_seed(seed)
    measured = zip(*(_measured(_shuffled(graph, generator)) for _ in range(shuffles)), strict=True)
    informativeness, aggregation, diversification = map(fmean, measured)
    return Chance(
        informativeness,
        aggregation,
        diversification,
        f"Values under shuffled labels are means over {many(shuffles, 'shuffle')} (seed {seed}).",
    )


def _measured(graph: LabelledGraph) -> tuple[float, float, float]:
    """The three metrics of one shuffle; what they share of it is freed before the next."""
    return (
        measure_informativeness(graph).value,
        measure_aggregation_homophily(graph).value,
        measure_diversification(graph).value,
    )


def _shuffled(graph: LabelledGraph, generator: torch.Generator) -> LabelledGraph:
    y = graph.labels.clone()
    known = graph.known.nonzero().squeeze(1)
    y[known] = y[known[torch.randperm(len(known), generator=generator)]]
    featured = graph.x is not None and graph.x.shape[1] > 0
    shuffled = LabelledGraph(graph.adjacency, y, graph.x)
    return shuffled if featured else LabelledGraph(graph.adjacency, y, shuffled.Z)
