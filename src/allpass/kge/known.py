"""Which triplets are known to be true: quick questions about many of them at once."""

from __future__ import annotations

import torch
from torch import Tensor


class Known:
    """The true tails of pairs (head, relation), sorted so that questions are binary searches.

    Args:
        triplets: What is known, ``[T, 3]``.
        num_entities: Number of entities.
        num_relations: Number of relations.
    """

    def __init__(self, triplets: Tensor, num_entities: int, num_relations: int) -> None:
        self.num_entities, self.num_relations = num_entities, num_relations
        self._keys = torch.unique(self._pairs(triplets[:, 0], triplets[:, 1]) * num_entities + triplets[:, 2])

    @classmethod
    def heads(cls, triplets: Tensor, num_entities: int, num_relations: int) -> Known:
        """The true heads of pairs (tail, relation)."""
        return cls(triplets[:, [2, 1, 0]], num_entities, num_relations)

    def holds(self, given: Tensor, relations: Tensor, candidates: Tensor) -> Tensor:
        """Whether each of N candidates is true for each of M pairs, ``[M, N]``."""
        if not len(self._keys):
            return torch.zeros(len(given), len(candidates), dtype=torch.bool)
        keys = self._pairs(given, relations).unsqueeze(1) * self.num_entities + candidates
        places = torch.searchsorted(self._keys, keys).clamp_max_(len(self._keys) - 1)
        return self._keys[places] == keys

    def true(self, given: Tensor, relations: Tensor) -> tuple[Tensor, Tensor]:
        """All true entities of M pairs, as places in a matrix ``[M, E]``: row and column of each."""
        start = self._pairs(given, relations) * self.num_entities
        first, last = (torch.searchsorted(self._keys, bound) for bound in (start, start + self.num_entities))
        counts = last - first
        rows = torch.repeat_interleave(torch.arange(len(given)), counts)
        steps = torch.arange(len(rows)) - torch.repeat_interleave(counts.cumsum(0) - counts, counts)
        return rows, self._keys[first[rows] + steps] - start[rows]

    def _pairs(self, given: Tensor, relations: Tensor) -> Tensor:
        return given * self.num_relations + relations
