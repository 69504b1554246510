"""Which nodes a low-pass and which a high-pass filter separates from the other classes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.metrics import LabelledGraph, feature_similarity, label_similarity

GROUPS = ("both", "low-pass only", "high-pass only", "neither")


@dataclass(frozen=True)
class Separation:
    """Shares of the labelled nodes by the filters that separate them.

    Args:
        signal: What was filtered: the features, or the labels where there are none.
        shares: Share of the labelled nodes in each group of ``GROUPS``.
        by_class: The same for each class.
    """

    signal: str
    shares: dict[str, float]
    by_class: tuple[dict[str, float], ...]


def separate(graph: LabelledGraph) -> Separation | None:
    """Low-pass: the averaged signal is nearer to the own class. High-pass: the difference signal sets apart."""
    if graph.y is None or graph.num_classes < 2:
        return None
    featured = graph.x is not None and graph.x.shape[1] > 0
    if featured:
        low = feature_similarity(graph).aggregates()
        high = feature_similarity(graph, high_pass=True).diversifies()
    else:
        low = label_similarity(graph).aggregates()
        labelled = LabelledGraph(graph.adjacency, graph.y, graph.Z)
        high = feature_similarity(labelled, high_pass=True).diversifies()
    group = torch.where(low, torch.where(high, 0, 1), torch.where(high, 2, 3))
    labels = graph.labels[graph.known]
    return Separation(
        signal="features" if featured else "labels",
        shares=_shares(group),
        by_class=tuple(_shares(group[labels == k]) for k in range(graph.num_classes)),
    )


def _shares(group: Tensor) -> dict[str, float]:
    counts = torch.bincount(group, minlength=len(GROUPS)).double()
    return dict(zip(GROUPS, (counts / counts.sum()).tolist(), strict=True))
