"""What all models of triplets share: two tables of vectors, and scores of one triplet, all tails or all heads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from allpass.errors import InputError

MOST_DIM = 100_000
"""Numbers in a vector, at most; beyond them it is a slip, and would fill the memory."""


class TripletModel(nn.Module, ABC):
    """A score of triplets (head, relation, tail), the higher the more plausible.

    A relation acts on the head, and the result is compared with the tail; or it acts backwards on the tail, and the
    result is compared with the head. Both give the same score:

        score(h, r, t) = compare(to_tail(h, r), t) = compare(to_head(t, r), h)

    A subclass says how a relation acts, and whether vectors are compared by a product or by a distance
    (``allpass.kge.models.compare``). Methods are named as PyKEEN names them.

    Args:
        num_entities: Number of entities, E.
        num_relations: Number of relations, R.
        dim: Numbers in the vector of an entity: a complex number counts as two, a quaternion as four.
        inverse: Give every relation r an inverse, stored as r + R. Heads are then scored as tails of the inverse.
        seed: Of the initial vectors.
    """

    parts: ClassVar[int] = 1
    """The numbers of one block of a vector; ``dim`` is a multiple of it."""

    constrained: bool = False
    """Whether :meth:`constrain` changes vectors."""

    def __init__(
        self, num_entities: int, num_relations: int, dim: int = 64, *, inverse: bool = False, seed: int = 0
    ) -> None:
        super().__init__()
        check_dim(type(self).__name__, dim, self.parts)
        self.num_entities, self.num_relations, self.dim = num_entities, num_relations, dim
        self.inverse = inverse
        rows = num_relations * (2 if inverse else 1)
        self.entities = nn.Parameter(torch.empty(num_entities, dim))
        self.relations = nn.Parameter(torch.empty(rows, self.relation_size()))
        self.reset_parameters(seed)

    def relation_size(self) -> int:
        """Numbers stored for a relation."""
        return self.dim

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the constructor beyond those of the base, for the card of a checkpoint."""
        return {}

    def reset_parameters(self, seed: int) -> None:
        """Draw initial vectors; one seed gives the same on every machine."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            self.draw(generator)

    @abstractmethod
    def draw(self, generator: torch.Generator) -> None:
        """Fill ``entities`` and ``relations``."""

    @abstractmethod
    def act(self, rows: Tensor) -> Tensor:
        """Stored rows of relations ``[R, relation_size]`` as what acts on vectors, ``[R, ...]``."""

    @abstractmethod
    def to_tail(self, heads: Tensor, acting: Tensor) -> Tensor:
        """What is compared with tails: vectors ``[B, dim]`` after their relations."""

    @abstractmethod
    def to_head(self, tails: Tensor, acting: Tensor) -> Tensor:
        """What is compared with heads: vectors ``[B, dim]`` before their relations."""

    @abstractmethod
    def compare(self, queries: Tensor, candidates: Tensor) -> Tensor:
        """Scores ``[..., B, N]`` of queries ``[..., B, dim]`` with candidates ``[..., N, dim]``."""

    @abstractmethod
    def match(self, queries: Tensor, entities: Tensor) -> Tensor:
        """Scores ``[...]`` of queries ``[..., dim]`` with one entity each."""

    def constrain(self, rows: Tensor) -> Tensor:
        """Vectors of entities after an update, where the model restricts them."""
        return rows

    def start_epoch(self, epoch: int) -> None:
        """Told before each epoch of training, from 0."""

    def score_hrt(self, triplets: Tensor) -> Tensor:
        """Scores ``[B]`` of triplets ``[B, 3]``."""
        heads, relations, tails = triplets.unbind(1)
        acting = self.act(self.relations)[relations]
        return self.match(self.to_tail(self.entities[heads], acting), self.entities[tails])

    def score_t(self, pairs: Tensor) -> Tensor:
        """Scores ``[B, E]`` of all tails for pairs (head, relation) ``[B, 2]``."""
        heads, relations = pairs.unbind(1)
        acting = self.act(self.relations)[relations]
        return self.compare(self.to_tail(self.entities[heads], acting), self.entities)

    def score_h(self, pairs: Tensor) -> Tensor:
        """Scores ``[B, E]`` of all heads for pairs (relation, tail) ``[B, 2]``."""
        relations, tails = pairs.unbind(1)
        if self.inverse:
            return self.score_t(torch.stack([tails, relations + self.num_relations], dim=1))
        acting = self.act(self.relations)[relations]
        return self.compare(self.to_head(self.entities[tails], acting), self.entities)

    def extra_repr(self) -> str:
        """Its sizes."""
        return f"{self.num_entities}, {self.num_relations}, dim={self.dim}"


def check_dim(name: str, dim: object, parts: int) -> None:
    """Refuse a dimension that is no whole number from 1 to :data:`MOST_DIM`, or no multiple of ``parts``."""
    if isinstance(dim, bool) or not isinstance(dim, int) or not 1 <= dim <= MOST_DIM:
        raise InputError(
            f"Got dim={dim!r:.60}.", f"Expected a whole number from 1 to {MOST_DIM:,}, such as 64."
        )
    if dim % parts:
        raise InputError(
            f"Got dim={dim} for {name}, whose vectors are made of blocks of {parts} numbers.",
            f"Use a multiple of {parts}, such as {-(-dim // parts) * parts}.",
        )


def uniform(table: nn.Parameter, bound: float, generator: torch.Generator) -> None:
    """Fill with numbers between -bound and bound, drawn in float64 so that a seed means the same in every precision."""
    drawn = torch.rand(table.shape, generator=generator, dtype=torch.float64)
    table.copy_((2 * drawn - 1) * bound)


def normal(table: nn.Parameter, deviation: float, generator: torch.Generator) -> None:
    """Fill with normal numbers."""
    table.copy_(torch.randn(table.shape, generator=generator, dtype=torch.float64) * deviation)
