"""Neighbourhoods at distance two against NetworkX, and what becomes of weights."""

from __future__ import annotations

import networkx as nx
import pytest
import torch

from allpass.graph import Operator
from allpass.nn import H2GCNConv
from allpass.nn.h2gcn import strict_two_hop
from allpass.testing import examples


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_networkx_finds_the_same_pairs_at_distance_two(directed: bool, seed: int) -> None:
    graph = nx.gnp_random_graph(30, 0.07, seed=seed, directed=directed)
    graph.add_edge(3, 3)
    far = strict_two_hop(Operator.from_networkx(graph))
    lengths = nx.all_pairs_shortest_path_length(graph, cutoff=2)
    wanted = {(u, v) for u, reached in lengths for v, length in reached.items() if length == 2}
    assert {tuple(edge) for edge in far.edge_index.T.tolist()} == wanted
    assert far.values.eq(1).all()


def test_weights_count_at_distance_one_alone() -> None:
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    x = torch.tensor([[1.0], [10.0], [100.0]])
    plain = H2GCNConv()(x, path)
    weighted = H2GCNConv()(x, path, torch.tensor([1.0, 1.0, 3.0, 3.0]))
    assert not torch.allclose(weighted[:, 0], plain[:, 0])
    torch.testing.assert_close(weighted[:, 1], plain[:, 1])


def test_self_loops_do_not_count() -> None:
    example = examples()[2]
    loops = example.edge_index[0] == example.edge_index[1]
    assert loops.any()
    conv = H2GCNConv()
    wanted = conv(example.x, example.edge_index[:, ~loops])
    torch.testing.assert_close(conv(example.x, example.edge_index), wanted)


def test_the_neighbourhoods_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    example = examples()[0]
    calls: list[Operator] = []

    def counted(A: Operator) -> Operator:
        calls.append(A)
        return strict_two_hop(A)

    monkeypatch.setattr("allpass.nn.h2gcn.strict_two_hop", counted)
    first = H2GCNConv()(example.x, example.operator)
    torch.testing.assert_close(H2GCNConv()(first, example.operator)[:, :10], first_round(example, first))
    assert len(calls) == 1


def first_round(example, x: torch.Tensor) -> torch.Tensor:
    """D^-1/2 A D^-1/2 x, densely."""
    half = example.dense.sum(1).clamp(min=1).rsqrt()
    return half[:, None] * (example.dense @ (half[:, None] * x))
