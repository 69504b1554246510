"""The table of payments has the shares, the neighbours and the weak features that it promises."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from allpass.data import fraud_payments
from allpass.errors import InputError


def test_shares_are_exact_and_edges_are_simple():
    data, whole = fraud_payments(seed=3), fraud_payments(seed=3, unlabelled=0)
    assert (data.num_nodes, int((data.y < 0).sum()), int((whole.y == 1).sum())) == (5000, 500, 200)
    assert torch.equal(data.y[data.y >= 0], whole.y[data.y >= 0])
    assert torch.equal(data.edge_index, whole.edge_index)
    assert torch.equal(data.x, whole.x)
    source, target = data.edge_index
    assert (source != target).all()
    assert len(data.edge_index.unique(dim=1).T) == data.num_edges
    assert fraud_payments(seed=3).fingerprint == data.fingerprint != fraud_payments(seed=4).fingerprint


def test_frauds_pay_others_and_share_neighbours_with_each_other():
    data = fraud_payments(unlabelled=0)
    source, target = data.edge_index
    by_fraud = data.y[source] == 1
    assert (data.y[target][by_fraud] == 1).float().mean() < 0.05
    A = torch.zeros(5000, 5000)
    A[source, target] = 1
    shared = (A @ A.T).fill_diagonal_(0)
    frauds, honest = data.y == 1, data.y == 0
    assert shared[frauds][:, frauds].mean() > 5 * shared[frauds][:, honest].mean()


def test_features_tell_a_little():
    data = fraud_payments(unlabelled=0)
    x = StandardScaler().fit_transform(np.log1p(data.x.numpy()))
    scores = LogisticRegression().fit(x[:2500], data.y[:2500]).decision_function(x[2500:])
    assert 0.53 < roc_auc_score(data.y[2500:], scores) < 0.75


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"accounts": 50}, "accounts"),
        ({"fraud": 0.0}, "fraud"),
        ({"fraud": 0.9}, "room for them"),
        ({"accounts": 100, "fraud": 0.001}, "0 frauds"),
        ({"unlabelled": 1.5}, "unlabelled"),
        ({"payments": 0.5}, "payments=0.5"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        fraud_payments(**given)
