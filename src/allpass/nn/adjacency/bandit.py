r"""Candidates as a multi-armed bandit: every node learns which nodes of the complement are good neighbours.

The arms of node i are the nodes j of the complement. With :math:`n_{ij}` the times that j was chosen, :math:`R_{ij}`
the sum of its rewards, :math:`s_{ij}` the similarity and t the number of choices so far, i chooses the k1 arms of
largest

.. math::
    \frac{p \, s_{ij} + R_{ij}}{p + n_{ij}} + c \sqrt{\frac{\log (t + 1)}{n_{ij} + 1}} .

The first term is the mean reward of an arm, with the similarity as p rewards seen before. The second one (UCB) falls
with every choice of the arm, so the same nodes are not chosen again without cause. Counts and rewards are kept in a
limited number of slots a node (pseudo-counts): arms that share a slot share both. Up to that many nodes they are exact.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from allpass.nn.adjacency.drawing import first_different, random_nodes, similarities
from allpass.nn.adjacency.search import LARGE, exact, most_similar
from allpass.nn.adjacency.selection import Selection

_SPREAD = 2654435761  # Knuth's multiplier: neighbouring nodes go to far slots


class Bandit:
    """One bandit for each node, with upper confidence bounds.

    Args:
        explore: c, the weight of the confidence bound.
        prior: p, how many rewards the similarity counts for.
        slots: Slots of a node for counts and rewards.
    """

    needs_rewards = True
    repeats = False

    def __init__(self, explore: float = 0.1, prior: float = 1.0, slots: int = 256) -> None:
        self.explore, self.prior, self.slots = explore, prior, slots
        self.counts: Tensor | None = None
        self.rewards: Tensor | None = None

    def select(self, state: Selection) -> Tensor:
        N = len(state.z)
        if self.counts is None or self.rewards is None:
            self.counts = state.z.new_zeros(N, min(N, self.slots))
            self.rewards = torch.zeros_like(self.counts)
        if state.before is not None and state.rewards is not None:
            self._add(self.rewards, state.before, scaled(state.rewards))
        chosen = self._best(state)
        self._add(self.counts, chosen, torch.ones_like(state.z[:1, :1]).expand(chosen.shape))
        return chosen

    def slot(self, nodes: Tensor) -> Tensor:
        """The slot of each arm: itself where there are enough."""
        if self.counts is None or self.counts.shape[1] == len(self.counts):
            return nodes
        return (nodes * _SPREAD % 2**32) * self.slots // 2**32

    def bound(self, similarity: Tensor, rows: Tensor, nodes: Tensor, number: int) -> Tensor:
        """The upper confidence bound of arms.

        Args:
            similarity: Of the arms, ``[B, m]``.
            rows: Whose arms they are, ``[B]``.
            nodes: Which nodes they are, ``[B, m]``, or ``[m]`` for all rows.
            number: How many times candidates were chosen before.
        """
        assert self.counts is not None
        assert self.rewards is not None
        slots, n = self.slot(nodes), self.counts[rows]
        # Linear in the similarity: factors and shifts of the slots, which are fewer than the arms, come first.
        factor = self.prior / (self.prior + n)
        shift = self.rewards[rows] / (self.prior + n) + self.explore * (math.log(number + 2) / (n + 1)).sqrt()
        if slots.dim() == 1:
            return torch.addcmul(shift.index_select(1, slots), factor.index_select(1, slots), similarity)
        return torch.addcmul(shift.gather(1, slots), factor.gather(1, slots), similarity)

    def _best(self, state: Selection) -> Tensor:
        N, number = len(state.z), state.number
        everyone = torch.arange(N, device=state.z.device)
        if state.search == "exact" or (state.search == "auto" and N <= LARGE):
            return exact(
                state.z,
                state.given,
                state.k1,
                lambda nodes, scores: self.bound(scores, nodes, everyone, number),
            )
        pool = [
            most_similar(state.z, state.given, 3 * state.k1, state.search),
            random_nodes(state.given, state.k1, state.generator),
            *([] if state.before is None else [state.before]),
        ]
        arms = first_different(torch.cat(pool, dim=1), sum(part.shape[1] for part in pool))
        bounds = self.bound(similarities(state.z, arms), everyone, arms.clamp(min=0), number)
        best = bounds.masked_fill(arms < 0, -torch.inf).topk(state.k1, dim=1).indices
        return arms.gather(1, best)

    def _add(self, table: Tensor, nodes: Tensor, amounts: Tensor) -> None:
        """Add amounts ``[N, k]`` to the slots of nodes ``[N, k]``; -1 is no node."""
        real = nodes >= 0
        table.scatter_add_(1, self.slot(nodes.clamp(min=0)), torch.where(real, amounts, 0).to(table))


def scaled(rewards: Tensor) -> Tensor:
    """Rewards in units of their mean size, between -1 and 1: losses shrink while a network learns."""
    sizes = rewards.abs()
    some = sizes > 0
    mean = sizes.sum() / some.sum().clamp(min=1)
    return (rewards / mean.clamp(min=torch.finfo(rewards.dtype).tiny)).clamp(-1, 1)
