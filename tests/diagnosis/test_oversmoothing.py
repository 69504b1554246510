"""Repeated averaging: what must shrink shrinks, and a projection changes it little."""

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.diagnosis.oversmoothing import DEPTH, find_smoothing
from allpass.metrics import prepare


def smoothing_of(graph: nx.Graph, x: torch.Tensor | None):
    edges = torch.tensor(list(graph.edges())).T
    return find_smoothing(prepare(Data(edge_index=edges, num_nodes=len(graph), x=x)))


def test_complete_graph_is_flat_after_one_round():
    x = torch.randn(10, 3, generator=torch.Generator().manual_seed(0))
    found = smoothing_of(nx.complete_graph(10), x)
    assert found.half_depth == 1
    assert found.variance[1] == pytest.approx(0, abs=1e-12)
    assert found.distance[1] == pytest.approx(0, abs=1e-12)
    assert len(found.variance) == DEPTH + 1


def test_a_signal_of_the_lowest_frequency_never_halves():
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    x = torch.cat([torch.ones(6, 1), -torch.ones(6, 1)])
    found = smoothing_of(graph, x)
    assert found.half_depth is None
    assert found.variance[-1] == pytest.approx(1.0)


def test_projection_keeps_the_curve():
    generator = torch.Generator().manual_seed(1)
    graph = nx.gnm_random_graph(80, 240, seed=1)
    x = torch.randn(80, 600, generator=generator)
    wide = smoothing_of(graph, x)
    assert "128 random directions" in wide.signal
    exact = smoothing_of(graph, x[:, :128])
    assert wide.variance[1] == pytest.approx(exact.variance[1], rel=0.2)


def test_sparse_features_and_no_features():
    graph = nx.cycle_graph(30)
    assert smoothing_of(graph, None).signal == "random signals"
    x = torch.eye(30)
    assert smoothing_of(graph, x.to_sparse_csr()).variance[0] == 1.0


def test_large_graphs_are_sampled_and_say_so(monkeypatch):
    graph = nx.gnm_random_graph(3000, 9000, seed=2)
    x = torch.randn(3000, 4, generator=torch.Generator().manual_seed(0))
    exact = smoothing_of(graph, x)
    monkeypatch.setattr("allpass.diagnosis.oversmoothing.SAMPLE", 1000)
    sampled = smoothing_of(graph, x)
    assert exact.sample == ""
    assert "mean over 1,000 random nodes" in sampled.sample
    assert (sampled.variance, sampled.energy) == (exact.variance, exact.energy)
    assert sampled.distance == pytest.approx(exact.distance, abs=0.03)
    assert sampled == smoothing_of(graph, x)
