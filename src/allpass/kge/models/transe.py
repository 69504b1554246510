"""TransE: a relation is a translation."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.kge.models.base import uniform
from allpass.kge.models.compare import Distance


class TransE(Distance):
    """Relations as translations (Bordes et al., 2013).

        score(h, r, t) = -||h + r - t||_p

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector.
        norm: p, 1 or 2.
        unit: Scale vectors of entities to length 1 after every step, as the paper does.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.

    Example:
        >>> import torch
        >>> model = TransE(5, 2, dim=8)
        >>> model.score_t(torch.tensor([[0, 1]])).shape
        torch.Size([1, 5])
    """

    def __init__(
        self,
        num_entities: int,
        num_relations: int,
        dim: int = 64,
        *,
        norm: int = 1,
        unit: bool = False,
        inverse: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(num_entities, num_relations, dim, norm=norm, inverse=inverse, seed=seed)
        self.unit = self.constrained = unit

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "unit": self.unit}

    def draw(self, generator: torch.Generator) -> None:
        for table in (self.entities, self.relations):
            uniform(table, 6 / math.sqrt(self.dim), generator)
            table.copy_(F.normalize(table, dim=1))

    def act(self, rows: Tensor) -> Tensor:
        return rows

    def to_tail(self, heads: Tensor, acting: Tensor) -> Tensor:
        return heads + acting

    def to_head(self, tails: Tensor, acting: Tensor) -> Tensor:
        return tails - acting

    def constrain(self, rows: Tensor) -> Tensor:
        return F.normalize(rows, dim=1) if self.constrained else rows
