"""The two ways in which models compare a query with an entity: a product, or a distance."""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.kge.models.base import TripletModel


class Product(TripletModel):
    """Scores are inner products <q, e>; all of a batch are one matrix product."""

    def compare(self, queries: Tensor, candidates: Tensor) -> Tensor:
        return queries @ candidates.mT

    def match(self, queries: Tensor, entities: Tensor) -> Tensor:
        return (queries * entities).sum(-1)


class Distance(TripletModel):
    """Scores are negative distances -||q - e||_p.

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in the vector of an entity.
        norm: p, 1 or 2.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.
    """

    def __init__(
        self,
        num_entities: int,
        num_relations: int,
        dim: int = 64,
        *,
        norm: int = 2,
        inverse: bool = False,
        seed: int = 0,
    ) -> None:
        if isinstance(norm, bool) or norm not in (1, 2):
            raise InputError(f"Got norm={norm!r}.", "Expected 1 or 2.")
        self.norm = norm
        super().__init__(num_entities, num_relations, dim, inverse=inverse, seed=seed)

    @property
    def settings(self) -> dict[str, object]:
        return {"norm": self.norm}

    def compare(self, queries: Tensor, candidates: Tensor) -> Tensor:
        if self.norm == 1:
            return -torch.cdist(queries, candidates, p=1)
        return -_euclidean(queries, candidates)

    def match(self, queries: Tensor, entities: Tensor) -> Tensor:
        return -torch.linalg.vector_norm(queries - entities, ord=self.norm, dim=-1)


def _euclidean(queries: Tensor, candidates: Tensor) -> Tensor:
    """Distances as one matrix product, forward and backward: ||q - e||² = ||q||² + ||e||² - 2 <q, e>."""
    squares = queries.square().sum(-1, keepdim=True) + candidates.square().sum(-1).unsqueeze(-2)
    least = torch.finfo(queries.dtype).tiny  # a distance of 0 has gradient 0, not NaN
    return (squares - 2 * queries @ candidates.mT).clamp_min(least).sqrt()
