"""Adjusted homophily in exact fractions; entropies and singular values in dense float64."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.graph import Operator
from allpass.metrics import (
    LabelledGraph,
    adjusted_homophily,
    label_informativeness,
    neighbourhood_identifiability,
)
from allpass.metrics.informativeness import (
    measure_adjusted,
    measure_identifiability,
    measure_informativeness,
)
from allpass.metrics.labelled import Loops

MEASURES = (
    (adjusted_homophily, measure_adjusted, reference.adjusted_homophily, 1e-12),
    (label_informativeness, measure_informativeness, reference.label_informativeness, 1e-9),
    (
        neighbourhood_identifiability,
        measure_identifiability,
        reference.neighbourhood_identifiability,
        1e-9,
    ),
)


@settings(max_examples=300)
@given(case=cases(), self_loops=st.sampled_from(["drop", "keep", "add"]))
def test_equals_brute_force(case: Case, self_loops: Loops) -> None:
    stored = reference.adjacency(case)
    A = reference.with_loops(stored, self_loops)
    graph = LabelledGraph.build(Operator.from_scipy(reference.dense(stored)), case.y)
    for function, measure, by_hand, tolerance in MEASURES:
        expected = by_hand(A, case.labels)
        value = function(case.edge_index, case.y, case.num_nodes, self_loops=self_loops, **case.options)
        measured = measure(graph, self_loops)
        assert reference.agree(value, expected, tolerance)
        assert reference.agree(measured.value, expected, tolerance)
        assert bool(measured.reason) == (expected is None)


def test_extremes() -> None:
    """Two classes joined only across: the neighbour's label tells all, and homophily is as low as it gets."""
    bipartite, y = torch.tensor([[0, 0, 1, 1], [2, 3, 2, 3]]), torch.tensor([0, 0, 1, 1])
    assert adjusted_homophily(bipartite, y) == -1
    assert label_informativeness(bipartite, y) == pytest.approx(1)
    assert neighbourhood_identifiability(bipartite, y) == 0
    apart = torch.tensor([[0, 2], [1, 3]])
    assert adjusted_homophily(apart, y) == 1
    assert label_informativeness(apart, y) == pytest.approx(1)
    complete = torch.combinations(
        torch.arange(4)
    ).T  # with loops, every label meets every label equally often
    assert label_informativeness(complete, y, self_loops="add") == pytest.approx(0, abs=1e-15)
    assert adjusted_homophily(complete, y, self_loops="add") == pytest.approx(0, abs=1e-15)


def test_information_is_never_negative() -> None:
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        y = torch.randint(0, 3, (12,), generator=generator)
        everything = torch.cartesian_prod(torch.arange(12), torch.arange(12)).T
        assert 0 <= label_informativeness(everything, y, self_loops="keep") < 1e-12


def test_undefined_values_say_why() -> None:
    measures = measure_adjusted, measure_informativeness, measure_identifiability
    alone = LabelledGraph.build(torch.zeros(2, 0, dtype=torch.int64), torch.tensor([0, 1]))
    for measure in measures:
        assert math.isnan(measure(alone).value)
        assert measure(alone).reason == "no edge joins two labelled nodes"
    one_sided = LabelledGraph.build(torch.tensor([[0], [1]]), torch.tensor([0, 0, 1]))
    assert measure_adjusted(one_sided).reason == "all edges lie within one class"
    assert measure_informativeness(one_sided).reason == "all edges lie within one class"
    one = LabelledGraph.build(torch.tensor([[0], [1]]), torch.tensor([0, 0]))
    assert measure_identifiability(one).reason == "fewer than two classes"
