"""Shuffled labels: no finding may mistake chance for structure."""

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import load
from allpass.diagnosis import diagnose
from allpass.diagnosis.chance import find_chance
from allpass.metrics import label_informativeness, prepare


def noise(classes: int, seed: int, n: int = 200) -> Data:
    """Features, labels and edges that have nothing to do with each other."""
    generator = torch.Generator().manual_seed(seed)
    return Data(
        edge_index=torch.randint(0, n, (2, 3 * n), generator=generator),
        x=torch.randn(n, 6, generator=generator),
        y=torch.randint(0, classes, (n,), generator=generator),
        num_nodes=n,
    )


def test_chance_informativeness_is_what_random_labels_give():
    data = noise(40, seed=0, n=300)
    chance = find_chance(prepare(data), shuffles=20)
    assert chance.label_informativeness > 0.1  # many classes on few edges look informative
    random = label_informativeness(data.edge_index, data.y)
    assert chance.label_informativeness == pytest.approx(random, abs=0.03)


@pytest.mark.parametrize(("classes", "seed"), [(2, 1), (3, 2), (10, 3), (40, 4)])
def test_pure_noise_speaks_for_nothing(classes, seed):
    report = diagnose(noise(classes, seed), verdict=False)
    assert [f.code for f in report.findings if f.kind == "good" and not f.code.startswith("labels-")] == []
    assert "helps" not in report.recommendation.summary
    assert "hurts" not in report.recommendation.summary


def test_a_graph_without_edges_has_no_structure():
    data = Data(
        edge_index=torch.zeros(2, 0, dtype=torch.long),
        x=torch.eye(4),
        y=torch.tensor([0, 1, 0, 1]),
        num_nodes=4,
    )
    report = diagnose(data, verdict=False)
    assert [finding.code for finding in report.findings] == ["no-edges"]
    assert report.recommendation.models == ("mlp-2",)


def test_same_seed_same_numbers_and_nothing_without_labels():
    graph = prepare(load("karate"))
    assert find_chance(graph) == find_chance(graph)
    assert find_chance(prepare(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))) is None


def test_one_shuffle_of_many_nodes_is_as_good_as_five(monkeypatch):
    data = noise(4, seed=5, n=20_000)
    five = find_chance(prepare(data))
    monkeypatch.setattr("allpass.diagnosis.chance.LARGE", 10_000)
    one = find_chance(prepare(data))
    assert five.sample == "Values under shuffled labels are means over 5 shuffles (seed 0)."
    assert one.sample == "Values under shuffled labels are means over 1 shuffle (seed 0)."
    assert one.aggregation_homophily == pytest.approx(five.aggregation_homophily, abs=0.01)
    assert one.label_informativeness == pytest.approx(five.label_informativeness, abs=0.001)
