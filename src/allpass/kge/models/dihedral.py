"""DihEdral: a relation is made of symmetries of a regular polygon."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.data.arguments import whole_number
from allpass.errors import InputError
from allpass.kge.models.base import normal
from allpass.kge.models.blocks import BlockModel
from allpass.kge.models.compare import Product

ORDERS = (4, 6, 8)


class DihEdral(BlockModel, Product):
    """Relations as block-diagonal matrices of 2 x 2 blocks in the dihedral group D_K (Xu and Li, 2019).

        score(h, r, t) = h^T R t
        rotations O_m = [[cos, -sin], [sin, cos]], reflections F_m = [[cos, sin], [sin, -cos]], angle 2 pi m / K

    Each block is one of the 2K elements. Training draws it by the Gumbel-softmax of its 2K logits at temperature
    max(0.5, 3 exp(-epoch / 1000)): the drawn element acts, and gradients are those of the soft weights
    (straight-through). Otherwise the element with the largest logit acts, without noise.

    Args:
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector, two for each block.
        K: Corners of the polygon: 4, 6 or 8.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors and of the noise.

    Example:
        >>> model = DihEdral(5, 2, dim=8, K=6)
        >>> model.elements().shape
        torch.Size([2, 4])
    """

    parts = 2
    table: Tensor

    def __init__(
        self,
        num_entities: int,
        num_relations: int,
        dim: int = 64,
        *,
        K: int = 4,
        inverse: bool = False,
        seed: int = 0,
    ) -> None:
        self.K = whole_number("K", K, least=4, most=8)
        if K not in ORDERS:
            raise InputError(f"Got K={K!r}.", f"Expected one of the whole numbers {ORDERS}.")
        self.temperature = 3.0
        self.noise = torch.Generator().manual_seed(seed)
        super().__init__(num_entities, num_relations, dim, inverse=inverse, seed=seed)
        self.register_buffer("table", dihedral_group(K).to(self.entities.dtype), persistent=False)

    @property
    def settings(self) -> dict[str, Any]:
        return {"K": self.K}

    def relation_size(self) -> int:
        return self.dim // 2 * 2 * self.K

    def draw(self, generator: torch.Generator) -> None:
        normal(self.entities, self.dim**-0.25, generator)
        normal(self.relations, 0.1, generator)

    def start_epoch(self, epoch: int) -> None:
        self.temperature = max(0.5, 3 * math.exp(-0.001 * epoch))

    def elements(self) -> Tensor:
        """The element of every block that acts at test, ``[R, n]``: m for O_m, K + m for F_m."""
        return self._logits(self.relations).argmax(-1)

    def blocks(self, rows: Tensor) -> Tensor:
        logits = self._logits(rows)
        if self.training:
            soft = F.softmax((logits + self._gumbel(logits)) / self.temperature, dim=-1)
            hard = F.one_hot(soft.argmax(-1), 2 * self.K).to(soft.dtype)
            weights = hard + soft - soft.detach()
        else:
            weights = F.one_hot(logits.argmax(-1), 2 * self.K).to(logits.dtype)
        return torch.einsum("rng,gij->rijn", weights, self.table)

    def _logits(self, rows: Tensor) -> Tensor:
        return rows.view(len(rows), self.dim // 2, 2 * self.K)

    def _gumbel(self, like: Tensor) -> Tensor:
        uniform = torch.rand(like.shape, generator=self.noise, dtype=torch.float64)
        return -torch.log(-torch.log(uniform.clamp(1e-12, 1 - 1e-12))).to(like)


def dihedral_group(K: int) -> Tensor:
    """The 2K matrices of D_K, ``[2K, 2, 2]``: rotations O_0, ..., O_{K-1}, then reflections F_0, ..., F_{K-1}."""
    angles = 2 * math.pi * torch.arange(K, dtype=torch.float64) / K
    cos, sin = angles.cos(), angles.sin()
    rotations = torch.stack([torch.stack([cos, -sin], 1), torch.stack([sin, cos], 1)], 1)
    reflections = torch.stack([torch.stack([cos, sin], 1), torch.stack([sin, -cos], 1)], 1)
    return torch.cat([rotations, reflections])
