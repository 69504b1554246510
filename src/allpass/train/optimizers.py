r"""Optimisers over rows of parameters ``[R, P]``, with a learning rate and a weight decay for each replica.

The updates are torch's own, written once for all replicas. L2 decay adds :math:`\lambda w` to the gradient (Adam,
RMSprop); decoupled decay shrinks the weights by :math:`1 - \eta \lambda` first (AdamW).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import torch
from torch import Tensor

from allpass.registry import Registry

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


class Optimizer(Protocol):
    """Updates rows in place; everything stays on the device."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    @property
    def citation(self) -> str: ...

    def start(self, rows: Tensor) -> dict[str, Tensor]:
        """The state it keeps: tensors whose first axis is the replica."""
        ...

    def update(self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], rates: Sequence[Rates]) -> None:
        """One step of every replica; a learning rate of 0 leaves a replica as it is."""
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

    def update(self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], rates: Sequence[Rates]) -> None:
        """By torch's own fused step, which reads and writes every number once."""
        fused = torch._fused_adam_ if self.decay == "l2" else torch._fused_adamw_
        moved, steps = (rows, grads, state["mean"], state["square"]), state["steps"].add_(1)
        for part in rates:
            for lr, decay, numbers in part.equal:
                weights, slopes, means, squares = (
                    [tensor[number, part.columns] for number in numbers] for tensor in moved
                )
                fused(
                    weights,
                    slopes,
                    means,
                    squares,
                    [],
                    [steps[number] for number in numbers],
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

    def update(self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], rates: Sequence[Rates]) -> None:
        for part in rates:
            (lr, decay), columns = part.stacked, part.columns
            if self.decay == "l2":
                grads[:, columns].addcmul_(rows[:, columns], decay)
            else:
                rows[:, columns].mul_(1 - lr * decay)
        square = state["square"].mul_(self.alpha).addcmul_(grads, grads, value=1 - self.alpha)
        move = grads / square.sqrt().add_(self.eps)
        for part in rates:
            rows[:, part.columns].addcmul_(move[:, part.columns], -part.stacked[0])


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
