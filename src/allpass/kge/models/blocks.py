"""Models whose relations are block-diagonal matrices."""

from __future__ import annotations

from abc import abstractmethod

from torch import Tensor

from allpass.kge.models.base import TripletModel


class BlockModel(TripletModel):
    """A relation is a block-diagonal matrix M of n = dim / k blocks ``[k, k]``.

        to_tail(h, r) = h M,   to_head(t, r) = t M^T

    A vector holds the first numbers of all its blocks, then the second ones, ...; so the real parts of complex numbers
    stand before the imaginary ones. Distances ask for orthogonal blocks: only then ||h M - t|| = ||h - t M^T||.
    """

    @abstractmethod
    def blocks(self, rows: Tensor) -> Tensor:
        """The matrices ``[R, k, k, n]`` of stored rows."""

    def act(self, rows: Tensor) -> Tensor:
        return self.blocks(rows)

    def to_tail(self, heads: Tensor, acting: Tensor) -> Tensor:
        k, n = acting.shape[-2:]
        return (heads.view(-1, k, 1, n) * acting).sum(1).flatten(1)

    def to_head(self, tails: Tensor, acting: Tensor) -> Tensor:
        k, n = acting.shape[-2:]
        return (tails.view(-1, 1, k, n) * acting).sum(2).flatten(1)
