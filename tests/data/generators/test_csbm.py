"""CSBM-H: exact neighbourhoods, and the aggregated Gaussians that its theory predicts."""

from __future__ import annotations

import pytest
import torch

from allpass.data.generators import csbm_h
from allpass.errors import InputError
from allpass.graph import Operator


@pytest.mark.parametrize("level", [0.0, 0.1, 0.3, 0.5, 0.77, 1.0])
def test_neighbourhoods_are_exact(level, check_form, digraph, homophily):
    data = csbm_h(level, num_nodes=(100, 60), degrees=(5, 8), seed=2)
    check_form(data)
    graph = digraph(data)
    assert [graph.in_degree(node) for node in graph] == [5] * 100 + [8] * 60
    within, edges = homophily(data)
    assert within == int(500 * level + 1e-6) + int(480 * level + 1e-6)
    assert edges == 980
    source, target = data.edge_index
    own = torch.bincount(target[data.y[source] == data.y[target]], minlength=160)
    degree = torch.tensor([5.0] * 100 + [8.0] * 60)
    assert ((own - level * degree).abs() < 1).all()


def test_aggregated_features_have_the_predicted_mean_and_variance():
    data = csbm_h(0.75, num_nodes=(40_000, 40_000), degrees=(20, 20), scales=(1.0, 2.0), seed=3)
    A = Operator.from_edge_index(data.edge_index, num_nodes=data.num_nodes)
    x = (A @ data.x / 20)[data.y == 0]
    assert x.mean(dim=0).tolist() == pytest.approx([-0.75 + 0.25, 0.0], abs=0.01)
    assert x.var(dim=0).tolist() == pytest.approx([(0.75 * 1 + 0.25 * 4) / 20] * 2, rel=0.05)


def test_means_scales_and_seed_are_used():
    data = csbm_h(0.5, means=((1, 2, 3), (4, 5, 6)), scales=(0, 0))
    assert data.x[0].tolist() == [1, 2, 3]
    assert data.x[-1].tolist() == [4, 5, 6]
    assert csbm_h(0.5).fingerprint == csbm_h(0.5).fingerprint != csbm_h(0.5, seed=1).fingerprint


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"homophily": -0.1}, "Got homophily=-0.1"),
        ({"homophily": 0.5, "num_nodes": (100, 0)}, "Got num_nodes=0"),
        ({"homophily": 0.5, "num_nodes": (100,)}, r"Got num_nodes=\(100,\); expected two numbers"),
        ({"homophily": 0.5, "degrees": (5, -1)}, "Got degrees=-1"),
        (
            {"homophily": 1.0, "degrees": (100, 5)},
            "100 different neighbours from its own class, which have 99",
        ),
        ({"homophily": 0.5, "means": ((0, 1),)}, r"means of shape \[1, 2\]"),
        ({"homophily": 0.5, "scales": (1, -1)}, r"scales \[1.0, -1.0\]"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        csbm_h(**settings)
