"""What is written as tables is what is read again."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import contextual_sbm, fraud_payments, load, save_tables
from allpass.errors import InputError


def test_a_graph_comes_back(tmp_path):
    data = fraud_payments(300, seed=1)
    again = load(save_tables(data, tmp_path / "new" / "folder"))
    assert torch.equal(again.edge_index, data.edge_index)
    assert torch.equal(again.x, data.x)
    assert again.feature_names == data.feature_names
    names = [None if c < 0 else graph.class_names[c] for graph in (data, again) for c in graph.y.tolist()]
    assert names[:300] == names[300:]
    assert None in names


def test_ids_weights_and_numbers_come_back(tmp_path):
    x = torch.tensor([[0.1, 1e-12], [-2.0, 3e20], [1 / 3, 0.0]])
    data = Data(x=x, edge_index=torch.tensor([[0, 1], [1, 2]]), edge_weight=torch.tensor([0.1, 7.25]))
    data.y = torch.tensor([0.7, torch.nan, -1.5])
    data.node_ids = ["a", "b,c", "d"]
    save_tables(data, tmp_path)
    assert (tmp_path / "edges.csv").read_text() == 'source,target,weight\na,"b,c",0.1\n"b,c",d,7.25\n'
    assert (tmp_path / "nodes.csv").read_text().splitlines()[2] == '"b,c",-2,3e+20,'
    again = load(tmp_path, task="regression")
    assert torch.equal(again.x, x)
    assert torch.equal(again.y.isnan(), data.y.isnan())
    assert torch.equal(again.edge_weight, data.edge_weight)


def test_a_graph_without_features_or_labels(tmp_path):
    save_tables(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3), tmp_path)
    assert (tmp_path / "nodes.csv").read_text() == "id\n0\n1\n2\n"


def test_sparse_features_are_refused(tmp_path):
    data = contextual_sbm([5, 5], [[1, 1], [1, 1]], average_degree=2, num_features=2)
    data.x = data.x.to_sparse_csr()
    with pytest.raises(InputError, match="save_npz"):
        save_tables(data, tmp_path)
