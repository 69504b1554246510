from __future__ import annotations

import networkx as nx
import pytest
import torch

from allpass.data import load
from allpass.errors import UnknownNameError
from allpass.graph import EMBEDDINGS, Embedding, Operator


@pytest.mark.parametrize("entry", EMBEDDINGS, ids=lambda entry: entry.name)
def test_every_embedding_gives_positions_in_the_plane(entry: Embedding) -> None:
    graph = nx.disjoint_union(
        nx.gnp_random_graph(20, 0.2, seed=0, directed=True), nx.empty_graph(2, nx.DiGraph)
    )
    Z = entry.build(Operator.from_networkx(graph))
    assert Z.shape == (22, 2)
    assert Z.isfinite().all()
    assert entry.citation


def test_a_typo() -> None:
    with pytest.raises(UnknownNameError, match="isomap"):
        EMBEDDINGS["isomp"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["isomap", "poincare"])
def test_neighbours_in_cora_are_near(name: str) -> None:
    A = Operator.from_edge_index(load("cora").edge_index)
    Z = EMBEDDINGS[name].build(A)
    u, v = A.edge_index
    other = v[torch.randperm(v.shape[0], generator=torch.Generator().manual_seed(0))]
    assert (Z[u] - Z[v]).norm(dim=1).median() < (Z[u] - Z[other]).norm(dim=1).median() / 3
