from __future__ import annotations

import copy
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from tests.train.trainings import graph
from torch_geometric.data import Data

from allpass.data import load, splits
from allpass.errors import InputError, UnknownNameError
from allpass.train import Store, compare, fit, sweep
from allpass.train.given import divide, folds_of, graph_of
from allpass.train.rules.stopping import stopping

SHORT = stopping("fixed", max_epochs=3)


@pytest.fixture(scope="module")
def data():
    return graph()


@pytest.fixture
def numbers(data):
    found = copy.copy(data)
    found.y = 1e4 + 300 * (data.x @ torch.arange(5.0))
    found.y[:3] = torch.nan
    return found


def test_classes_are_divided_into_the_same_shares_unless_a_rule_is_named(data):
    for ours, rule in (
        (divide(data, count=2, seed=3), "stratified"),
        (divide(data, "random", seed=3), "random"),
    ):
        theirs = splits(data, rule, count=len(ours), seed=3)
        assert [fold.fingerprint for fold in ours] == [split.fingerprint for split in theirs]


def test_numbers_that_another_generator_of_the_same_seed_placed_are_spread_over_all_sets():
    """The label says which nodes come first in NumPy's permutation of seed 0, as in Minesweeper."""
    y = torch.zeros(1000)
    y[np.random.default_rng(0).permutation(1000)[:200]] = 1
    (fold,) = divide(Data(y=y), count=1)
    assert [int(part.sum()) for part in (fold.train, fold.val, fold.test)] == [600, 200, 200]
    assert min(int(y[part].sum()) for part in (fold.val, fold.test)) > 20
    assert fold.fingerprint != divide(Data(y=1 - y), count=1)[0].fingerprint


def test_numbers_are_divided_too_and_what_is_missing_is_in_no_set(numbers):
    for fold in divide(numbers, count=2):
        sizes = [int(part.sum()) for part in (fold.train, fold.val, fold.test)]
        assert sum(sizes) == 57
        assert sizes[0] > sizes[1] > 0
        assert not (fold.train | fold.val | fold.test)[:3].any()


def test_a_graph_of_pyg_is_taken_as_it_is_and_anything_else_is_loaded(data):
    assert graph_of(data) is data
    assert graph_of("karate").fingerprint == load("karate").fingerprint
    with pytest.raises(InputError, match="Got float to load"):
        graph_of(3.5)


def test_splits_are_given_or_drawn_by_a_rule(data):
    ten = [split.fingerprint for split in splits(data, "stratified", count=10, seed=0)]
    assert [split.fingerprint for split in folds_of("stratified", data)] == ten
    (one,) = splits(data, "random", count=1)
    assert folds_of(one, data) == [one]
    with pytest.raises(UnknownNameError, match="stratified"):
        folds_of("stratifed", data)
    with pytest.raises(InputError, match="Got 3 in place of a split"):
        folds_of([3], data)


def test_fit_compare_and_sweep_take_a_graph_in_any_form(data, tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(34, 4)).astype(np.float32), np.arange(34) % 2
    club = nx.karate_club_graph()
    edges = np.array([*club.edges, *(pair[::-1] for pair in club.edges)]).T
    named = nx.Graph(list(club.edges))
    nx.set_node_attributes(named, {node: {"vector": x[node], "label": int(y[node])} for node in named})
    forms: list[Any] = [
        Data(edge_index=torch.from_numpy(edges), x=torch.from_numpy(x), y=torch.from_numpy(y)),
        (x, y, edges),
        (x, y, nx.to_scipy_sparse_array(club, weight=None)),
    ]
    some = divide(load(forms[0]), count=2)
    expected = [run.scores["val_loss"] for run in fit("gcn", forms[0], some, stop=SHORT)]
    for form in forms:
        assert [run.scores["val_loss"] for run in fit("gcn", form, some, stop=SHORT)] == pytest.approx(
            expected
        )
    assert len(fit("gcn", forms[1], stop=SHORT)) == 10
    compared = compare(["mlp-2", "gcn"], forms[1], stop=SHORT)
    assert len(compared["gcn"].scores) == 10
    with Store(tmp_path / "runs.db") as store:
        found = sweep(store, "gcn", forms[1], space={"lr": (0.01, 0.1)}, stop=SHORT)
    assert len(found.splits) == 10
    assert graph_of(named).x.shape == (34, 4)
