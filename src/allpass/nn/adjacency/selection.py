"""What candidates are chosen from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from allpass.graph.operator import Operator
from allpass.nn.adjacency.search import Search


@dataclass(frozen=True, eq=False)
class Selection:
    """What candidates are chosen from.

    Args:
        z: Positions of the nodes ``[N, W]``, whose inner product is the similarity.
        given: The given graph without self-loops; its edges are candidates anyway.
        k1: How many candidates of the complement each node gets.
        number: How many times candidates were chosen before in this training.
        seed: Decides random choices.
        search: How similar nodes are found.
        before: The candidates chosen last, ``[N, k1]``, -1 for none.
        rewards: By how much each of these lowered the loss on held-out training nodes, ``[N, k1]``.
    """

    z: Tensor
    given: Operator
    k1: int
    number: int = 0
    seed: int = 0
    search: Search = "auto"
    before: Tensor | None = None
    rewards: Tensor | None = None

    @property
    def generator(self) -> torch.Generator:
        """Random numbers of this choice."""
        return torch.Generator().manual_seed((self.seed + 7919 * self.number) % 2**63)


class Candidates(Protocol):
    """A way of choosing candidates. One object serves one training: it may remember.

    ``needs_rewards``: it learns from rewards. ``repeats``: the same positions give the same candidates.
    """

    needs_rewards: bool
    repeats: bool

    def select(self, state: Selection) -> Tensor:
        """Candidates ``[N, k1]`` of the complement, each once in a row, -1 for none."""
        ...
