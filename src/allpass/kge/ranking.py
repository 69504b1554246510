"""How well triplets that were not trained on are ranked: filtered, from both sides, with realistic ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.kge.known import Known
from allpass.kge.models.base import TripletModel

CELLS = 2**22
"""Scores that are computed at a time."""


@dataclass(frozen=True)
class Ranking:
    """Ranks of the true entities among all that could stand in their place.

    Args:
        head: Ranks of the true heads, ``[T]``.
        tail: Ranks of the true tails, ``[T]``.
    """

    head: Tensor
    tail: Tensor

    def ranks(self, side: str = "both") -> Tensor:
        """The ranks of a side: ``"head"``, ``"tail"`` or ``"both"``."""
        return torch.cat([self.head, self.tail]) if side == "both" else getattr(self, side)

    def mrr(self, side: str = "both") -> float:
        """Mean reciprocal rank."""
        return float((1 / self.ranks(side)).mean())

    def hits(self, k: int, side: str = "both") -> float:
        """The share of ranks up to k."""
        return float((self.ranks(side) <= k).double().mean())

    def mean_rank(self, side: str = "both") -> float:
        """The mean of the ranks."""
        return float(self.ranks(side).mean())

    def to_dict(self) -> dict[str, Any]:
        """All metrics by name."""
        return {
            "triplets": len(self.tail),
            "mrr": self.mrr(),
            **{f"hits@{k}": self.hits(k) for k in (1, 3, 10)},
            "mean_rank": self.mean_rank(),
            "mrr_head": self.mrr("head"),
            "mrr_tail": self.mrr("tail"),
        }


@torch.no_grad()
def rank(
    model: TripletModel, triplets: Tensor, known: Sequence[Tensor] = (), *, cells: int = CELLS
) -> Ranking:
    """The filtered ranks of triplets.

    Other entities that make a known triplet are left out. Entities of the same score share the mean of their ranks,
    1 + (number above) + (number of others equal) / 2: a model that gives all the same score gets the middle, not 1.

    Args:
        model: Scores triplets.
        triplets: Whose heads and tails are ranked, ``[T, 3]``.
        known: Triplets that count as true besides these, such as those of training and validation.
        cells: Scores that are computed at a time.
    """
    true = torch.cat([triplets, *known])
    was_training = model.training
    model.eval()
    sizes = model.num_entities, model.num_relations
    heads, relations, tails = triplets.unbind(1)
    tail = _ranks(
        lambda rows: model.score_t(triplets[rows, :2]), heads, relations, tails, Known(true, *sizes), cells
    )
    head = _ranks(
        lambda rows: model.score_h(triplets[rows, 1:]),
        tails,
        relations,
        heads,
        Known.heads(true, *sizes),
        cells,
    )
    model.train(was_training)
    return Ranking(head, tail)


def _ranks(score: Any, given: Tensor, relations: Tensor, right: Tensor, known: Known, cells: int) -> Tensor:
    ranks = []
    for rows in torch.arange(len(given)).split(max(1, cells // known.num_entities)):
        scores = score(rows)
        if not bool(torch.isfinite(scores).all()):
            raise InputError("The model gives scores that are NaN or infinite.", "Lower the learning rate.")
        mine = scores.gather(1, right[rows].unsqueeze(1))
        scores[known.true(given[rows], relations[rows])] = -torch.inf  # also the right one
        above = (scores > mine).sum(1)
        equal = (scores == mine).sum(1)
        ranks.append(1 + above + equal / 2)
    return torch.cat(ranks).double() if ranks else torch.zeros(0, dtype=torch.float64)
