"""ComplEx: a relation multiplies each complex number of a vector."""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.kge.models.base import normal
from allpass.kge.models.blocks import BlockModel
from allpass.kge.models.compare import Product


class ComplEx(BlockModel, Product):
    """Relations as complex numbers (Trouillon et al., 2016).

        score(h, r, t) = Re <h o r, conj(t)>

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector, two for each complex number.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.
    """

    parts = 2

    def draw(self, generator: torch.Generator) -> None:
        for table in (self.entities, self.relations):
            normal(table, self.dim**-0.25, generator)

    def blocks(self, rows: Tensor) -> Tensor:
        real, imaginary = rows.chunk(2, dim=1)
        return torch.stack([torch.stack([real, imaginary], 1), torch.stack([-imaginary, real], 1)], 1)
