"""Class weights against scikit-learn and against a training written out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_sample_weight
from tests.train.batches import batch_of
from torch import Tensor
from torch.func import vmap
from torch_geometric.data import Data

from allpass.data import Split, contextual_sbm, splits
from allpass.errors import InputError
from allpass.train.config import TrainingConfig
from allpass.train.fit import fit, job_of
from allpass.train.network import untrained
from allpass.train.rules.stopping import stopping
from allpass.train.rules.weights import balanced, check_class_weight

EPOCHS = 30
RULE = stopping("fixed", max_epochs=EPOCHS)
SETTINGS = {"lr": 0.05, "weight_decay": 0.0, "dropout": 0.0}
WIDTHS = {"hidden_channels": 6, "dropout": 0.0}


@pytest.fixture(scope="module")
def data() -> Data:
    """Three classes of very different size."""
    mixing = [[0.8, 0.1, 0.05], [0.1, 0.6, 0.05], [0.05, 0.05, 0.1]]
    found = contextual_sbm([80, 30, 10], mixing, average_degree=4, num_features=5, seed=1)
    found.x = found.x.double()
    return found


@pytest.fixture(scope="module")
def parts(data: Data) -> list[Split]:
    return splits(data, "random", count=2) + splits(data, "stratified", count=2, train=0.3, val=0.3)


@given(seed=st.integers(0, 999), N=st.integers(1, 30), C=st.integers(1, 5), own=st.booleans())
def test_weights_are_those_of_scikit_learn_for_every_replica(seed, N, C, own):
    rng = np.random.default_rng(seed)
    target = torch.from_numpy(rng.integers(-1, C, (3, N) if own else N))
    mask = torch.from_numpy(rng.random((3, N)) < 0.6)
    found = vmap(lambda y, one: balanced(y, one.double(), C), in_dims=(0 if own else None, 0))(target, mask)
    for weights, y, chosen in zip(found, target.expand(3, N), mask & (target >= 0), strict=True):
        wanted = torch.zeros(N, dtype=torch.float64)
        if chosen.any():
            wanted[chosen] = torch.from_numpy(compute_sample_weight("balanced", y[chosen].numpy()))
        torch.testing.assert_close(weights, wanted)


def by_hand(data: Data, split: Split, class_weight: Tensor | None) -> dict[str, Tensor]:
    """A GCN of two layers on dense matrices, trained by torch's own loss and optimiser."""
    N = data.num_nodes
    A = torch.zeros(N, N, dtype=torch.float64)
    A[data.edge_index[1], data.edge_index[0]] = 1
    A = torch.maximum(A, A.T) + torch.eye(N)
    S = A / A.sum(1).outer(A.sum(1)).sqrt()
    drawn = untrained("gcn", WIDTHS, in_channels=5, out_channels=3, num_nodes=N, seed=7, dtype=A.dtype)
    weights = {name: value.detach().clone().requires_grad_() for name, value in drawn.named_parameters()}
    W0, b0, W1, b1 = weights.values()
    adam = torch.optim.Adam(weights.values(), lr=SETTINGS["lr"])
    for _ in range(EPOCHS):
        adam.zero_grad()
        output = S @ ((S @ (data.x @ W0) + b0).relu() @ W1) + b1
        F.cross_entropy(output[split.train], data.y[split.train], class_weight).backward()
        adam.step()
    return weights


@pytest.mark.parametrize("class_weight", ["balanced", "none"])
def test_every_replica_is_trained_by_the_weights_of_its_own_split(data, parts, class_weight):
    how = {"stop": RULE, "select": "final", "scaling": "none", "dtype": torch.float64}
    runs = fit("gcn", data, parts, {**SETTINGS, **WIDTHS}, seeds=7, class_weight=class_weight, **how)
    for run, split in zip(runs, parts, strict=True):
        sizes = data.y[split.train].bincount(minlength=3).double()
        wanted = by_hand(data, split, sizes.sum() / (3 * sizes) if class_weight == "balanced" else None)
        for name, value in wanted.items():
            torch.testing.assert_close(run.weights[name], value.detach(), rtol=1e-7, atol=1e-9)


def test_all_replicas_in_one_call_are_the_same_as_one_after_the_other():
    one, other = (batch_of(4, RULE, together=how, class_weight="balanced") for how in (True, False))
    plain = batch_of(4, RULE)
    for batch in (one, other, plain):
        for _ in range(5):
            batch.step()
    torch.testing.assert_close(one.rows, other.rows)
    assert not torch.allclose(one.rows, plain.rows, atol=1e-3)


def test_a_key_names_class_weights_only_where_there_are_some(data, parts):
    """Runs that were stored before there were class weights are found again."""
    keys = [
        job_of("gcn", data, parts[:1], {}, 0, TrainingConfig(stop=RULE, **given)).key(0)
        for given in ({}, {"class_weight": "none"}, {"class_weight": None}, {"class_weight": "balanced"})
    ]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert "class_weight" not in keys[0].protocol
    assert keys[3].protocol["class_weight"] == "balanced"


def test_what_has_no_class_weights_is_refused(data, parts):
    with pytest.raises(InputError, match=r"Got class_weight='balance'\. Did you mean 'balanced'"):
        check_class_weight("balance", "classification")
    with pytest.raises(InputError, match="'regression', which has no classes"):
        check_class_weight("balanced", "regression")
    with pytest.raises(InputError, match="class_weight for 'cpgnn': it has a loss of its own"):
        fit("cpgnn", data, parts, class_weight="balanced", stop=RULE)
