"""A metric estimated from part of the labels, with a confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from scipy import stats
from torch import Tensor

from allpass.errors import InputError
from allpass.metrics.base import Metric
from allpass.metrics.catalog import METRICS
from allpass.metrics.labelled import LabelledGraph


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    Args:
        value: The metric on the labels that are known.
        low: Lower end of the interval.
        high: Upper end of the interval.
        confidence: Probability that the interval aims at.
        labelled: Number of labels used.
        reason: Why there is no value, when there is none.
    """

    value: float
    low: float
    high: float
    confidence: float
    labelled: int
    reason: str = ""


def estimate(
    metric: str | Metric,
    graph: LabelledGraph,
    train: Tensor | None = None,
    *,
    confidence: float = 0.95,
    groups: int = 20,
    seed: int = 0,
) -> Estimate:
    """Estimate a metric of the whole graph from the training labels alone.

    All other labels are treated as unknown. The interval is the delete-a-group jackknife's: the labelled nodes fall
    into random groups, the metric is computed with each group's labels removed in turn, and the spread of those
    values gives the standard error (Student's t with groups - 1 degrees of freedom), smaller by the factor
    sqrt(1 - n/N) for n labels of N nodes: with every label known there is nothing left to estimate.

    It speaks about the choice of labelled nodes, for nodes labelled at random. It does not see a bias: labels known
    only for hubs; or H_agg from few labels, where neighbours without a label weigh nothing and the own label too much
    (use it with about a third of the labels or more).

    Args:
        metric: A metric or its name.
        graph: The prepared graph.
        train: Which labels may be used, bool ``[N]``; by default all known ones.
        confidence: Probability that the interval aims at.
        groups: Number of jackknife groups.
        seed: Seed of the groups.
    """
    chosen = METRICS[metric] if isinstance(metric, str) else metric
    if not 0 < confidence < 1 or groups < 2:
        raise InputError(
            f"Got confidence={confidence} and groups={groups}.",
            "Expected 0 < confidence < 1 and groups >= 2.",
        )
    if train is not None and (train.dtype != torch.bool or train.shape != graph.labels.shape):
        raise InputError(
            f"Got a training mask of shape {list(train.shape)} and type {train.dtype}.",
            f"Expected bool of shape [{graph.num_nodes}].",
        )
    visible = graph.known if train is None else graph.known & train
    nodes = visible.nonzero().squeeze(1)
    whole = chosen.measure(_seen(graph, visible))
    if not whole.defined:
        return Estimate(math.nan, math.nan, math.nan, confidence, len(nodes), whole.reason)
    groups = min(groups, len(nodes))
    order = nodes[torch.randperm(len(nodes), generator=torch.Generator().manual_seed(seed))]
    left_out = []
    for part in order.tensor_split(groups):
        rest = visible.clone()
        rest[part] = False
        left_out.append(chosen.measure(_seen(graph, rest)))
    values = torch.tensor([m.value for m in left_out if m.defined], dtype=torch.float64)
    if len(values) < 2:
        return Estimate(
            whole.value, math.nan, math.nan, confidence, len(nodes), "too few labels for an interval"
        )
    g = len(values)
    unseen = 1 - len(nodes) / graph.num_nodes
    error = math.sqrt(unseen * (g - 1) / g * float((values - values.mean()).square().sum()))
    reach = float(stats.t.ppf((1 + confidence) / 2, g - 1)) * error
    low, high = max(whole.value - reach, chosen.low), min(whole.value + reach, chosen.high)
    return Estimate(whole.value, low, high, confidence, len(nodes))


def _seen(graph: LabelledGraph, visible: Tensor) -> LabelledGraph:
    labels = torch.where(visible, graph.labels, -1)
    return LabelledGraph(graph.adjacency, labels, graph.x, num_classes=graph.all_classes)
