"""QuatE: a relation turns each quaternion of a vector."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.kge.models.base import normal
from allpass.kge.models.blocks import BlockModel
from allpass.kge.models.compare import Product

# h (x) r = h M(r): entry (i, j) of M is SIGN[i][j] times part PART[i][j] of r, by Hamilton's rules.
_PART = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
_SIGN = ((1, 1, 1, 1), (-1, 1, -1, 1), (-1, 1, 1, -1), (-1, -1, 1, 1))


class QuatE(BlockModel, Product):
    """Relations as unit quaternions (Zhang et al., 2019).

        score(h, r, t) = <h (x) r / |r|, t>,   (x) is Hamilton's product

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector, four for each quaternion.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.

    Example:
        >>> import torch
        >>> model = QuatE(5, 2, dim=8)
        >>> model.score_hrt(torch.tensor([[0, 1, 2]])).shape
        torch.Size([1])
    """

    parts = 4

    def draw(self, generator: torch.Generator) -> None:
        for table in (self.entities, self.relations):
            normal(table, self.dim**-0.25, generator)

    def blocks(self, rows: Tensor) -> Tensor:
        unit = F.normalize(rows.view(len(rows), 4, -1), dim=1)
        part = torch.tensor(_PART, device=rows.device)
        sign = torch.tensor(_SIGN, device=rows.device, dtype=rows.dtype)
        return unit[:, part] * sign[:, :, None]
