"""The loop: replicas end one by one, batches shrink on the way, and a GPU gives the numbers of a CPU."""

from __future__ import annotations

import pytest
import torch
from tests.train.batches import batch_of
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train import fit, stopping
from allpass.train.engine.batch import Batch, Outcome
from allpass.train.engine.loop import train


def all_of(batch: Batch) -> dict[int, Outcome]:
    return {number: outcome for ended in train(batch) for number, outcome in ended.items()}


SETTINGS = [{"lr": lr, "dropout": p} for lr in (0.2, 0.02) for p in (0.0, 0.5)]


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


@pytest.mark.parametrize("together", [True, False])
def test_every_replica_comes_back_once_with_its_own_number(together: bool) -> None:
    batch = batch_of(5, stopping("patience-loss", patience=2, max_epochs=60), together=together)
    found = all_of(batch)
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert len({outcome.epochs for outcome in found.values()}) > 1  # they do not all end together


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_shrinking_a_batch_changes_no_replica(dropout: float) -> None:
    rule = stopping("patience-loss", patience=2, max_epochs=60)
    shrunk = all_of(batch_of(5, rule, dropout=dropout, together=True))
    batch = batch_of(5, rule, dropout=dropout, together=True)
    if batch.deterministic:
        batch.first_update()
    for _ in range(60):
        (batch.lagging_step if batch.deterministic else batch.step)()
    for number, outcome in shrunk.items():
        (whole,) = batch.outcomes([number])
        assert (outcome.epoch, outcome.epochs) == (whole.epoch, whole.epochs)
        assert outcome.scores == pytest.approx(whole.scores, abs=1e-12)
        for name, weight in outcome.weights.items():
            torch.testing.assert_close(weight, whole.weights[name], rtol=1e-9, atol=1e-9)


def test_both_ways_of_computing_give_the_same() -> None:
    rule = stopping("fixed", max_epochs=8)
    one, other = (all_of(batch_of(3, rule, together=way)) for way in (True, False))
    for number in one:
        assert one[number].scores == pytest.approx(other[number].scores, abs=1e-9)


def test_a_look_sees_every_epoch_on_a_cpu_and_may_end_it_all() -> None:
    seen = []

    def on_progress(batch) -> None:
        seen.append(int(batch.epoch))
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(train(batch_of(2, stopping("fixed", max_epochs=9), dropout=0.5), on_progress))
    assert seen == [1, 2, 3, 4]


@pytest.mark.gpu
@pytest.mark.parametrize("model", ["acm-gcn", "gcn", "gat", "gcnii", "linkx"])
def test_a_gpu_gives_the_numbers_of_a_cpu(data: Data, model: str) -> None:
    parts = splits(data, "random", count=3)
    options = {"stop": stopping("patience-loss", patience=8, max_epochs=80), "dtype": torch.float64}
    here = fit(model, data, parts, SETTINGS, **options)
    there = fit(model, data, parts, SETTINGS, device="cuda", **options)
    for a, b in zip(here, there, strict=True):
        assert (a.epoch, a.epochs) == (b.epoch, b.epochs)
        assert a.scores == pytest.approx(b.scores, abs=1e-6)


def test_a_cpu_takes_no_notice_of_tf32(data: Data) -> None:
    parts, before = splits(data, "random", count=2), torch.get_float32_matmul_precision()
    here, there = (
        fit("gcn", data, parts, stop=stopping("fixed", max_epochs=5), tf32=tf32) for tf32 in (False, True)
    )
    assert [run.scores for run in here] == [run.scores for run in there]
    assert torch.get_float32_matmul_precision() == before


@pytest.mark.gpu
@pytest.mark.parametrize("outside", ["highest", "high"])
def test_a_gpu_rounds_to_tf32_where_it_may_and_nowhere_else(data: Data, outside: str) -> None:
    split, seen = splits(data, "random", count=1), []
    torch.set_float32_matmul_precision(outside)
    try:
        for tf32 in (False, True):
            options = {"stop": stopping("fixed", max_epochs=3), "device": "cuda", "tf32": tf32}
            (run,) = fit(
                "mlp-2", data, split, {"hidden_channels": 256}, on_progress=lambda _: None, **options
            )
            seen.append(run.scores["train_loss"])
            assert torch.get_float32_matmul_precision() == outside
    finally:
        torch.set_float32_matmul_precision("highest")
    (wanted,) = fit("mlp-2", data, split, {"hidden_channels": 256}, stop=stopping("fixed", max_epochs=3))
    exact, rounded = (abs(loss - wanted.scores["train_loss"]) for loss in seen)
    assert exact < 1e-5
    assert rounded > 10 * exact


@pytest.mark.gpu
def test_a_network_without_weights_on_a_gpu(data: Data) -> None:
    part = splits(data, "random", count=3)
    here, there = (
        fit("label-propagation", data, part, stop=stopping("fixed", max_epochs=1), device=device)
        for device in ("cpu", "cuda")
    )
    for a, b in zip(here, there, strict=True):
        assert a.scores == pytest.approx(b.scores, abs=1e-5)
