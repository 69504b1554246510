"""Forward and gradient of many replicas: all at once, or one after the other where that is faster.

On a GPU R replicas at once cost little more than one, which leaves the device idle. On a CPU one replica fills the
machine, and the next one finds nothing of use in the cache: there a loop is as good, and often better.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from allpass.graph.operator import Operator
from allpass.nn.inputs import Features
from allpass.train.flat import Layout

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""``loss(output [N, C], target, weight [N])`` of one replica."""


@dataclass(frozen=True)
class Problem:
    """What all replicas share.

    Args:
        x: Features.
        graph: Adjacency.
        target: Labels ``[N]``, or numbers to regress.
        loss: Loss of one replica.
        labels: Whether the model is given the training labels too.
    """

    x: Features
    graph: Operator
    target: Tensor
    loss: Loss
    labels: bool = False


class Gradients(Protocol):
    """Computes for rows of parameters ``[R, P]`` and stacked buffers (which training forwards change in place)."""

    def gradient(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients ``[R, P]`` and the outputs ``[R, N, C]`` of a training forward."""
        ...

    def outputs(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> Tensor:
        """The outputs ``[R, N, C]`` of an evaluation."""
        ...


class Together:
    """All replicas in one call of ``vmap``.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem) -> None:
        self.layout, self.problem = layout, problem
        self.training, self.evaluation = (
            copy.deepcopy(model).to("meta").train(mode) for mode in (True, False)
        )

        def run(frame: nn.Module, row: Tensor, buffers: dict[str, Tensor], mask: Tensor) -> Tensor:
            given = {"labels": problem.target, "mask": mask} if problem.labels else {}
            return functional_call(
                frame, (layout.parameters(row), buffers), (problem.x, problem.graph), given
            )

        def loss(row: Tensor, buffers: dict[str, Tensor], mask: Tensor) -> tuple[Tensor, Tensor]:
            output = run(self.training, row, buffers, mask)
            return problem.loss(output, problem.target, mask.to(output.dtype)), output

        self._gradient = vmap(grad(loss, has_aux=True))
        self._outputs = vmap(lambda row, buffers, mask: run(self.evaluation, row, buffers, mask))

    def gradient(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> tuple[Tensor, Tensor]:
        return self._gradient(rows, buffers, masks)

    def outputs(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> Tensor:
        with torch.no_grad():
            return self._outputs(rows, buffers, masks)


class OneByOne:
    """A replica after the other, by plain automatic differentiation.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem) -> None:
        self.layout, self.problem = layout, problem
        self.model = copy.deepcopy(model)

    def _run(self, parameters: dict[str, Tensor], buffers: dict[str, Tensor], mask: Tensor) -> Tensor:
        given = {"labels": self.problem.target, "mask": mask} if self.problem.labels else {}
        return functional_call(self.model, (parameters, buffers), (self.problem.x, self.problem.graph), given)

    def gradient(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> tuple[Tensor, Tensor]:
        self.model.train()
        gradients, outputs = torch.empty_like(rows), []
        for number, (row, mask) in enumerate(zip(rows, masks, strict=True)):
            leaves = {
                name: part.detach().requires_grad_() for name, part in self.layout.parameters(row).items()
            }
            output = self._run(leaves, {name: buffer[number] for name, buffer in buffers.items()}, mask)
            loss = self.problem.loss(output, self.problem.target, mask.to(output.dtype))
            found = torch.autograd.grad(
                loss, list(leaves.values()), allow_unused=True, materialize_grads=True
            )
            torch.cat([part.reshape(-1) for part in found], out=gradients[number])
            outputs.append(output.detach())
        return gradients, torch.stack(outputs)

    def outputs(self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor) -> Tensor:
        self.model.eval()
        with torch.no_grad():
            return torch.stack(
                [
                    self._run(
                        self.layout.parameters(row),
                        {name: buffer[number] for name, buffer in buffers.items()},
                        mask,
                    )
                    for number, (row, mask) in enumerate(zip(rows, masks, strict=True))
                ]
            )
