"""The whole diagnosis: its keys, its JSON, and graphs at the edge of what is allowed."""

import json

import networkx as nx
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

import allpass
from allpass.data import planted_partition
from allpass.diagnosis import diagnose
from allpass.diagnosis.diagnose import STEPS
from allpass.errors import AllpassError, InputError
from allpass.metrics import METRICS

PROMISED = (
    "edge_homophily",
    "node_homophily",
    "class_homophily",
    "aggregation_homophily",
    "modified_aggregation_homophily",
    "aggregation_similarity",
    "modified_aggregation_similarity",
    "diversification_distinguishability",
    "adjusted_homophily",
    "label_informativeness",
)


def test_bipartite_example():
    """Every classical metric says 0, aggregation homophily says 1 (report, figure 3)."""
    content = diagnose("example-bipartite").to_dict()
    metrics = content["metrics"]
    assert [metrics[n] for n in ("edge_homophily", "node_homophily", "class_homophily")] == [0, 0, 0]
    assert metrics["aggregation_homophily"] == metrics["modified_aggregation_homophily"] == 1


def test_json_has_the_promised_keys_and_survives_a_round_trip():
    content = diagnose("example-high-pass").to_dict()
    assert set(PROMISED) <= set(content["metrics"])
    text = json.dumps(content, allow_nan=False)
    assert json.loads(text)["name"] == "example-high-pass"


def test_mixing_rows_are_shares():
    mixing = diagnose("karate").mixing
    assert [sum(row) for row in mixing.shares] == pytest.approx([1, 1])
    assert mixing.homophily == pytest.approx([mixing.shares[k][k] for k in range(2)])


def test_progress_names_every_metric():
    said = []
    diagnose("karate", progress=said.append)
    assert "edge homophily" in said
    assert said[0] == "reading the data"


def test_a_loaded_graph_keeps_its_name_and_account():
    data = allpass.load("example-limitation")
    report = diagnose(data)
    assert report.name == "example-limitation"
    assert report.fingerprint == data.fingerprint


@pytest.mark.parametrize(
    "data",
    [
        Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=3),
        Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=1, y=torch.tensor([0])),
        Data(
            edge_index=torch.zeros(2, 0, dtype=torch.long),
            num_nodes=2,
            y=torch.tensor([0, 1]),
            x=torch.eye(2),
        ),
        Data(edge_index=torch.tensor([[0], [0]]), num_nodes=2, y=torch.tensor([0, -1]), x=torch.zeros(2, 1)),
        Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3, y=torch.tensor([-1, -1, -1])),
        Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3, x=torch.zeros(3, 0)),
    ],
)
def test_poor_graphs_are_diagnosed_all_the_same(data):
    content = diagnose(data).to_dict()
    json.dumps(content, allow_nan=False)
    for name, reason in content["undefined"].items():
        assert content["metrics"][name] is None
        assert reason


def test_the_verdict_says_why_there_is_none():
    content = diagnose("karate").to_dict()
    assert content["verdict"] is None
    assert content["no_verdict"].startswith("No verdict: 34 labelled nodes are too few to train and test on")
    assert "not asked for" in diagnose("karate", verdict=False).no_verdict


def test_a_verdict_joins_the_diagnosis(monkeypatch):
    monkeypatch.setattr("allpass.diagnosis.race.EPOCHS", 10)
    data = planted_partition(60, num_classes=2, average_degree=6, homophily=0.95, seed=0)
    data.x = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    said = []
    report = diagnose(data, progress=said.append, candidates=["mlp-2", "acm-gcn", "trees"])
    content = report.to_dict()
    json.dumps(content, allow_nan=False)
    assert "training acm-gcn" in said
    assert len(said) > STEPS
    assert report.findings[0].title == report.verdict.summary == report.recommendation.summary
    assert content["verdict"]["model"] == report.recommendation.models[0]
    assert content["no_verdict"] == ""


def test_networkx_goes_straight_in():
    graph = nx.karate_club_graph()
    report = diagnose(graph, label="club")
    assert report.facts.classes == 2
    assert set(report.profile.to_dict()) <= set(METRICS.names)


def test_wrong_input_is_one_clear_error():
    with pytest.raises(AllpassError, match="no-such-thing"):
        diagnose("no-such-thing")


def test_roles_of_the_columns_of_a_table_are_part_of_it():
    n = 30
    nodes = pd.DataFrame(
        {"id": range(n), "page_id": [f"p{k}" for k in range(n)], "size": [k % 7 for k in range(n)]}
    )
    edges = pd.DataFrame({"u": range(n), "v": [(k + 1) % n for k in range(n)]})
    report = diagnose(None, edges=edges, nodes=nodes.assign(label=[k % 2 for k in range(n)]), verdict=False)
    roles = report.to_dict()["roles"]
    assert {role["column"]: role["role"] for role in roles} == {
        "id": "id",
        "page_id": "id",
        "size": "number",
        "label": "label",
        "u": "source",
        "v": "target",
    }
    assert all(role["reason"] for role in roles)
    json.dumps(roles)
    assert diagnose("karate", verdict=False).to_dict()["roles"] == []


def test_a_label_of_many_numbers_is_diagnosed_as_a_regression():
    n = 60
    nodes = pd.DataFrame(
        {"id": range(n), "size": [k % 7 for k in range(n)], "price": [100 + 1.5 * k for k in range(n)]}
    )
    edges = pd.DataFrame({"u": range(n), "v": [(k + 1) % n for k in range(n)]})
    content = diagnose(None, edges=edges, nodes=nodes, label="price", verdict=False).to_dict()
    assert content["facts"]["classes"] == 0
    assert "found-regression" in [note["code"] for note in content["account"]]


def test_an_unknown_device_is_refused_before_anything_is_measured():
    steps = []
    with pytest.raises(InputError, match="no device 'gpu'"):
        diagnose("karate", device="gpu", progress=steps.append)
    assert not steps
