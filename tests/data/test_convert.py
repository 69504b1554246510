from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data, HeteroData
from torch_geometric.datasets import KarateClub
from torch_geometric.utils import from_networkx as pyg_from_networkx

from allpass.data.convert import from_networkx, from_pyg
from allpass.errors import DataError, InputError, MissingExtraError


def edge_set(data: Data) -> set[tuple[int, int]]:
    return {(u, v) for u, v in data.edge_index.T.tolist()}


@given(st.integers(0, 1000), st.booleans())
def test_networkx_edges_are_those_of_pyg(seed: int, directed: bool) -> None:
    graph = nx.gnp_random_graph(9, 0.3, seed=seed, directed=directed)
    graph.add_edge(0, 0)
    data = from_networkx(graph)
    assert edge_set(data) == edge_set(pyg_from_networkx(graph))
    assert data.edge_index.shape[1] == len(edge_set(data))
    assert data.num_nodes == 9
    assert data.edge_index.unique().tolist() or not graph.edges


def test_networkx_attributes_are_read_like_columns() -> None:
    graph = nx.DiGraph(name="friends")
    graph.add_node("p", label="x", age=3, colour="red", vector=[1, 2])
    graph.add_node("q", label="y", age=5, colour="blue", vector=np.array([3, 4]))
    graph.add_node(7, label=None, colour="red", vector=None)
    graph.add_edge("p", "q", weight=2.0)
    graph.add_edge("q", 7)
    data = from_networkx(graph)
    assert data.name == "friends"
    assert data.node_ids == ["p", "q", "7"]
    assert data.y.tolist() == [0, 1, -1]
    assert data.class_names == ["x", "y"]
    assert data.edge_weight.tolist() == [2, 1]
    assert data.feature_names == [
        *("age", "age is missing", "colour=blue", "colour=red"),
        *("vector[0]", "vector[0] is missing", "vector[1]", "vector[1] is missing"),
    ]
    assert data.x[1].tolist() == [5, 0, 1, 0, 3, 0, 4, 0]
    assert from_networkx(graph, features=["age"], weight=False).x.shape == (3, 2)
    assert "edge_weight" not in from_networkx(graph, weight=False)


def test_karate_club_by_its_attribute() -> None:
    data = from_networkx(nx.karate_club_graph(), label="club", weight=False)
    theirs = KarateClub()[0]
    assert edge_set(data) == edge_set(theirs)
    assert data.class_names == ["Mr. Hi", "Officer"]
    with pytest.raises(DataError, match=r"'club'.*label="):
        from_networkx(nx.karate_club_graph())


def test_multigraphs_merge_with_added_weights() -> None:
    graph = nx.MultiGraph()
    graph.add_edge(0, 1, weight=1.0)
    graph.add_edge(0, 1, weight=2.0)
    data = from_networkx(graph)
    assert sorted(zip(*data.edge_index.tolist(), data.edge_weight.tolist(), strict=True)) == [
        (0, 1, 3),
        (1, 0, 3),
    ]


def test_networkx_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="empty"):
        from_networkx(nx.Graph())
    with pytest.raises(DataError, match="no attributes"):
        from_networkx(nx.path_graph(2), label="y")
    with pytest.raises(DataError, match="No edge has the attribute 'cost'"):
        from_networkx(nx.path_graph(2), weight="cost")
    words = nx.Graph([(0, 1, {"weight": "heavy"})])
    with pytest.raises(DataError, match="not a number everywhere"):
        from_networkx(words)
    ragged = nx.Graph()
    ragged.add_node(0, label=0, v=[1])
    ragged.add_node(1, label=0, v=[1, 2])
    with pytest.raises(DataError, match="vectors of different lengths"):
        from_networkx(ragged)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert from_networkx(nx.path_graph(2)).num_nodes == 2
    with pytest.raises(MissingExtraError, match="pandas"):
        from_networkx(nx.karate_club_graph(), label="club")


def test_pyg_data_in_all_its_shapes() -> None:
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    raw = Data(
        edge_index=edge_index,
        edge_attr=torch.tensor([[1.0], [2.0], [3.0]]),
        x=torch.ones(3, 2, dtype=torch.float64),
        y=torch.tensor([[0.0], [2.0], [1.0]]),
        train_mask=torch.tensor([[True, False], [False, True], [False, False]]),
        val_mask=torch.zeros(3, 2, dtype=torch.bool),
        test_mask=torch.ones(3, 2, dtype=torch.bool),
        pos=torch.zeros(3, 2),
    )
    data = from_pyg(raw)
    assert data.edge_weight.tolist() == [1, 2, 3]
    assert data.x.dtype == torch.float32
    assert data.y.tolist() == [0, 2, 1]
    assert data.y.dtype == torch.int64
    assert [split.name for split in data.stored_splits["stored"]] == ["stored/0", "stored/1"]
    assert data.stored_splits["stored"][1].train.tolist() == [False, True, False]
    assert "left-out-attributes" in data.account
    assert "overlapping-splits" in data.account
    assert raw.y.shape == (3, 1)  # the given graph is not touched


def test_pyg_sparse_features_stay_sparse() -> None:
    x = torch.eye(3).to_sparse()
    data = from_pyg(Data(edge_index=torch.tensor([[0], [1]]), x=x))
    assert data.x.layout == torch.sparse_csr
    assert torch.equal(data.x.to_dense(), torch.eye(3))


def test_pyg_node_count() -> None:
    edge_index = torch.tensor([[0], [1]])
    assert from_pyg(Data(edge_index=edge_index)).num_nodes == 2
    assert from_pyg(Data(edge_index=edge_index, num_nodes=5)).num_nodes == 5
    assert from_pyg(Data(edge_index=edge_index, y=torch.zeros(4, dtype=torch.long))).num_nodes == 4


def test_a_graph_of_ours_comes_back_as_it_is_unless_it_was_changed() -> None:
    data = from_pyg(Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1])))
    assert from_pyg(data) is data
    data.y = torch.tensor([1, 1])
    again = from_pyg(data)
    assert again is not data
    assert again.fingerprint != data.fingerprint


def test_pyg_that_cannot_be_read() -> None:
    edges = torch.tensor([[0], [1]])
    with pytest.raises(InputError, match=r"HeteroData.*to_homogeneous"):
        from_pyg(HeteroData())
    with pytest.raises(InputError, match=r"dataset\[0\]"):
        from_pyg(KarateClub())
    with pytest.raises(DataError, match="no edge_index; it has x"):
        from_pyg(Data(x=torch.ones(2, 1)))
    with pytest.raises(DataError, match=r"NaN or infinite.*nan='zero'"):
        from_pyg(Data(edge_index=edges, x=torch.tensor([[1.0], [float("nan")]])))
    with pytest.raises(DataError, match="not whole numbers"):
        from_pyg(Data(edge_index=edges, y=torch.tensor([0.5, 1])))
    with pytest.raises(DataError, match="unknown node"):
        from_pyg(Data(edge_index=edges, num_nodes=1))
    with pytest.raises(DataError, match="empty"):
        from_pyg(Data(edge_index=torch.zeros(2, 0, dtype=torch.long)))
    wide = from_pyg(Data(edge_index=edges, edge_attr=torch.ones(1, 4)))
    assert "left-out-edge-features" in wide.account
