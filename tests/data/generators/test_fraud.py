"""The payment network: exact counts, rings that meet in their mules, features that tell a little."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from allpass.data.generators import fraud_payments
from allpass.errors import InputError


def test_counts_are_exact(check_form, digraph):
    data = fraud_payments(1000, fraud=0.05, unlabelled=0.0, seed=1)
    check_form(data)
    graph = digraph(data)
    assert data.y.bincount().tolist() == [950, 50]
    assert data.feature_names == ["age_days", "mean_amount", "payments_per_week", "night_share", "devices"]
    assert (data.x > 0).all()
    assert min(dict(graph.out_degree).values()) >= 3
    hidden = fraud_payments(1000, fraud=0.05, unlabelled=0.1, seed=1)
    assert int((hidden.y < 0).sum()) == 100
    assert torch.equal(hidden.y[hidden.y >= 0], data.y[hidden.y >= 0])


def test_fraudsters_meet_in_the_mules_of_their_ring(digraph):
    data = fraud_payments(
        500,
        fraud=0.1,
        unlabelled=0,
        ring_size=7,
        mules_per_ring=3,
        payments_to_mules=2,
        customers=0,
        payments=0,
    )
    graph, fraud = digraph(data), data.y == 1
    for node in range(500):
        assert graph.out_degree(node) == (2 if fraud[node] else 0)
    mules = [node for node in graph if graph.in_degree(node)]
    assert not fraud[mules].any()
    groups = [len(group) for group in nx.weakly_connected_components(graph) if len(group) > 1]
    assert sum(groups) == 50 + len(mules)
    assert max(groups) <= 7 + 3


def test_a_mule_has_the_customers_that_were_asked_for(digraph):
    quiet, busy = (fraud_payments(500, fraud=0.1, unlabelled=0, payments=0, customers=c) for c in (0, 9))
    before, after = dict(digraph(quiet).in_degree), dict(digraph(busy).in_degree)
    added = [after[node] - before[node] for node in before if before[node]]
    assert max(added) == 9  # a customer may be a fraudster who pays this mule anyway
    assert np.mean(added) > 8


def test_features_tell_fraud_weakly_and_mules_the_other_way():
    data = fraud_payments(
        60_000, fraud=0.2, unlabelled=0, customers=0, payments=0, payments_to_mules=4, seed=2
    )
    mules = torch.zeros(60_000, dtype=torch.bool)
    mules[data.edge_index[1]] = True
    z = data.x.double().log()
    ordinary = z[(data.y == 0) & ~mules]
    apart = (z[data.y == 1].mean(0) - ordinary.mean(0)) / ordinary.std(0)
    assert apart.tolist() == pytest.approx([-0.4, 0.4, 0.1, 0.4, 0.1], abs=0.05)
    other_way = (z[mules].mean(0) - ordinary.mean(0)) / ordinary.std(0)
    assert other_way.tolist() == pytest.approx([0.1, -0.1, -0.025, -0.1, -0.025], abs=0.05)


def test_the_seed_decides():
    assert fraud_payments(200).fingerprint == fraud_payments(200).fingerprint
    assert fraud_payments(200).fingerprint != fraud_payments(200, seed=1).fingerprint


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fraud": 1.5}, "Got fraud=1.5"),
        ({"unlabelled": -0.1}, "Got unlabelled=-0.1"),
        ({"fraud": 0.9}, "450 fraudsters and 180 mules do not fit into 500 accounts"),
        ({"payments_to_mules": 5}, "Got payments_to_mules=5 where there are 4 accounts"),
        ({"payments": 500}, "Got payments=500 where there are 499 accounts"),
        ({"customers": -1}, "Got customers=-1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        fraud_payments(500, **settings)
