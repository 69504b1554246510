"""A model that learns its graph works like every other: fit, compare, checkpoint, estimator; same seed, same run."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.data.splits import Split
from allpass.errors import InputError, UnknownNameError
from allpass.models.adjacency import AdjacencyNetwork
from allpass.testing import learnable_graph
from allpass.train import compare, fit, load, save, train_folds
from allpass.train.estimator.classifier import NodeClassifier
from allpass.train.fit import Replica

NAMES = ("adjacency-gcn", "adjacency-acm-gcn", "acm-gcn-adjacency")
SMALL = {"hidden_channels": 16, "k1": 6, "k2": 3, "pretraining": 20, "every": 5}


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y), name="learnable")


def train(
    data: Data, name: str = "adjacency-gcn", seed: int = 0, epochs: int = 12, **settings: object
) -> Replica:
    (run,) = fit(
        name,
        data,
        splits(data, "random", count=1),
        {**SMALL, **settings},
        seeds=seed,
        stop="fixed",
        epochs=epochs,
        on_progress=None,
    )
    return run


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("training", ["end-to-end", "pretrained"])
def test_it_learns(data: Data, name: str, training: str) -> None:
    run = train(data, name, training=training, epochs=30)
    assert run.scores["test_score"] >= 0.9
    assert run.weights["learner.chosen"].shape == (120, 6)


@pytest.mark.parametrize("candidates", ["top-k", "sampled", "bandit"])
@pytest.mark.parametrize("fusion", ["top-k", "gumbel", "sample"])
def test_the_same_seed_gives_the_same_run(data: Data, candidates: str, fusion: str) -> None:
    chosen = {
        "candidates": candidates,
        "fusion": fusion,
        "momentum": 0.5,
        "final_temperature": 0.5,
        "warmup": 5,
    }
    first, second, other = (train(data, seed=seed, **chosen) for seed in (0, 0, 1))
    assert first.scores == second.scores
    for name, value in first.weights.items():
        assert torch.equal(value, second.weights[name])
    assert first.scores != other.scores


def clustered(nodes: int = 400, classes: int = 4, parts: int = 4) -> tuple[Data, Split]:
    """Classes of several clusters whose edges lead away from the class, and ten training labels a class."""
    generator = torch.Generator().manual_seed(1)
    cluster = torch.arange(nodes) % (classes * parts)
    y = cluster % classes
    x = torch.randn(classes * parts, 16, generator=generator)[cluster] + torch.randn(
        nodes, 16, generator=generator
    )
    chance = torch.where(y.unsqueeze(1) == y, 0.05, 1.0) * 8 / nodes
    upper = (torch.rand(nodes, nodes, generator=generator) < chance).triu(1)
    data = Data(x=x, y=y, edge_index=(upper | upper.T).nonzero().T, num_nodes=nodes, name="clustered")
    order, train_nodes = torch.randperm(nodes, generator=generator), torch.zeros(nodes, dtype=torch.bool)
    for label in range(classes):
        train_nodes[order[y[order] == label][:10]] = True
    left = order[~train_nodes[order]]
    val = torch.zeros(nodes, dtype=torch.bool).index_fill(0, left[:80], True)
    return data, Split(train_nodes, val, ~train_nodes & ~val, "ten a class")


def test_where_edges_mislead_and_features_cluster_it_beats_gcn_and_the_network_without_a_graph() -> None:
    data, split = clustered()
    chosen = {"base": "features", "mix": 0.0, "k1": 12, "k2": 6}
    scores = {
        name: fit(name, data, split, settings, stop="fixed", epochs=60, on_progress=None)[0].scores[
            "test_score"
        ]
        for name, settings in (("gcn", {}), ("mlp-2", {}), ("adjacency-gcn", chosen))
    }
    assert scores["adjacency-gcn"] > scores["gcn"] + 0.2
    assert scores["adjacency-gcn"] > scores["mlp-2"] + 0.03


def test_a_checkpoint_predicts_what_the_training_measured(data: Data, tmp_path) -> None:
    split = splits(data, "random", count=1)
    for name in NAMES:
        (trained,) = train_folds(name, data, split, SMALL, stop="fixed", epochs=12, on_progress=None)
        save(trained.with_graph(data), tmp_path / name)
        loaded = load(tmp_path / name)
        (test,) = (one.test for one in split) if not isinstance(split, Split) else (split.test,)
        assert loaded.measure(data, test) == pytest.approx(trained.scores["test_score"], abs=1e-12)
        assert np.array_equal(loaded.predict(), trained.predict(data))
        assert isinstance(loaded.network, AdjacencyNetwork)
        assert torch.equal(loaded.network.learner.chosen, trained.weights["learner.chosen"])
        larger = Data(x=torch.cat([data.x, data.x[:2]]), edge_index=data.edge_index, num_nodes=122)
        assert (
            loaded.predict(larger)[120:] == data.y[:2].numpy()
        ).all()  # new nodes: candidates by the weights


def test_compare_and_the_estimator_take_it(data: Data) -> None:
    parts = splits(data, "random", count=2)
    found = compare(["gcn", "adjacency-gcn"], data, parts, stop="fixed", epochs=5, on_progress=None)
    assert [contender.model for contender in found.contenders] == ["gcn", "adjacency-gcn"]
    assert all(len(contender.scores) == 2 for contender in found.contenders)
    classifier = NodeClassifier("adjacency-gcn", **SMALL, stop="fixed", epochs=12).fit(data)
    assert (classifier.predict(data) == data.y.numpy()).mean() > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k1": 3, "k2": 4}, r"Got k2 = 4, more than the k1 = 3 candidates"),
        ({"k1": 120}, r"Got k1 = 120 candidates for each of 120 nodes\. Expected fewer.*119 or less"),
        ({"network": "gat"}, r"network = 'gat', which takes no edge weights"),
        ({"network": "mlp-2"}, r"network = 'mlp-2', which reads no graph"),
        ({"network": "trees"}, r"network = 'trees', which is no network"),
        ({"network": "adjacency-gcn"}, r"network = 'adjacency-gcn', which learns a graph itself"),
        ({"network": "gnc"}, r"no model 'gnc'"),
        ({"candidates": "topk"}, r"candidates 'topk'. Did you mean 'top-k'"),
        ({"base": "mpl"}, r"no base 'mpl'"),
        ({"fusion": "max"}, r"Got fusion = 'max'"),
        ({"normalisation": "max"}, r"Got normalisation = 'max'"),
        ({"search": "max"}, r"Got search = 'max'"),
        ({"training": "max"}, r"Got training = 'max'"),
        ({"mix": 2.0}, r"Got mix = 2"),
        ({"holdout": 1.0}, r"Got holdout = 1"),
        ({"score_temperature": 0.0}, r"temperature 0"),
        ({"scale": 2.0}, r"no setting 'scale' of the model 'gcn'"),
        ({"label_input": True}, r"'adjacency-gcn' in a wrapper.*label_input"),
    ],
)
def test_what_cannot_be_set(data: Data, settings: dict[str, object], message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message) as caught:
        train(data, **settings)
    assert len(str(caught.value)) <= 300


def test_without_a_training_node(data: Data) -> None:
    nobody, half = torch.zeros(120, dtype=torch.bool), torch.arange(120) < 60
    with pytest.raises(InputError, match="no training node"):
        fit("adjacency-gcn", data, Split(nobody, half, ~half, "none"), SMALL, on_progress=None)


def test_a_network_with_weights_for_each_node_keeps_to_its_nodes(data: Data) -> None:
    split = splits(data, "random", count=1)
    settings = {**SMALL, "network": "linkx"}
    (trained,) = train_folds("adjacency-gcn", data, split, settings, stop="fixed", epochs=3, on_progress=None)
    larger = Data(x=torch.cat([data.x, data.x[:2]]), edge_index=data.edge_index, num_nodes=122)
    with pytest.raises(InputError, match="has weights for the 120 nodes"):
        trained.predict(larger)
