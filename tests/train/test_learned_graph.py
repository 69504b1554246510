"""What a learned graph says of itself, on graphs whose truth is counted by hand or by NetworkX."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import is_undirected, to_networkx

from allpass.data.splits import Split
from allpass.errors import InputError
from allpass.metrics import aggregation_homophily
from allpass.train import LearnedGraph, Trained, fit, learned_graph
from allpass.train.learned_graph import changed

TRAIN, VAL, TEST = 1, 2, 3


def by_hand() -> LearnedGraph:
    """Nodes 0 to 3 of class 0, 4 and 5 of class 1; 0, 1 and 4 are training nodes, 3 and 5 test nodes."""
    return LearnedGraph(
        edges=torch.tensor([[0, 0, 2, 4, 1], [1, 4, 3, 5, 5]]),
        weight=torch.tensor([0.5, 0.25, 1.0, 0.5, 0.75]),
        given=torch.tensor([[0, 2, 3, 3], [4, 3, 4, 5]]),
        num_nodes=6,
        y=torch.tensor([0, 0, 0, 0, 1, 1]),
        sets=torch.tensor([TRAIN, TRAIN, VAL, TEST, TRAIN, TEST], dtype=torch.int8),
        channel=torch.tensor([0.0, 0.0, 0.0, 0.2, 0.0, 0.4]),
        ids=tuple("abcdef"),
    )


def test_edges_are_kept_added_or_dropped() -> None:
    graph = by_hand()
    assert graph.added.T.tolist() == [[0, 1], [4, 5], [1, 5]]
    assert graph.dropped.T.tolist() == [[3, 4], [3, 5]]
    assert graph.is_given.tolist() == [False, True, True, False, False]


def test_homophily_at_test_nodes_leaves_memorised_edges_out() -> None:
    graph = by_hand()
    assert graph.same_class(graph.edges) == pytest.approx(2 / 3)  # 2-3 and 4-5, not 1-5
    assert graph.same_class(graph.given) == pytest.approx(1 / 3)  # 2-3, not 3-4 and 3-5
    assert graph.same_class(graph.edges, "train") == pytest.approx(1 / 2)  # 0-1, not 0-4
    summary = graph.summary()
    assert (summary["kept"], summary["added"], summary["dropped"], summary["given"]) == (5, 3, 2, 4)
    assert summary["channel_test"] == pytest.approx(0.3)
    text = " ".join(changed(summary))
    assert "5 edges, 3 of them added; 2 of 4 given edges dropped" in text
    assert "67% at test nodes (given graph 33%); 50% between training nodes" in text


def test_aggregation_homophily_of_all_nodes_is_that_of_the_metric() -> None:
    graph = by_hand()
    shares = [graph.aggregation(part, learned=False) for part in ("train", "val", "test")]
    sizes = torch.tensor([3, 1, 2])
    mean = sum(size * share for size, share in zip(sizes.tolist(), shares, strict=True)) / 6  # type: ignore[operator]
    assert graph.y is not None
    assert mean == pytest.approx(aggregation_homophily(graph.given, graph.y))


def test_without_labels_or_split_edges_remain() -> None:
    graph = LearnedGraph(torch.tensor([[0], [1]]), torch.ones(1), torch.empty(2, 0, dtype=torch.long), 2)
    summary = graph.summary()
    assert summary["added"] == 1
    assert summary["homophily_test"] is summary["h_agg_test"] is summary["channel_test"] is None
    assert len(changed(summary)) == 1


def test_it_goes_out_as_a_table_to_networkx_and_to_pyg(tmp_path: Path) -> None:
    graph = by_hand()
    graph.to_csv(tmp_path / "learned.csv")
    table = pd.read_csv(tmp_path / "learned.csv")
    assert table.change.value_counts().to_dict() == {"added": 3, "kept": 2, "dropped": 2}
    assert table.iloc[0].tolist() == ["a", "b", 0.5, "added"]
    assert table[table.change == "dropped"].weight.tolist() == [0.0, 0.0]
    found = graph.to_networkx()
    assert found.edges["a", "e"] == {"weight": 0.25, "added": False}
    assert found.number_of_nodes() == 6
    data = graph.to_pyg()
    assert is_undirected(data.edge_index, data.edge_weight)
    again = to_networkx(data, edge_attrs=["edge_weight"], to_undirected=True)
    relabelled = nx.relabel_nodes(found, dict(zip("abcdef", range(6), strict=True)))
    assert {frozenset(edge) for edge in again.edges} == {frozenset(edge) for edge in relabelled.edges}


def separated() -> tuple[Data, Split]:
    """Two classes that features tell apart, on a graph that joins only nodes of different classes."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(60) % 2
    x = torch.randn(60, 4, generator=generator) + 6.0 * y.unsqueeze(1)
    nodes = torch.arange(60)
    edges = torch.cat([torch.stack([nodes, (nodes + 1) % 60]), torch.stack([nodes, (nodes + 3) % 60])], dim=1)
    part = torch.randperm(60, generator=generator)
    return Data(x=x, y=y, edge_index=edges), Split(part < 20, (part >= 20) & (part < 40), part >= 40, "drawn")


@pytest.mark.parametrize("model", ["adjacency-gcn", "acm-gcn-adjacency"])
def test_a_trained_model_learns_edges_within_classes(model: str) -> None:
    data, split = separated()
    (run,) = fit(model, data, split, {"k1": 6, "k2": 3}, stop="fixed", epochs=30, on_progress=None)
    trained = Trained.of(run, data)
    graph = learned_graph(trained, data)
    summary = graph.summary()
    assert summary["homophily_test_given"] == 0.0
    assert summary["homophily_test"] > 0.95
    assert summary["given"] == 120
    assert summary["kept"] - summary["added"] + summary["dropped"] == summary["given"]
    assert (summary["channel_test"] is not None) == (model == "acm-gcn-adjacency")
    if graph.channel is not None:
        layers = [layer["learned"] for layer in trained.mixing(data)]
        assert float(graph.channel.mean()) == pytest.approx(sum(layers) / len(layers), abs=1e-6)


def test_a_model_without_a_learned_graph_is_refused() -> None:
    data, split = separated()
    (run,) = fit("gcn", data, split, stop="fixed", epochs=1, on_progress=None)
    with pytest.raises(InputError, match="The model 'gcn' learns no graph"):
        learned_graph(Trained.of(run, data), data)
