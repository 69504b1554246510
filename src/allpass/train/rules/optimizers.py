r"""Optimisers over rows of parameters ``[R, P]``, with a learning rate and a weight decay for each replica.

The updates are torch's own, written once for all replicas. L2 decay adds :math:`\lambda w` to the gradient (Adam,
RMSprop); decoupled decay shrinks the weights by :math:`1 - \eta \lambda` first (AdamW).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import torch
from torch import Tensor

from allpass.registry import Named, Registry

Decay = Literal["l2", "decoupled"]


@dataclass(frozen=True)
class Rates:
    """What holds for some columns of the rows.

    Args:
        columns: Which ones.
        lr: Learning rate of every replica, float64 ``[R]``, on the host.
        decay: Weight decay of every replica, likewise.
        device: Where the rows are.
        dtype: What they are.
    """

    columns: slice
    lr: Tensor
    decay: Tensor
    device: torch.device
    dtype: torch.dtype

    def select(self, keep: Tensor) -> Rates:
        """Those of some replicas, by their numbers."""
        return replace(self, lr=self.lr[keep.cpu()], decay=self.decay[keep.cpu()])

    @cached_property
    def equal(self) -> list[tuple[float, float, list[int]]]:
        """Each learning rate and weight decay there is, with the replicas that have both."""
        having: dict[tuple[float, float], list[int]] = {}
        for number, pair in enumerate(zip(self.lr.tolist(), self.decay.tolist(), strict=True)):
            having.setdefault(pair, []).append(number)
        return [(lr, decay, numbers) for (lr, decay), numbers in having.items()]

    @cached_property
    def stacked(self) -> tuple[Tensor, Tensor]:
        """Both as ``[R, 1]`` beside the rows."""
        lr, decay = (
            rate.to(device=self.device, dtype=self.dtype).unsqueeze(1) for rate in (self.lr, self.decay)
        )
        return lr, decay


class Optimizer(Named, Protocol):
    """Updates rows in place; everything stays on the device."""

    def start(self, rows: Tensor) -> dict[str, Tensor]:
        """The state it keeps: tensors whose first axis is the replica."""
        ...

    def update(
        self, rows: Tensor, grads: Sequence[Tensor], state: dict[str, Tensor], rates: Sequence[Rates]
    ) -> None:
        """One step of every replica; a learning rate of 0 leaves a replica as it is.

        Args:
            rows: Parameters ``[R, P]``.
            grads: Their gradients, as parts ``[R, P_i]`` in the order of the row; they are not changed.
            state: What :meth:`start` gave.
            rates: What holds for which columns.
        """
        ...


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, ICLR 2015), with L2 or decoupled weight decay."""

    name: str = "adam"
    decay: Decay = "l2"
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    aliases: tuple[str, ...] = ()
    citation: str = "Kingma and Ba: Adam, ICLR 2015"

    def start(self, rows: Tensor) -> dict[str, Tensor]:
        steps = torch.zeros(len(rows), dtype=torch.float32, device=rows.device)
        return {"mean": torch.zeros_like(rows), "square": torch.zeros_like(rows), "steps": steps}

    def update(
        self, rows: Tensor, grads: Sequence[Tensor], state: dict[str, Tensor], rates: Sequence[Rates]
    ) -> None:
        """By torch's own fused step, which reads and writes every number once."""
        fused = torch._fused_adam_ if self.decay == "l2" else torch._fused_adamw_
        steps = state["steps"].add_(1)
        for part in rates:
            pieces = list(_pieces(grads, part.columns))
            for lr, decay, numbers in part.equal:
                weights, means, squares = (
                    [tensor[number, columns] for number in numbers for columns, _ in pieces]
                    for tensor in (rows, state["mean"], state["square"])
                )
                slopes = [gradient[number] for number in numbers for _, gradient in pieces]
                fused(
                    weights,
                    slopes,
                    means,
                    squares,
                    [],
                    [steps[number] for number in numbers for _ in pieces],
                    lr=lr,
                    beta1=self.betas[0],
                    beta2=self.betas[1],
                    weight_decay=decay,
                    eps=self.eps,
                    amsgrad=False,
                    maximize=False,
                )


@dataclass(frozen=True)
class RMSprop:
    """RMSprop (Tieleman and Hinton, 2012), with L2 or decoupled weight decay."""

    name: str = "rmsprop"
    decay: Decay = "l2"
    alpha: float = 0.99
    eps: float = 1e-8
    aliases: tuple[str, ...] = ()
    citation: str = "Tieleman and Hinton: Lecture 6.5, rmsprop, 2012"

    def start(self, rows: Tensor) -> dict[str, Tensor]:
        return {"square": torch.zeros_like(rows)}

    def update(
        self, rows: Tensor, grads: Sequence[Tensor], state: dict[str, Tensor], rates: Sequence[Rates]
    ) -> None:
        slopes = torch.cat(list(grads), dim=1) if grads else torch.zeros_like(rows)
        for part in rates:
            (lr, decay), columns = part.stacked, part.columns
            if self.decay == "l2":
                slopes[:, columns].addcmul_(rows[:, columns], decay)
            else:
                rows[:, columns].mul_(1 - lr * decay)
        square = state["square"].mul_(self.alpha).addcmul_(slopes, slopes, value=1 - self.alpha)
        move = slopes / square.sqrt().add_(self.eps)
        for part in rates:
            rows[:, part.columns].addcmul_(move[:, part.columns], -part.stacked[0])


def _pieces(grads: Sequence[Tensor], columns: slice) -> Iterator[tuple[slice, Tensor]]:
    """Of every part of a gradient what lies within some columns of the row, with the columns it stands in."""
    start = 0
    for part in grads:
        stop = start + part.shape[1]
        first, last = max(start, columns.start), min(stop, columns.stop)
        if first < last:
            yield slice(first, last), part[:, first - start : last - start]
        start = stop


OPTIMIZERS: Registry[Optimizer] = Registry("optimizer")
for _entry in (
    Adam(),
    Adam(
        "adamw",
        "decoupled",
        citation="Loshchilov and Hutter: Decoupled Weight Decay Regularization, ICLR 2019",
    ),
    RMSprop(),
    RMSprop("rmsprop-decoupled", "decoupled"),
):
    OPTIMIZERS.add(_entry)
