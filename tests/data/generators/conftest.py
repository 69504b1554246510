"""Independent looks at a drawn graph, through NetworkX and plain Python."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.fingerprint import fingerprint


def _check_form(data: Data) -> None:
    assert data.edge_index.dtype == torch.int64
    assert data.edge_index.shape[0] == 2
    assert data.edge_index.is_contiguous()
    assert data.y.dtype == torch.int64
    assert data.y.shape == (data.num_nodes,)
    assert data.get("x") is None or (data.x.dtype == torch.float32 and data.x.shape[0] == data.num_nodes)
    assert data.source == "generator"
    assert isinstance(data.account, Account)
    assert "generated" in data.account
    assert data.stored_splits == {}
    assert data.fingerprint == fingerprint(data)


@pytest.fixture
def check_form() -> Callable[[Data], None]:
    """Complains when data is not in the standard form."""
    return _check_form


@pytest.fixture
def digraph() -> Callable[[Data], nx.DiGraph]:
    """The graph in NetworkX, after a check that it is simple."""

    def convert(data: Data) -> nx.DiGraph:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(data.num_nodes))
        graph.add_edges_from(data.edge_index.t().tolist())
        assert graph.number_of_edges() == data.num_edges, "duplicate edges"
        assert nx.number_of_selfloops(graph) == 0
        return graph

    return convert


@pytest.fixture
def homophily() -> Callable[[Data], tuple[int, int]]:
    """Edges inside classes, and all edges, counted one by one."""

    def count(data: Data) -> tuple[int, int]:
        y = data.y.tolist()
        return sum(y[u] == y[v] for u, v in data.edge_index.t().tolist()), data.num_edges

    return count
