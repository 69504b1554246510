"""All metrics at once: what applies, what is shared, and what is said."""

from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.data import Data

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator
from allpass.metrics import METRICS, LabelledGraph, morans_i, prepare, profile

EDGES = torch.tensor([[0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 0]])
Y = torch.tensor([0, 0, 0, 1, 1, 1])
X = torch.tensor([[1.0, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 1]])
LABEL_METRICS = [metric.name for metric in METRICS if metric.needs == {"labels"}]


def test_everything_that_applies_is_computed() -> None:
    everything = profile(Data(edge_index=EDGES, y=Y, x=X))
    assert list(everything.to_dict()) == [m.name for m in METRICS if "numbers" not in m.needs]
    for row in everything.rows:
        assert row.value == pytest.approx(
            row.metric.measure(LabelledGraph.build(EDGES, Y, X)).value, nan_ok=True
        )
        assert row.seconds >= 0
        assert row.memory >= 0
        assert everything[row.metric.name] == row.value
    assert everything["Edge Homophily"] == pytest.approx(2 / 3)
    assert list(profile(Data(edge_index=EDGES, y=Y)).to_dict()) == LABEL_METRICS
    features = profile(Data(edge_index=EDGES, x=X)).to_dict()
    assert list(features) == [metric.name for metric in METRICS if metric.needs == {"features"}]
    assert profile(Data(edge_index=EDGES, num_nodes=6)).to_dict() == {}
    assert profile(Data(edge_index=EDGES, x=torch.ones(6, 0), y=torch.full((6,), -1))).to_dict() == {}


def test_edges_are_visited_once(monkeypatch: pytest.MonkeyPatch) -> None:
    products = []
    multiply = Operator.__matmul__
    monkeypatch.setattr(Operator, "__matmul__", lambda op, x: products.append(x.shape) or multiply(op, x))
    profile(Data(edge_index=EDGES, y=Y))
    assert products == [(6, 2)]


def test_named_metrics_in_the_order_asked() -> None:
    asked: list[str] = []
    few = profile(Data(edge_index=EDGES, y=Y), ["node-homophily", "edge_homophily"], on_progress=asked.append)
    assert list(few.to_dict()) == asked == ["node_homophily", "edge_homophily"]
    with pytest.raises(UnknownNameError, match="no 'class_homophily'"):
        _ = few["class_homophily"]
    with pytest.raises(UnknownNameError, match="Did you mean 'edge_homophily'"):
        profile(Data(edge_index=EDGES, y=Y), ["edgehomophily"])
    with pytest.raises(InputError, match="without features"):
        profile(Data(edge_index=EDGES, y=Y), ["feature_smoothness"])
    with pytest.raises(InputError, match="without labels"):
        profile(Data(edge_index=EDGES, x=X), ["edge_homophily"])


def test_weights_count() -> None:
    weight = torch.tensor([5.0, 1, 1, 1, 1, 1, 1])
    weighted = profile(Data(edge_index=EDGES, y=Y, edge_weight=weight), ["edge_homophily"])
    assert weighted["edge_homophily"] == pytest.approx(8 / 10)


def test_notes_say_how_the_graph_was_read() -> None:
    y = Y.clone()
    y[4] = -1
    assert profile(Data(edge_index=EDGES, y=y), []).notes == (
        "Edges are taken as undirected.",
        "1 self-loops are left out of edge counts and kept in the averaging matrix.",
        "1 nodes without a label are left out of every count.",
    )
    graph = LabelledGraph(Operator.from_edge_index(EDGES[:, :6]), Y)
    assert profile(graph, []).notes == ()


def test_isolated_nodes_at_the_end_are_nodes() -> None:
    data = Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1, 1, 1]))
    assert prepare(data).num_nodes == 4
    assert prepare(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=5)).num_nodes == 5


def test_a_graph_in_any_form_has_the_same_profile() -> None:
    data = Data(edge_index=EDGES, y=Y, x=X)
    matrix = Operator.from_edge_index(EDGES, num_nodes=6).to_scipy().T
    expected = profile(data).to_dict()
    for target, options in (
        ((X, Y, EDGES), {}),
        (None, {"edge_index": EDGES.numpy(), "x": X.numpy(), "y": Y.tolist()}),
        (matrix, {"x": X, "y": Y}),
        (prepare(data), {}),
    ):
        assert profile(target, **options).to_dict() == pytest.approx(expected, nan_ok=True)
    with pytest.raises(InputError, match="Got float to load"):
        profile(3.5)


def test_numbers_are_not_classes() -> None:
    data = Data(edge_index=EDGES, y=Y.float(), x=X)
    assert prepare(data).y is None
    assert "edge_homophily" in profile(data).to_dict()  # 0.0 and 1.0 read as classes, by `load` as everywhere
    measured = profile(data, task="regression")
    assert "edge_homophily" not in measured.to_dict()
    assert {metric.name for metric in METRICS if "numbers" in metric.needs} < set(measured.to_dict())
    assert (
        "The labels are numbers: autocorrelation over edges takes the place of homophily." in measured.notes
    )


def test_numbers_may_be_missing_or_several() -> None:
    y = Y.float()
    y[0] = math.nan
    measured = profile(Data(edge_index=EDGES, y=y), task="regression")
    assert measured["morans_i"] == morans_i(EDGES, y)
    assert "1 nodes without a label are left out of every count." in measured.notes
    several = profile(prepare(Data(edge_index=EDGES, y=torch.ones(6, 2))))
    assert several.to_dict() == {}
    assert any("several numbers" in note for note in several.notes)


@pytest.mark.parametrize("y", [torch.zeros(0, dtype=torch.int64), torch.tensor([0]), torch.tensor([0, 0, 0])])
def test_empty_and_trivial_graphs_give_reasons(y: torch.Tensor) -> None:
    edges = torch.zeros(2, 0, dtype=torch.int64)
    graph = LabelledGraph.build(edges, y, torch.ones(len(y), 2), numbers=y.double())
    for row in profile(graph, list(METRICS.names)).rows:
        assert math.isnan(row.value), row
        assert row.reason, row
