"""The engine against a transcription of the published layer and loop: the same curves, the same end, the same score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.published import WINDOW, PublishedACM, PublishedRun, stored_pair, train_published
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from allpass.data import Split, load, splits
from allpass.testing import learnable_graph
from allpass.train import fit
from allpass.train.network import untrained

HIDDEN = 8
SEED = 2
SETTING = {"lr": 0.05, "weight_decay": 1e-3, "dropout": 0.0, "hidden_channels": HIDDEN}
VARIANTS = ["acm", "acmii"]
OF_AUTHORS = {"acm": {}, "acmii": {"outer_activation": True}}
AS_PUBLISHED = {"scaling": "none", "dtype": torch.float64}


@pytest.fixture(scope="module")
def random() -> Data:
    x, A, y, _ = learnable_graph()
    loops = torch.tensor([[0, 3], [0, 3]])
    edge_index = to_undirected(torch.cat([A.edge_index, loops], dim=1))
    y = y.clone()
    y[::4] = y[::4].roll(1)  # not to be learnt: an accuracy of 1 would say little
    return Data(x=x.double(), edge_index=edge_index, y=y, num_nodes=len(y))


@pytest.fixture(scope="module")
def texas(data_dir: Path) -> Data:
    data = load("texas", data_dir=data_dir)
    x = data.x[:, ::4].double()  # a quarter of the words takes a quarter of the time
    x = x / x.sum(dim=1, keepdim=True).clamp(min=1)
    return Data(x=x, edge_index=to_undirected(data.edge_index), y=data.y, num_nodes=data.num_nodes)


@pytest.fixture(params=["random", "texas"])
def data(request: pytest.FixtureRequest) -> Data:
    return request.getfixturevalue(request.param)


def transcription(data: Data, split: Split, variant: str, max_epochs: int = 5000) -> PublishedRun:
    """A run of the transcription from the weights that ours begins with."""
    widths = {"in_channels": data.x.shape[1], "out_channels": int(data.y.max()) + 1}
    ours = untrained(
        f"{variant}-gcn",
        SETTING | OF_AUTHORS[variant],
        **widths,
        num_nodes=data.num_nodes,
        seed=SEED,
        dtype=torch.float64,
    )
    model = PublishedACM(**widths, hidden_channels=HIDDEN, dropout=0.0, variant=variant).double()
    model.begin_as(ours.state_dict())
    rates = {name: SETTING[name] for name in ("lr", "weight_decay")}
    return train_published(model, data.x, *stored_pair(data), data.y, split, **rates, max_epochs=max_epochs)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_engine_is_the_published_loop(data: Data, variant: str) -> None:
    split = splits(data, "random", count=2)[1]
    setting = SETTING | OF_AUTHORS[variant]
    (run,) = fit(f"{variant}-gcn", data, split, setting, seeds=SEED, **AS_PUBLISHED, curves=True)
    published = transcription(data, split, variant)
    assert run.epochs == published.epochs > WINDOW
    assert run.scores["test_score"] == pytest.approx(published.test_accuracy, abs=1e-12)
    assert run.scores["val_loss"] == pytest.approx(published.val_loss, abs=1e-6)
    assert run.epoch == np.argmin(published.losses)
    np.testing.assert_allclose(run.curves["val_loss"], published.losses, rtol=0, atol=1e-6)
    # Without dropout the loss before an update is the one after the update before it.
    np.testing.assert_allclose(run.curves["train_loss"][:-1], published.train_losses[1:], rtol=0, atol=1e-6)


def test_it_ends_where_the_loss_exceeds_its_recent_mean(random: Data) -> None:
    split = splits(random, "random", count=2)[1]
    run = transcription(random, split, "acmii")
    above = [
        epoch
        for epoch in range(WINDOW + 1, run.epochs)
        if run.losses[epoch] > np.mean(run.losses[epoch - WINDOW : epoch])
    ]
    assert above == [run.epochs - 1]
    assert run.val_loss == min(run.losses)
    short = transcription(random, split, "acmii", max_epochs=7)
    assert short.epochs == len(short.losses) == len(short.train_losses) == 7
    assert short.losses == run.losses[:7]


def test_the_stored_matrices_are_an_average_and_the_rest() -> None:
    # A directed edge, one given twice, and a self-loop, which counts beside that of I.
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 2, 2, 2]])
    low, high = stored_pair(
        Data(x=torch.zeros(3, 1, dtype=torch.float64), edge_index=edge_index, num_nodes=3)
    )
    expected = torch.tensor(
        [[1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3], [0, 1 / 3, 2 / 3]], dtype=torch.float64
    )
    torch.testing.assert_close(low.to_dense(), expected)
    torch.testing.assert_close(high.to_dense(), torch.eye(3, dtype=torch.float64) - expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_begin_with_weights_of_the_same_distribution(variant: str) -> None:
    ours = untrained(
        f"{variant}-gcn", {"hidden_channels": 64}, in_channels=500, out_channels=7, num_nodes=3
    ).state_dict()
    first, second = PublishedACM(500, 64, 7, variant=variant), PublishedACM(500, 64, 7, variant=variant)
    second.begin_as(ours)
    for name, one in first.state_dict().items():
        bound = one.shape[1] ** -0.5
        for drawn in (one, second.state_dict()[name]):
            assert float(drawn.abs().max()) <= bound, name
            if drawn.numel() > 60:  # uniform, and up to the bound
                assert float(drawn.abs().max()) > 0.9 * bound, name
                assert float(drawn.std()) == pytest.approx(bound / 3**0.5, rel=0.25), name
