"""The state of a batch: what is kept at the best epoch, and what a subset of replicas takes along."""

from __future__ import annotations

import math

import pytest
import torch
from tests.train.batches import batch_of

from allpass.train.engine.batch import MEASURED
from allpass.train.rules.stopping import stopping


def test_what_is_reported_was_measured_at_the_best_epoch() -> None:
    batch = batch_of(3, stopping("fixed", max_epochs=12), dropout=0.5)
    curves, rows = [], []
    for _ in range(12):
        batch.step()
        measured = batch.measure(batch.gradients.outputs(batch.rows, batch.buffers, batch.masks[0]))
        curves.append(dict(zip(MEASURED, measured, strict=True)))
        rows.append(batch.rows.clone())
    for number in range(3):
        losses = [float(curve["val_loss"][number]) for curve in curves]
        best = losses.index(min(losses))
        (outcome,) = batch.outcomes([number])
        assert outcome.epoch == best
        assert outcome.scores == pytest.approx({name: float(curves[best][name][number]) for name in MEASURED})
        assert torch.equal(batch.best[number], rows[best][number])
        assert outcome.epochs == 12
        assert not outcome.diverged


def test_nothing_is_reported_before_the_first_epoch() -> None:
    (outcome,) = batch_of(1, stopping("fixed", max_epochs=3)).outcomes([0])
    assert outcome.epoch is None
    assert all(math.isnan(value) for value in outcome.scores.values())


def test_a_part_of_a_batch_goes_on_by_itself() -> None:
    whole = batch_of(4, stopping("fixed", max_epochs=9), dropout=0.3, together=True)
    for _ in range(4):
        whole.step()
    part = whole.select(torch.tensor([3, 1]))
    for _ in range(5):
        part.step()
    assert (int(part.epoch), int(whole.epoch)) == (9, 4)  # each has its own clock
    again = batch_of(4, stopping("fixed", max_epochs=9), dropout=0.3, together=True)
    for _ in range(9):
        again.step()
    torch.testing.assert_close(part.rows, again.rows[[3, 1]], rtol=1e-9, atol=1e-9)
    assert part.outcomes([0])[0].scores == pytest.approx(again.outcomes([3])[0].scores)


@pytest.mark.parametrize(("dropout", "deterministic"), [(0.0, True), (0.5, False)])
def test_dropout_makes_a_training_forward_no_evaluation(dropout: float, deterministic: bool) -> None:
    assert batch_of(1, stopping("fixed"), dropout=dropout).deterministic is deterministic


def test_a_group_of_parameters_has_its_own_decay() -> None:
    batch = batch_of(2, stopping("fixed", max_epochs=3), model="gcnii")
    assert [rates.columns for rates in batch.rates] == [columns for _, columns in batch.layout.groups]
    rates = {"lr": torch.ones(2), "weight_decay": torch.zeros(2), "weight_decay:conv": torch.full((2,), 0.5)}
    assert [float(part.decay[0]) for part in batch._by_group(rates)] == [0.0, 0.5]
