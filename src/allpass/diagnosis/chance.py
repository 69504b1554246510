"""What the same graph would show if its labels were dealt out at random: the bar a finding has to clear."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import torch

from allpass.metrics import LabelledGraph
from allpass.metrics.aggregation import measure_aggregation_homophily
from allpass.metrics.diversification import measure_diversification
from allpass.metrics.informativeness import measure_informativeness

SHUFFLES = 5


@dataclass(frozen=True)
class Chance:
    """Means over shuffled labels; NaN where a metric is undefined.

    Args:
        label_informativeness: LI; well above 0 when classes are many and edges few.
        aggregation_homophily: H_agg; high because a node's own label is part of its average.
        diversification_distinguishability: DD of the features (of the labels where there are none).
    """

    label_informativeness: float
    aggregation_homophily: float
    diversification_distinguishability: float


def find_chance(graph: LabelledGraph, *, shuffles: int = SHUFFLES, seed: int = 0) -> Chance | None:
    """The metrics of the same graph under shuffled labels; nothing without two classes."""
    if graph.y is None or graph.num_classes < 2:
        return None
    generator = torch.Generator().manual_seed(seed)
    dealt = [_shuffled(graph, generator) for _ in range(shuffles)]
    return Chance(
        fmean(measure_informativeness(g).value for g in dealt),
        fmean(measure_aggregation_homophily(g).value for g in dealt),
        fmean(measure_diversification(g).value for g in dealt),
    )


def _shuffled(graph: LabelledGraph, generator: torch.Generator) -> LabelledGraph:
    y = graph.labels.clone()
    known = graph.known.nonzero().squeeze(1)
    y[known] = y[known[torch.randperm(len(known), generator=generator)]]
    featured = graph.x is not None and graph.x.shape[1] > 0
    shuffled = LabelledGraph(graph.adjacency, y, graph.x)
    return shuffled if featured else LabelledGraph(graph.adjacency, y, shuffled.Z)
