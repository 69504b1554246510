"""The arms of the adjacency studies: what each is trained on, and that it is chosen on validation nodes."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.models.adjacency import AdjacencyNetwork
from allpass.papers.adjacency import arms
from allpass.papers.adjacency.arms import ARMS, CONTROLS, GIVEN, LEARNERS, Shuffling, measure_arm, settings_of
from allpass.train.fit import fit
from allpass.train.network import untrained


def two_classes(sparse: bool = False) -> tuple[Data, Split]:
    """A ring whose neighbours are of two classes, and features that tell these apart."""
    generator = torch.Generator().manual_seed(1)
    y = torch.arange(60) % 2
    x = torch.rand(60, 40, generator=generator) + y.unsqueeze(1) * (torch.arange(40) < 20)
    x = torch.where(x > (1.8 if sparse else -1), x, 0)
    nodes = torch.arange(60)
    part = torch.randperm(60, generator=generator)
    data = Data(x=x, y=y, edge_index=torch.stack([nodes, (nodes + 1) % 60]))
    return data, Split(part < 36, (part >= 36) & (part < 48), part >= 48, "drawn")


def test_every_arm_has_as_many_settings() -> None:
    assert set(ARMS) == {*GIVEN, *CONTROLS, *LEARNERS}
    assert {len(settings_of(arm)) for arm in ARMS.values()} == {4}


@pytest.mark.parametrize("name", ["MLP on base", "kNN of base", "top-k", "fourth channel"])
def test_an_arm_is_measured_on_one_split(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arms, "TRAINING", {**arms.TRAINING, "epochs": 40})
    data, split = two_classes()
    arm = {**ARMS[name], "grid": {"dropout": [0.2]}}
    if arm.get("graph"):
        arm["fixed"] = {
            "pretraining": 30,
            "training": ARMS[name]["fixed"].get("training", "end-to-end"),
            "k1": 5,
            "k2": 3,
        }
    scores = measure_arm(arm, data, split, 0).scores
    assert scores["test"] > 0.6
    assert ("homophily_test" in scores) == (arm.get("graph") == "learned")
    if "homophily_test" in scores:
        assert scores["homophily_test_given"] == 0.0
        assert scores["homophily_test"] > 0.5
    assert ("channel_test" in scores) == (name == "fourth channel")


def test_validation_nodes_choose_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arms, "TRAINING", {**arms.TRAINING, "epochs": 5})
    data, split = two_classes()
    arm = {"model": "mlp", "lr": 0.1, "grid": {"dropout": [0.99, 0.0]}}
    found = measure_arm(arm, data, split, 0).scores
    runs = fit("mlp", data, split, settings_of(arm), seeds=0, on_progress=None, device="cpu", **arms.TRAINING)
    best = max(runs, key=lambda run: (run.scores["val_score"], -run.scores["val_loss"]))
    assert runs.index(best) == found["setting"]
    assert (best.scores["val_score"], best.scores["test_score"]) == (found["val"], found["test"])


@pytest.mark.parametrize("sparse", [False, True])
def test_the_base_follows_the_scaled_features(sparse: bool) -> None:
    data, split = two_classes(sparse)
    if sparse:
        data.x = data.x.to_sparse_csr()
    found = arms.with_base(data, split, 0)
    x = found.x.to_dense()
    assert x.shape == (60, 40 + 32)
    assert found.x.layout == data.x.layout
    torch.testing.assert_close(x[:, 40:].mean(0), torch.zeros(32), rtol=0, atol=1e-5)
    torch.testing.assert_close(arms.with_base(data, split, 0).x.to_dense(), x)
    on_train = torch.linalg.lstsq(x[split.train, 40:], 2.0 * data.y[split.train].unsqueeze(1) - 1).solution
    assert bool(((x[split.train, 40:] @ on_train > 0).flatten() == (data.y[split.train] == 1)).all())


def test_shuffling_permutes_the_nodes_of_the_learned_graph() -> None:
    data, _ = two_classes()
    sizes = {"in_channels": 40, "out_channels": 2, "num_nodes": 60}
    network = untrained("adjacency-gcn", {"k1": 5, "k2": 3, "mix": 0.0}, **sizes)  # type: ignore[arg-type]
    assert isinstance(network, AdjacencyNetwork)
    empty = torch.empty(2, 0, dtype=torch.long)
    plain = network.learned_graph(data.x, empty).to_dense()
    shuffled = Shuffling(3)(network).learned_graph(data.x, empty).to_dense()  # type: ignore[operator]
    order = torch.randperm(60, generator=torch.Generator().manual_seed(3))
    assert not torch.allclose(shuffled, plain)
    torch.testing.assert_close(shuffled, plain[order][:, order])
