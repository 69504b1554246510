"""Facts counted by NetworkX and by hand."""

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.diagnosis.facts import degree_histogram, gather_facts
from allpass.metrics import prepare


def facts_of(data: Data):
    return gather_facts(data, prepare(data))


def test_counts_agree_with_networkx():
    graph = nx.gnm_random_graph(60, 70, seed=3)
    edges = torch.tensor(list(graph.edges())).T
    facts = facts_of(Data(edge_index=edges, num_nodes=60, y=torch.arange(60) % 3))
    assert facts.nodes == 60
    assert facts.edges == graph.number_of_edges()
    assert facts.isolated == nx.number_of_isolates(graph)
    assert facts.components == nx.number_connected_components(graph)
    assert facts.largest_component == max(len(c) for c in nx.connected_components(graph)) / 60
    assert facts.max_degree == max(d for _, d in graph.degree())
    assert facts.mean_degree == pytest.approx(2 * 70 / 60)
    bipartite = [nx.is_bipartite(graph.subgraph(c)) for c in nx.connected_components(graph) if len(c) > 1]
    assert facts.bipartite_components == sum(bipartite)


def test_direction_loops_and_duplicates():
    data = Data(edge_index=torch.tensor([[0, 0, 1, 2, 2], [1, 1, 0, 2, 0]]), num_nodes=4)
    facts = facts_of(data)
    assert facts.directed
    assert (facts.edges, facts.self_loops, facts.isolated, facts.stored_entries) == (2, 1, 1, 5)
    assert not facts_of(Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)).directed


def test_edges_stored_once_have_no_known_direction():
    ring = torch.stack([torch.arange(300), (torch.arange(300) + 1) % 300])
    once = facts_of(Data(edge_index=ring, num_nodes=300))
    assert (once.directed, once.stored_once) == (False, True)
    both = facts_of(Data(edge_index=torch.cat([ring, ring.flip(0)], 1), num_nodes=300))
    assert (both.directed, both.stored_once) == (False, False)
    half = facts_of(Data(edge_index=torch.cat([ring, ring[:, :150].flip(0)], 1), num_nodes=300))
    assert (half.directed, half.stored_once) == (True, False)


def test_features_dense_and_sparse_agree():
    x = torch.tensor([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]])
    edges = torch.tensor([[0, 1], [1, 2]])
    dense = facts_of(Data(edge_index=edges, x=x, num_nodes=3))
    sparse = facts_of(Data(edge_index=edges, x=x.to_sparse_csr(), num_nodes=3))
    assert dense.feature_density == sparse.feature_density == pytest.approx(2 / 6)
    assert dense.zero_feature_rows == sparse.zero_feature_rows == 1


def test_class_names_skip_classes_that_do_not_occur():
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3, y=torch.tensor([0, 2, -1]))
    data.class_names = ["red", "green", "blue"]
    facts = facts_of(data)
    assert facts.class_names == ("red", "blue")
    assert facts.class_sizes == (1, 1)
    assert facts.labelled == 2


def test_degree_histogram_doubles_its_bins():
    star = torch.tensor([[0] * 5, [1, 2, 3, 4, 5]])
    histogram = degree_histogram(prepare(Data(edge_index=star, num_nodes=7)))
    assert dict(zip(histogram.bins, histogram.counts, strict=True)) == {"0": 1, "1": 5, "2-3": 0, "4-7": 1}
