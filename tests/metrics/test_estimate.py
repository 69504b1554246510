"""Estimates from part of the labels: the interval must hold the value of all labels as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from allpass.errors import InputError, UnknownNameError
from allpass.metrics import METRICS, LabelledGraph, estimate


@pytest.fixture(scope="module")
def graph() -> LabelledGraph:
    """Three classes of 200 nodes, 2400 random edges, half of them inside a class."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    source = rng.integers(0, 600, 2400)
    other = (y[source] + rng.integers(1, 3, 2400)) % 3
    target = 3 * rng.integers(0, 200, 2400) + np.where(rng.random(2400) < 0.5, y[source], other)
    return LabelledGraph.build(torch.from_numpy(np.stack([source, target])), torch.from_numpy(y))


def draw(share: float, seed: int) -> torch.Tensor:
    return torch.rand(600, generator=torch.Generator().manual_seed(seed)) < share


@pytest.mark.parametrize(
    ("name", "share"), [("edge_homophily", 0.2), ("edge_homophily", 0.6), ("aggregation_homophily", 0.6)]
)
def test_interval_covers_the_value_of_all_labels(graph: LabelledGraph, name: str, share: float) -> None:
    truth = METRICS[name].measure(graph).value
    estimates = [estimate(name, graph, draw(share, seed), seed=seed) for seed in range(60)]
    covered = sum(one.low <= truth <= one.high for one in estimates)
    assert covered >= 0.85 * 60


@pytest.mark.parametrize("name", ["edge_homophily", "node_homophily", "adjusted_homophily"])
def test_more_labels_make_it_narrower(graph: LabelledGraph, name: str) -> None:
    widths = [
        np.mean([(one := estimate(name, graph, draw(share, seed))).high - one.low for seed in range(5)])
        for share in (0.2, 0.5, 0.8)
    ]
    assert widths[0] > 1.5 * widths[1] > 2.25 * widths[2]
    whole = estimate(name, graph)
    assert whole.low == whole.value == whole.high == METRICS[name].measure(graph).value
    assert whole.labelled == 600


def test_higher_confidence_makes_it_wider(graph: LabelledGraph) -> None:
    sure, unsure = (estimate("edge_homophily", graph, draw(0.5, 0), confidence=c) for c in (0.99, 0.5))
    assert sure.low < unsure.low < unsure.value == sure.value < unsure.high < sure.high
    assert (sure.confidence, unsure.confidence) == (0.99, 0.5)


def test_only_training_labels_are_used(graph: LabelledGraph) -> None:
    train = draw(0.5, 0)
    scrambled = torch.where(train, graph.labels, 2 - graph.labels)
    one = estimate("edge_homophily", graph, train)
    other = estimate("edge_homophily", LabelledGraph(graph.adjacency, scrambled), train)
    assert one == other
    assert one.labelled == int(train.sum())
    assert one == estimate(METRICS["edge_homophily"], graph, train)
    assert estimate("edge_homophily", graph, train, seed=1) != one


def test_bounds_of_the_metric_are_kept(graph: LabelledGraph) -> None:
    one = estimate("aggregation_homophily", graph, draw(0.05, 0), confidence=0.999)
    assert 0 <= one.low <= one.value <= one.high <= 1


def test_too_few_labels_say_so(graph: LabelledGraph) -> None:
    nothing = estimate("edge_homophily", graph, torch.zeros(600, dtype=torch.bool))
    assert math.isnan(nothing.value)
    assert math.isnan(nothing.low)
    assert nothing.reason == "no edge joins two labelled nodes"
    edge = graph.adjacency.edge_index[:, 0]
    two = torch.zeros(600, dtype=torch.bool).index_fill(0, edge, True)
    few = estimate("edge_homophily", graph, two)
    assert few.value in (0, 1)
    assert math.isnan(few.low)
    assert few.reason == "too few labels for an interval"


def test_bad_input_is_refused(graph: LabelledGraph) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'edge_homophily'"):
        estimate("edge_homophilly", graph)
    with pytest.raises(InputError, match="confidence=1"):
        estimate("edge_homophily", graph, confidence=1)
    with pytest.raises(InputError, match="groups=1"):
        estimate("edge_homophily", graph, groups=1)
    with pytest.raises(InputError, match=r"mask of shape \[3\].*bool of shape \[600\]"):
        estimate("edge_homophily", graph, torch.ones(3, dtype=torch.bool))
    with pytest.raises(InputError, match=r"torch.int64.*bool"):
        estimate("edge_homophily", graph, torch.ones(600, dtype=torch.int64))
