"""Smoothness of features over edges against loops over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import LabelledGraph, feature_smoothness, generalized_edge_homophily, smoothness
from allpass.metrics.smoothness import measure_feature_smoothness, measure_generalized


@settings(max_examples=300)
@given(case=cases())
def test_equals_brute_force(case: Case) -> None:
    A, X = reference.adjacency(case), case.x.numpy()
    graph = LabelledGraph.build(Operator.from_scipy(reference.dense(A)), None, case.x.to_sparse_csr())
    for function, measure, by_hand in (
        (generalized_edge_homophily, measure_generalized, reference.generalized_edge_homophily),
        (feature_smoothness, measure_feature_smoothness, reference.feature_smoothness),
    ):
        expected = by_hand(A, X)
        assert reference.agree(function(case.edge_index, case.x, **case.options), expected, 1e-9)
        sparse = measure(graph)
        assert reference.agree(sparse.value, expected, 1e-9)
        assert bool(sparse.reason) == (expected is None)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse products are taken a few rows at a time."""
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.randint(0, 50, (2, 300), generator=generator)
    x = torch.randint(-1, 3, (50, 20), generator=generator).double()
    monkeypatch.setattr(smoothness, "_BLOCK", 200)
    for measure in (generalized_edge_homophily, feature_smoothness):
        assert measure(edge_index, x.to_sparse()) == pytest.approx(measure(edge_index, x), rel=1e-12)


def test_values_by_hand() -> None:
    """A star of three: (1, 0) in the middle, (1, 0) and (0, 1) around it."""
    edge_index, x = torch.tensor([[0, 0], [1, 2]]), torch.tensor([[1.0, 0], [1, 0], [0, 1]])
    assert generalized_edge_homophily(edge_index, x) == pytest.approx((1 + 0) / 2)
    # Middle: (0 + 1, 0 - 1); leaves: (0, 0) and (-1, 1). Squares add up to 4, over 2 edges and 2 features.
    assert feature_smoothness(edge_index, x) == pytest.approx(1)
    assert feature_smoothness(edge_index, 10 * x) == pytest.approx(100)
    assert generalized_edge_homophily(edge_index, 10 * x) == pytest.approx(1 / 2)


def test_undefined_values_say_why() -> None:
    alone = LabelledGraph.build(torch.tensor([[0], [0]]), None, torch.ones(2, 1))
    for measure in (measure_generalized, measure_feature_smoothness):
        assert math.isnan(measure(alone).value)
        assert measure(alone).reason == "no edges"
    nothing = LabelledGraph.build(torch.tensor([[0], [1]]), None, torch.ones(2, 0))
    assert measure_feature_smoothness(nothing).reason == "no features"


def test_bad_input_is_refused() -> None:
    edge_index = torch.tensor([[0], [1]])
    with pytest.raises(InputError, match="NaN or infinite"):
        feature_smoothness(edge_index, torch.tensor([[np.nan], [0]]))
    with pytest.raises(InputError, match=r"features of shape \[2, 1\] for 3 nodes"):
        generalized_edge_homophily(edge_index, torch.ones(2, 1), num_nodes=3)
