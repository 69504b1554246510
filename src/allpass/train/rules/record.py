"""What an epoch leaves behind for the rules: losses and scores of every replica, on the device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

Quantity = Literal["train_loss", "train_score", "val_loss", "val_score"]
State = dict[str, Tensor]
"""What a rule remembers: tensors whose first axis is the replica, changed in place."""

_SIGN: dict[Quantity, int] = {"train_loss": -1, "train_score": 1, "val_loss": -1, "val_score": 1}


@dataclass(frozen=True)
class Record:
    """One epoch of R replicas, measured after the update and without dropout.

    Scores are larger-is-better here: one where less is better comes with its sign turned (``Score.gain``).

    Args:
        train_loss: Loss of the training nodes, ``[R]``.
        train_score: Score of the training nodes, ``[R]``.
        val_loss: Loss of the validation nodes, ``[R]``; NaN where there are none.
        val_score: Score of the validation nodes, ``[R]``; NaN where there are none.
    """

    train_loss: Tensor
    train_score: Tensor
    val_loss: Tensor
    val_score: Tensor

    def gain(self, quantity: Quantity) -> Tensor:
        """A quantity in float64, turned so that more of it is better, ``[R]``."""
        value: Tensor = getattr(self, quantity)
        return _SIGN[quantity] * value.double()

    def sound(self, *, validation: bool) -> Tensor:
        """Where the training loss is finite, and with ``validation`` the validation loss too, bool ``[R]``."""
        return self._finite[0] & self._finite[1] if validation else self._finite[0]

    @cached_property
    def _finite(self) -> tuple[Tensor, Tensor]:
        """Where the two losses are finite; both rules ask."""
        train, val = torch.stack([self.train_loss, self.val_loss]).isfinite()
        return train, val


def keep(kept: Tensor, value: Tensor, where: Tensor) -> None:
    """Write ``value`` into ``kept`` in place, for the replicas of ``where`` alone."""
    torch.where(where, value, kept, out=kept)
