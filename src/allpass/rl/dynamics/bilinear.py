"""Skip-gram scores conditioned on the action: each action moves the vector of a state by a matrix of its own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.kge.models.base import normal
from allpass.kge.models.compare import Product


class ActionSkipGram(Product):
    r"""LINE's two proximities (Tang et al., 2015) with a matrix for each action.

        order 1:  score(s, a, s') = v_s M_a v_s'    one vector a state
        order 2:  score(s, a, s') = v_s M_a u_s'    a vector as state and another as context

    With the softmax over all states the second is the skip-gram model of P(s'|s, a).

    Args:
        num_entities: Number of states.
        num_relations: Number of actions, and of further relations between states.
        dim: Numbers in a vector of a state; of order 2 the table holds twice as many.
        order: 1 or 2.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.

    Example:
        >>> import torch
        >>> ActionSkipGram(5, 2, dim=8).score_t(torch.tensor([[0, 1]])).shape
        torch.Size([1, 5])
    """

    def __init__(
        self,
        num_entities: int,
        num_relations: int,
        dim: int = 64,
        *,
        order: int = 2,
        inverse: bool = False,
        seed: int = 0,
    ) -> None:
        if order not in (1, 2):
            raise InputError(f"Got order={order!r}.", "Expected 1 or 2.")
        self.order = order
        self.size = dim
        super().__init__(num_entities, num_relations, dim * order, inverse=inverse, seed=seed)

    @property
    def settings(self) -> dict[str, Any]:
        return {"order": self.order}

    def relation_size(self) -> int:
        return self.size**2

    def draw(self, generator: torch.Generator) -> None:
        normal(self.entities, self.size**-0.25, generator)
        normal(self.relations, 0.1 * self.size**-0.5, generator)
        self.relations.add_(torch.eye(self.size).flatten())

    def act(self, rows: Tensor) -> Tensor:
        return rows.view(-1, self.size, self.size)

    def to_tail(self, heads: Tensor, acting: Tensor) -> Tensor:
        moved = torch.einsum("bi,bij->bj", heads[:, : self.size], acting)
        return torch.cat(
            [torch.zeros_like(moved), moved][2 - self.order :], dim=1
        )  # meets the context of a tail

    def to_head(self, tails: Tensor, acting: Tensor) -> Tensor:
        moved = torch.einsum("bj,bij->bi", tails[:, -self.size :], acting)
        return torch.cat([moved, torch.zeros_like(moved)][: self.order], dim=1)  # meets the vector of a head
