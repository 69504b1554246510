"""The contract of every registered metric; one without a brute-force reference fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import UnknownNameError
from allpass.graph import Operator
from allpass.metrics import METRICS, LabelledGraph, Metric

Reference = Callable[[Case], Fraction | float | None]


def of_edges(by_hand: Callable[[reference.Matrix, tuple[int, ...]], Fraction | float | None]) -> Reference:
    """A reference that looks at edges and labels, without self-loops."""
    return lambda case: by_hand(reference.with_loops(reference.adjacency(case), "drop"), case.labels)


def of_features(by_hand: Callable[[reference.Matrix, np.ndarray], float | None]) -> Reference:
    return lambda case: by_hand(reference.adjacency(case), case.x.numpy())


def of_numbers(by_hand: Callable[[np.ndarray, np.ndarray], float | None]) -> Reference:
    """A reference that looks at edges between nodes with a number; a negative label stands for none."""

    def measure(case: Case) -> float | None:
        N = case.num_nodes
        known = np.array([v for v, label in enumerate(case.labels) if label >= 0], dtype=int)
        W = reference.dense(reference.with_loops(reference.adjacency(case), "drop"))
        x = np.array([case.labels[v] for v in known], dtype=float)
        return by_hand(np.asarray(W, dtype=float).reshape(N, N)[np.ix_(known, known)], x)

    return measure


def label_share(case: Case) -> Fraction | None:
    A = reference.normalized(reference.adjacency(case), "A_hat_rw")
    S = reference.similarity(A, reference.one_hot(case.labels))
    return reference.share(reference.aggregating(S, case.labels))


def feature_share(name: str) -> Callable[[Case], Fraction | None]:
    def share(case: Case) -> Fraction | None:
        H = reference.normalized(reference.adjacency(case), name)
        S = reference.similarity(H, reference.feature_rows(case, False))
        return reference.share(reference.aggregating(S, case.labels))

    return share


def high_pass_share(case: Case) -> Fraction | None:
    H = reference.high_pass(reference.normalized(reference.adjacency(case), "A_hat_rw"))
    S = reference.similarity(H, reference.feature_rows(case, False))
    return reference.share(reference.distinguishable(S, case.labels))


BRUTE_FORCE: dict[str, Reference] = {
    "edge_homophily": of_edges(reference.edge_homophily),
    "node_homophily": of_edges(reference.node_homophily),
    "class_homophily": of_edges(reference.class_homophily),
    "adjusted_homophily": of_edges(reference.adjusted_homophily),
    "label_informativeness": of_edges(reference.label_informativeness),
    "neighbourhood_identifiability": of_edges(reference.neighbourhood_identifiability),
    "label_smoothness": of_edges(reference.label_smoothness),
    "aggregation_homophily": label_share,
    "modified_aggregation_homophily": lambda case: reference.modified(label_share(case)),
    "aggregation_similarity": feature_share("A_hat_rw"),
    "modified_aggregation_similarity": lambda case: reference.modified(feature_share("A_hat_rw")(case)),
    "feature_similarity": feature_share("I"),
    "diversification_distinguishability": high_pass_share,
    "generalized_edge_homophily": of_features(reference.generalized_edge_homophily),
    "feature_smoothness": of_features(reference.feature_smoothness),
    "morans_i": of_numbers(reference.morans_i),
    "gearys_c": of_numbers(reference.gearys_c),
    "neighbour_correlation": of_numbers(reference.neighbour_correlation),
}
# Random samples: their dense reimplementation stands in test_classifier.py, for all three.
SAMPLED = {"classifier_linear", "classifier_arc_cosine", "classifier_naive_bayes"}


def test_every_metric_has_a_reference() -> None:
    assert set(METRICS.names) == set(BRUTE_FORCE) | SAMPLED


@settings(max_examples=100)
@given(case=cases(undirected=True))
def test_defaults_equal_brute_force(case: Case) -> None:
    numbers = torch.where(case.y < 0, torch.nan, case.y.double())
    graph = LabelledGraph.build(case.edge_index, case.y, case.x, numbers=numbers, **case.options)
    for name, by_hand in BRUTE_FORCE.items():
        measured, expected = METRICS[name].measure(graph), by_hand(case)
        assert reference.agree(measured.value, expected, 1e-9), name
        assert bool(measured.reason) == (expected is None), name
        _check_range(METRICS[name], measured.value)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_contract(metric: Metric) -> None:
    check_metric(metric)


def check_metric(metric: Metric) -> None:
    """What any metric must fulfil: a description, a range, determinism, indifference to names, honest needs."""
    for text in (metric.symbol, metric.meaning, metric.direction, metric.cost, metric.citation):
        assert text.strip() == text != ""
    assert metric.meaning.endswith(".")
    assert metric.low < metric.high
    assert metric.needs
    for seed in range(2 if metric.name in SAMPLED else 10):
        A, y, x = _random_graph(seed)
        measured = metric.measure(LabelledGraph(A, y, x, numbers=x[:, 0]))
        assert measured == metric.measure(LabelledGraph(A, y, x, numbers=x[:, 0]))
        _check_range(metric, measured.value)
        assert measured.defined
        assert not measured.reason
        needed = LabelledGraph(
            A,
            y if "labels" in metric.needs else None,
            x if "features" in metric.needs else None,
            numbers=x[:, 0] if "numbers" in metric.needs else None,
        )
        assert metric.measure(needed) == measured
        if metric.name not in SAMPLED:
            assert metric.measure(_renamed(A, y, x, seed)).value == pytest.approx(measured.value, abs=1e-12)


def _check_range(metric: Metric, value: float) -> None:
    assert math.isnan(value) or metric.low - 1e-12 <= value <= metric.high + 1e-12, metric.name


def _random_graph(seed: int) -> tuple[Operator, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(40) % 4
    edge_index = torch.randint(0, 40, (2, 120), generator=generator)
    x = torch.rand(40, 5, generator=generator) + torch.eye(5)[y]
    return Operator.from_edge_index(edge_index).symmetrized(), y, x


def _renamed(A: Operator, y: torch.Tensor, x: torch.Tensor, seed: int) -> LabelledGraph:
    """The same graph with its nodes in another order and its classes under other numbers."""
    generator = torch.Generator().manual_seed(seed)
    place, number = torch.randperm(40, generator=generator), torch.randperm(9, generator=generator)
    moved = torch.argsort(place)
    edges = Operator.from_edge_index(place[A.edge_index], A.values, num_nodes=40)
    graph = LabelledGraph(edges, number[y][moved], x[moved], numbers=x[moved][:, 0])
    graph.all_classes = 4  # those of the other numbers have no node
    return graph


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no metric 'agregation_homophily'.*Did you mean 'aggregation_homophily'"
    ):
        _ = METRICS["agregation_homophily"]
