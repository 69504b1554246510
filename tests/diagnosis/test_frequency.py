"""Labels of alternating classes are high-frequency, labels of communities low-frequency."""

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.diagnosis.frequency import find_frequencies
from allpass.metrics import prepare


def frequencies_of(graph: nx.Graph, y: list[int] | None):
    edges = torch.tensor(list(graph.edges())).T
    labels = None if y is None else torch.tensor(y)
    return find_frequencies(prepare(Data(edge_index=edges, num_nodes=len(graph), y=labels)))


def test_bipartite_classes_are_high():
    found = frequencies_of(nx.complete_bipartite_graph(6, 6), [0] * 6 + [1] * 6)
    assert found.bands["high"] == pytest.approx(1.0)


def test_communities_are_low():
    graph = nx.disjoint_union(nx.complete_graph(8), nx.complete_graph(8))
    graph.add_edge(0, 8)
    found = frequencies_of(graph, [0] * 8 + [1] * 8)
    assert found.bands["low"] > 0.99


def test_random_labels_follow_the_spectrum():
    graph = nx.gnm_random_graph(900, 2700, seed=1)
    y = torch.randint(0, 2, (900,), generator=torch.Generator().manual_seed(0)).tolist()
    found = frequencies_of(graph, y)
    for band, share in found.bands.items():
        assert share == pytest.approx(found.random_bands[band], abs=0.05)


def test_many_classes_are_summed_at_random_and_stay_nearly_the_same(monkeypatch):
    graph = nx.random_partition_graph([60] * 40, 0.2, 0.001, seed=0)
    y = [k // 60 for k in range(2400)]
    exact = frequencies_of(graph, y)
    assert exact.sample == "The spectrum is estimated from 16 random signals (seed 0)."
    monkeypatch.setattr("allpass.diagnosis.frequency._NUMBERS", 2400 * 16)
    rough = frequencies_of(graph, y)
    assert "16 random sums of the classes" in rough.sample
    for band, share in exact.bands.items():
        assert rough.bands[band] == pytest.approx(share, abs=0.02)


def test_shares_sum_to_one_and_labels_may_be_missing():
    found = frequencies_of(nx.path_graph(9), None)
    assert sum(found.spectrum) == pytest.approx(1.0)
    assert found.labels == ()
    assert found.bands == {}
