"""Edges go both ways unless one asks for their direction: while training, in the store, and when predicting."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train import checkpoint
from allpass.train.adjacency import adjacency
from allpass.train.config import TrainingConfig
from allpass.train.fit import fit, job_of
from allpass.train.rules.stopping import stopping
from allpass.train.trained import Trained

RULE = stopping("fixed", max_epochs=8)


@pytest.fixture(scope="module")
def one_way() -> Data:
    x, A, y, _ = learnable_graph()
    source, target = A.edge_index
    kept = source < target
    return Data(x=x, edge_index=torch.stack([source[kept], target[kept]]), y=y, num_nodes=len(y))


def test_the_way_back_is_added_with_its_weight() -> None:
    edges = torch.tensor([[0, 1, 1], [1, 0, 2]])
    data = Data(edge_index=edges, edge_weight=torch.tensor([2.0, 3.0, 4.0]), num_nodes=3)
    assert adjacency(data, torch.float64).to_dense().tolist() == [[0, 3, 0], [3, 0, 4], [0, 4, 0]]
    stored = adjacency(data, torch.float64, undirected=False)
    assert stored.to_dense().tolist() == [[0, 3, 0], [2, 0, 0], [0, 4, 0]]


def test_a_training_takes_edges_both_ways_or_as_stored(one_way: Data) -> None:
    (split,) = splits(one_way, "random", count=1)
    both = one_way.clone()
    both.edge_index = to_undirected(one_way.edge_index)
    how = {"stop": RULE, "dtype": torch.float64}
    (default,), (twice,), (stored,) = (
        fit("gcn", data, split, undirected=undirected, **how)
        for data, undirected in ((one_way, True), (both, False), (one_way, False))
    )
    assert default.scores == pytest.approx(twice.scores, abs=1e-12)
    assert default.scores["train_loss"] != pytest.approx(stored.scores["train_loss"], abs=1e-4)
    keys = [
        job_of("gcn", one_way, split, {}, 0, TrainingConfig(undirected=way)).key(0) for way in (True, False)
    ]
    assert keys[0] != keys[1]


@pytest.mark.parametrize("undirected", [True, False])
def test_what_is_trained_predicts_in_the_same_way_after_a_file_too(
    one_way: Data, tmp_path, undirected: bool
) -> None:
    (split,) = splits(one_way, "random", count=1)
    (run,) = fit("gcn", one_way, split, stop=RULE, undirected=undirected)
    trained = Trained.of(run, one_way)
    assert trained.measure(one_way, split.test) == pytest.approx(run.scores["test_score"])
    again = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    assert again.undirected is undirected
    np.testing.assert_array_equal(again.outputs(one_way).numpy(), trained.outputs(one_way).numpy())
