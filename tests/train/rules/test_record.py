"""What an epoch leaves behind: signs, soundness, and writing for some replicas alone."""

from __future__ import annotations

import torch

from allpass.train.rules.record import Record, keep

RECORD = Record(
    train_loss=torch.tensor([0.5, torch.nan, 1.0, torch.inf]),
    train_score=torch.tensor([0.1, 0.2, 0.3, 0.4]),
    val_loss=torch.tensor([0.7, 0.8, torch.nan, 0.9]),
    val_score=torch.tensor([0.5, 0.6, 0.7, 0.8]),
)


def test_more_gain_is_better_for_losses_and_scores():
    assert torch.equal(RECORD.gain("val_loss")[:2], -RECORD.val_loss[:2].double())
    for name in ("train_score", "val_score"):
        assert torch.equal(RECORD.gain(name), getattr(RECORD, name).double())


def test_a_loss_that_is_not_finite_is_not_sound():
    assert RECORD.sound(validation=False).tolist() == [True, False, True, False]
    assert RECORD.sound(validation=True).tolist() == [True, False, False, False]


def test_only_the_chosen_replicas_are_written_and_in_place():
    for dtype in (torch.float64, torch.int64):
        kept = torch.zeros(3, dtype=dtype)
        place, chosen = kept.data_ptr(), torch.tensor([True, False, True])
        keep(kept, torch.tensor([1, 2, 3], dtype=dtype), chosen)
        assert kept.tolist() == [1, 0, 3]
        keep(kept, torch.tensor(7, dtype=dtype), ~chosen)
        assert kept.tolist() == [1, 7, 3]
        assert kept.data_ptr() == place
