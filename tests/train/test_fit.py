"""Many trainings in one call: each is what it would be alone, and what a plain loop gives."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F
from torch_geometric.data import Data

from allpass.data import splits
from allpass.errors import InputError, UnknownNameError
from allpass.models import create
from allpass.testing import learnable_graph
from allpass.train.fit import Replica, fit
from allpass.train.rules.stopping import stopping

SETTINGS = [
    {"lr": 0.05, "weight_decay": 5e-3, "dropout": 0.5},
    {"lr": 0.01, "weight_decay": 5e-4, "dropout": 0.2},
    {"lr": 0.02, "weight_decay": 0.0, "dropout": 0.0},
]


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


def same(a: Replica, b: Replica, tolerance: float = 1e-9) -> None:
    assert a.epoch == b.epoch
    assert a.epochs == b.epochs
    assert a.scores == pytest.approx(b.scores, abs=tolerance, nan_ok=True)
    for name, weight in a.weights.items():
        torch.testing.assert_close(weight, b.weights[name], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("model", ["gcn", "linkx"])
def test_a_run_among_many_is_the_run_alone(data: Data, model: str) -> None:
    parts = splits(data, "random", count=3)
    options = {"stop": stopping("patience-loss", patience=5, max_epochs=15), "dtype": torch.float64}
    many = fit(model, data, parts, SETTINGS, seeds=[0, 1], **options)
    assert len(many) == 3 * 3 * 2
    for number in (0, 7, 17):
        run = many[number]
        (alone,) = fit(model, data, run.split, run.settings, seeds=run.seed, **options)
        same(run, alone)


def by_hand(data: Data, split, setting: dict, epochs: int, seed: int) -> list[float]:
    """The published protocol with torch's own optimiser: the validation loss after every update."""
    torch.manual_seed(seed)
    model = create("acm-gcn", in_channels=8, out_channels=3, dropout=setting["dropout"]).double()
    optimizer = torch.optim.Adam(model.parameters(), lr=setting["lr"], weight_decay=setting["weight_decay"])
    losses, x = [], data.x.double()
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(x, data.edge_index)[split.train], data.y[split.train]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            losses.append(float(F.cross_entropy(model(x, data.edge_index)[split.val], data.y[split.val])))
    return losses


def test_without_dropout_it_is_the_published_loop(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    losses = by_hand(data, split, SETTINGS[2], 25, seed=3)
    for epochs in (1, 2, 25):
        options = {"stop": "fixed", "epochs": epochs, "select": "final", "dtype": torch.float64}
        (run,) = fit("acm-gcn", data, split, SETTINGS[2], seeds=3, scaling="none", **options)
        assert run.scores["val_loss"] == pytest.approx(losses[epochs - 1], abs=1e-9)
        assert run.epochs == epochs
        assert run.epoch == epochs - 1
    best = min(range(25), key=losses.__getitem__)
    del options["select"]
    (run,) = fit("acm-gcn", data, split, SETTINGS[2], seeds=3, scaling="none", **options)
    assert run.epoch == best
    assert run.scores["val_loss"] == pytest.approx(losses[best], abs=1e-9)


def test_the_weights_are_those_of_the_reported_epoch(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    for setting in SETTINGS:
        (run,) = fit("gcn", data, split, setting, stop=stopping("fixed", max_epochs=15), dtype=torch.float64)
        model = create("gcn", in_channels=8, out_channels=3).double().eval()
        model.load_state_dict({name: run.weights[name] for name in model.state_dict()})
        with torch.no_grad():
            out = model(data.x.double(), data.edge_index)
        hits = (out.argmax(1) == data.y)[split.test].double().mean()
        assert float(hits) == pytest.approx(run.scores["test_score"])


def test_shapes_that_differ_form_groups_and_keep_their_order(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    chosen = [{"hidden_channels": 4}, {"hidden_channels": 8}, {"hidden_channels": 4, "lr": 0.5}]
    runs = fit("gcn", data, split, chosen, stop=stopping("fixed", max_epochs=2))
    assert [run.weights["layers.0.weight"].shape[1] for run in runs] == [4, 8, 4]
    assert [run.settings["lr"] for run in runs] == [0.01, 0.01, 0.5]


def test_it_learns_and_it_regresses(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    (run,) = fit("gcn", data, split, {"lr": 0.05}, stop=stopping("patience-loss", max_epochs=150))
    assert run.scores["test_score"] > 0.9
    numbers = Data(x=data.x, edge_index=data.edge_index, y=data.x[:, 0] * 2 - 1, num_nodes=data.num_nodes)
    (run,) = fit(
        "mlp-2",
        numbers,
        split,
        {"lr": 0.05, "dropout": 0.0},
        task="regression",
        stop=stopping("fixed", max_epochs=150),
    )
    assert run.scores["test_score"] > 0.9


def test_a_run_that_diverges_says_so_and_harms_no_other(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    options = {"stop": stopping("fixed", max_epochs=20), "dtype": torch.float64}
    wild = {"lr": 1e300, "dropout": 0.0}
    good, bad = fit("gcn", data, split, [SETTINGS[2], wild], **options)
    assert bad.diverged
    assert not good.diverged
    same(good, fit("gcn", data, split, SETTINGS[2], **options)[0])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"stop": 5}, "Got stop = 5. Expected the name of a rule"),
        ({"dtype": "float32"}, "Got dtype = 'float32'. Expected torch.float32"),
        ({"tf32": "no"}, "Got tf32 = 'no'"),
        ({"sample_weight": [1, 2]}, "Got a list as sample_weight"),
        ({"class_weight": [1, 2]}, r"Got class_weight=\[1, 2\]"),
        ({"dtype": torch.float64, "tf32": True}, "Got tf32 = True with torch.float64. TF32 is a way"),
        ({"device": "mps"}, "no device 'mps'. Expected 'auto', 'cpu'"),
        ({"device": "nowhere"}, "no device 'nowhere'"),
        ({"targets": [torch.zeros(3)]}, "target of 3 numbers for"),
    ],
)
def test_options_of_another_kind_are_told(data: Data, given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        fit("gcn", data, splits(data, "random", count=1), **given)


def test_nothing_to_do_is_nothing_done(data: Data) -> None:
    assert fit("gcn", data, [], [{}]) == []


def test_wrong_input(data: Data) -> None:
    (split,) = splits(data, "random", count=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'sgc' or 'gcn'"):
        fit("gnc", data, split)
    with pytest.raises(UnknownNameError, match="There is no setting '3'"):
        fit("gcn", data, split, {3: 4})
    with pytest.raises(UnknownNameError, match="Did you mean 'dropout'"):
        fit("gcn", data, split, {"dropuot": 0.5})
    with pytest.raises(InputError, match="no features"):
        fit("gcn", Data(edge_index=data.edge_index, y=data.y, num_nodes=data.num_nodes), split)
