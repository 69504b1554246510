"""Rounds of growing, with a learner that notes what it was asked."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from allpass.data.splits import Split
from allpass.train.few_labels.expansion import Labels
from allpass.train.few_labels.stages import in_stages


class Noting:
    """Gives the number of its training in place of one, and that number at node 0 as its answer."""

    def __init__(self) -> None:
        self.told = list[list[list[int]]]()

    def fit(self, known: list[Labels]) -> list[int]:
        self.told.append([labels.target.tolist() for labels in known])
        return [len(self.told)] * len(known)

    def predict(self, run: int) -> torch.Tensor:
        return torch.full((4, 2), float(run))


def first_free(answers: torch.Tensor, labels: Labels) -> torch.Tensor:
    """The first node without a label, as of class 0 in the first round and of class 1 later."""
    choice = torch.zeros(4, 2, dtype=torch.bool)
    choice[int(labels.target.lt(0).nonzero()[0]), 0 if answers[0, 0] == 1 else 1] = True
    return choice


@pytest.mark.parametrize("stages", [0, 1, 2])
def test_every_round_trains_on_what_the_rounds_before_added(stages: int) -> None:
    masks = [torch.tensor([True, False, False, False]), torch.tensor([False, True, False, False])]
    known = [Labels.of(Split(mask, mask, mask, "by hand"), torch.tensor([0, 1, 0, 1])) for mask in masks]
    learner: Any = Noting()
    runs = in_stages(learner, known, first_free, stages)
    rounds = [
        [[0, -1, -1, -1], [-1, 1, -1, -1]],
        [[0, 0, -1, -1], [0, 1, -1, -1]],
        [[0, 0, 1, -1], [0, 1, 1, -1]],
    ]
    assert learner.told == rounds[: stages + 1]
    assert runs == [stages + 1] * 2
