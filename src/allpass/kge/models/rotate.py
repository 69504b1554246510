"""RotatE: a relation turns each complex number of a vector."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from allpass.kge.models.base import uniform
from allpass.kge.models.blocks import BlockModel
from allpass.kge.models.compare import Distance


class RotatE(BlockModel, Distance):
    r"""Relations as rotations in the complex plane (Sun et al., 2019).

        score(h, r, t) = -||h o e^{i theta_r} - t||

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector, two for each complex number.
        norm: 2 is the Euclidean norm of the whole vector, as in PyKEEN; 1 adds up the moduli of the complex numbers, as
            the authors' code does.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.

    Example:
        >>> import torch
        >>> model = RotatE(5, 2, dim=8)
        >>> model.score_h(torch.tensor([[1, 0]])).shape
        torch.Size([1, 5])
    """

    parts = 2

    def relation_size(self) -> int:
        return self.dim // 2

    def draw(self, generator: torch.Generator) -> None:
        uniform(self.entities, math.sqrt(6 / (self.num_entities + self.dim)), generator)
        uniform(self.relations, math.pi, generator)

    def blocks(self, rows: Tensor) -> Tensor:
        cos, sin = rows.cos(), rows.sin()
        return torch.stack([torch.stack([cos, sin], 1), torch.stack([-sin, cos], 1)], 1)

    def compare(self, queries: Tensor, candidates: Tensor) -> Tensor:
        if self.norm == 2:
            return super().compare(queries, candidates)
        return -_moduli(queries.unsqueeze(-2) - candidates.unsqueeze(-3))

    def match(self, queries: Tensor, entities: Tensor) -> Tensor:
        if self.norm == 2:
            return super().match(queries, entities)
        return -_moduli(queries - entities)


def _moduli(numbers: Tensor) -> Tensor:
    """The sum of the moduli of complex numbers, real parts first."""
    real, imaginary = numbers.chunk(2, dim=-1)
    least = torch.finfo(numbers.dtype).tiny
    return (real.square() + imaginary.square()).clamp_min(least).sqrt().sum(-1)
