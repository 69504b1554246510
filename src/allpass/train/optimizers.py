r"""Optimisers over rows of parameters ``[R, P]``, with a learning rate and a weight decay for each replica.

The updates are torch's own, written once for all replicas. L2 decay adds :math:`\lambda w` to the gradient (Adam,
RMSprop); decoupled decay shrinks the weights by :math:`1 - \eta \lambda` first (AdamW).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor

from allpass.registry import Registry

Decay = Literal["l2", "decoupled"]
Rates = Sequence[tuple[slice, Tensor]]
"""Columns and what holds for them: ``[R, 1]``."""


class Optimizer(Protocol):
    """Updates rows in place. Everything stays on the device; ``step`` counts from 1 in a 0-dim tensor."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    @property
    def citation(self) -> str: ...

    def start(self, rows: Tensor) -> dict[str, Tensor]:
        """The state it keeps."""
        ...

    def update(
        self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], step: Tensor, lr: Rates, decay: Rates
    ) -> None:
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
        return {"mean": torch.zeros_like(rows), "square": torch.zeros_like(rows)}

    def update(
        self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], step: Tensor, lr: Rates, decay: Rates
    ) -> None:
        if rows.device.type == "cpu":
            self._one_by_one(rows, grads, state, step, lr, decay)
            return
        first, second = self.betas
        step = step.double()  # 1 - 0.999^step has few digits left in single precision
        _decay(rows, grads, lr, decay, self.decay)
        state["mean"].lerp_(grads, 1 - first)
        state["square"].mul_(second).addcmul_(grads, grads, value=1 - second)
        unbias = (1 - second**step).sqrt()
        move = state["square"].sqrt().div_(unbias).add_(self.eps).reciprocal_().mul_(state["mean"])
        _move(rows, move, lr, 1 - first**step)

    def _one_by_one(
        self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], step: Tensor, lr: Rates, decay: Rates
    ) -> None:
        """The same by torch's own fused step, which reads and writes every number once."""
        fused = torch._fused_adam_ if self.decay == "l2" else torch._fused_adamw_
        for (columns, rate), (_, strength) in zip(lr, decay, strict=True):
            rates = zip(rate.flatten().tolist(), strength.flatten().tolist(), strict=True)
            for number, (r, s) in enumerate(rates):
                if r:
                    fused(
                        [rows[number, columns]],
                        [grads[number, columns]],
                        [state["mean"][number, columns]],
                        [state["square"][number, columns]],
                        [],
                        [step.float()],
                        lr=r,
                        beta1=self.betas[0],
                        beta2=self.betas[1],
                        weight_decay=s,
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
        self, rows: Tensor, grads: Tensor, state: dict[str, Tensor], step: Tensor, lr: Rates, decay: Rates
    ) -> None:
        _decay(rows, grads, lr, decay, self.decay)
        state["square"].mul_(self.alpha).addcmul_(grads, grads, value=1 - self.alpha)
        _move(
            rows, state["square"].sqrt().add_(self.eps).reciprocal_().mul_(grads), lr, torch.ones_like(step)
        )


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


def _decay(rows: Tensor, grads: Tensor, lr: Rates, decay: Rates, kind: Decay) -> None:
    """L2 changes the gradients in place, decoupled decay the rows."""
    for (columns, rate), (_, strength) in zip(lr, decay, strict=True):
        if kind == "l2":
            grads[:, columns].addcmul_(rows[:, columns], strength)
        else:
            rows[:, columns].mul_(1 - rate * strength)


def _move(rows: Tensor, move: Tensor, lr: Rates, unbias: Tensor) -> None:
    for columns, rate in lr:
        rows[:, columns].addcmul_(move[:, columns], -rate / unbias)
