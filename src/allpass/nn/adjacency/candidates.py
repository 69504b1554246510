"""Step 2 of an adjacency learner: which nodes of the complement may become neighbours. One interface, never N x N."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from allpass.errors import UnknownNameError, did_you_mean
from allpass.nn.adjacency.bandit import Bandit
from allpass.nn.adjacency.drawing import first_different, random_nodes, similarities
from allpass.nn.adjacency.search import most_similar
from allpass.nn.adjacency.selection import Candidates, Selection


class TopK:
    """The k1 most similar nodes of the complement."""

    needs_rewards = False
    repeats = True

    def select(self, state: Selection) -> Tensor:
        return most_similar(state.z, state.given, state.k1, state.search)


class Sampled:
    """Nodes of the complement at random; the most similar of the last ones stay.

    Args:
        stay: The share of the candidates that stays.
    """

    needs_rewards = False
    repeats = False

    def __init__(self, stay: float = 0.5) -> None:
        self.stay = stay

    def select(self, state: Selection) -> Tensor:
        drawn = random_nodes(state.given, state.k1, state.generator)
        if state.before is None:
            return drawn
        best = similarities(state.z, state.before).topk(round(self.stay * state.k1), dim=1).indices
        return first_different(torch.cat([state.before.gather(1, best), drawn], dim=1), state.k1)


CANDIDATES: Mapping[str, Callable[[], Candidates]] = {"top-k": TopK, "sampled": Sampled, "bandit": Bandit}
"""Ways of choosing candidates by name."""


def build_candidates(candidates: str | Callable[[], Candidates]) -> Candidates:
    """A new way of choosing, by name or by a function of yours that makes one."""
    if callable(candidates):
        return candidates()
    if candidates not in CANDIDATES:
        raise UnknownNameError(
            f"There is no way of choosing candidates {candidates!r}.",
            did_you_mean(str(candidates), CANDIDATES),
        )
    return CANDIDATES[candidates]()
