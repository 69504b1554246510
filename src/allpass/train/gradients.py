"""Forward and gradient of many replicas: all at once, or one after the other where that is faster.

On a GPU R replicas at once cost little more than one, which leaves the device idle. On a CPU one replica fills the
machine, and the next one finds nothing of use in the cache: there a loop is as good, and often better.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

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
        loss: Loss of one replica, where the model has none of its own.
        labels: Whether the model is given the training labels too.
    """

    x: Features
    graph: Operator
    target: Tensor
    loss: Loss
    labels: bool = False


class Gradients(Protocol):
    """Computes for rows of parameters ``[R, P]`` and stacked buffers (which training forwards change in place).

    ``targets`` are what the replicas learn: of each its own, ``[R, N]``, or those of the problem where there are none.
    """

    def gradient(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The gradients ``[R, P]`` and the outputs ``[R, N, C]`` of a training forward."""
        ...

    def outputs(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> Tensor:
        """The outputs ``[R, N, C]`` of an evaluation."""
        ...


class Objective(nn.Module):
    """A model with its loss: what is differentiated.

    A model may have a loss of its own, ``loss(output, x, graph, target, mask)``, that takes the place of the task's.

    Args:
        model: The network.
        problem: What it learns from.
    """

    def __init__(self, model: nn.Module, problem: Problem) -> None:
        super().__init__()
        self.model, self.problem = model, problem

    def output(self, target: Tensor, mask: Tensor) -> Tensor:
        """What the network says of every node."""
        given = {"labels": target, "mask": mask} if self.problem.labels else {}
        output: Tensor = self.model(self.problem.x, self.problem.graph, **given)
        return output

    def forward(self, target: Tensor, mask: Tensor) -> tuple[Tensor, Tensor] | Tensor:
        """The loss and the output while training, the output alone otherwise."""
        output = self.output(target, mask)
        if not self.training:
            return output
        own = getattr(self.model, "loss", None)
        if own is not None:
            return own(output, self.problem.x, self.problem.graph, target, mask), output
        return self.problem.loss(output, target, mask.to(output.dtype)), output


def _of_the_model(named: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"model.{name}": value for name, value in named.items()}


class Together:
    """All replicas in one call of ``vmap``.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem) -> None:
        self.problem = problem
        training, evaluation = (
            Objective(copy.deepcopy(model).to("meta"), problem).train(mode) for mode in (True, False)
        )

        def run(
            frame: nn.Module, row: Tensor, buffers: dict[str, Tensor], mask: Tensor, target: Tensor
        ) -> Any:
            named = _of_the_model(layout.parameters(row)), _of_the_model(buffers)
            return functional_call(frame, named, (target, mask))

        self._gradient = grad(partial(run, training), has_aux=True)
        self._output = partial(run, evaluation)

    def gradient(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return self._all(self._gradient, rows, buffers, masks, targets)

    def outputs(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> Tensor:
        with torch.no_grad():
            return self._all(self._output, rows, buffers, masks, targets)

    def _all(self, one: Callable[..., Any], *stacked: Any) -> Any:
        *rest, targets = stacked
        if targets is None:
            return vmap(one, in_dims=(0, 0, 0, None))(*rest, self.problem.target)
        return vmap(one)(*rest, targets)


class OneByOne:
    """A replica after the other, by plain automatic differentiation.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem) -> None:
        self.layout, self.problem = layout, problem
        self.training, self.evaluation = (
            _Frame(Objective(copy.deepcopy(model), problem).train(mode)) for mode in (True, False)
        )

    def gradient(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        gradients, outputs = torch.empty_like(rows), []
        for number, (row, mask) in enumerate(zip(rows, masks, strict=True)):
            leaves = {
                name: part.detach().requires_grad_() for name, part in self.layout.parameters(row).items()
            }
            named = {**leaves, **_of_one(buffers, number)}
            loss, output = self.training(named, self._target(targets, number), mask)
            found = torch.autograd.grad(
                loss, list(leaves.values()), allow_unused=True, materialize_grads=True
            )
            torch.cat([part.reshape(-1) for part in found], out=gradients[number])
            outputs.append(output.detach())
        return gradients, torch.stack(outputs)

    def outputs(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> Tensor:
        outputs = []
        with torch.no_grad():
            for number, (row, mask) in enumerate(zip(rows, masks, strict=True)):
                named = {**self.layout.parameters(row), **_of_one(buffers, number)}
                outputs.append(self.evaluation(named, self._target(targets, number), mask))
        return torch.stack(outputs)

    def _target(self, targets: Tensor | None, number: int) -> Tensor:
        return self.problem.target if targets is None else targets[number]


class _Frame:
    """A network that is given its tensors at every call: ``functional_call`` takes longer than a small network.

    Args:
        objective: The network with its loss; it loses its own tensors.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.places: dict[str, list[tuple[dict[str, Any], str]]] = {}
        first: dict[int, str] = {}  # one tensor may stand in several places: it has the name of the first
        for prefix, part in objective.model.named_modules():
            for table in (part._parameters, part._buffers):
                for key, tensor in table.items():
                    if tensor is not None:
                        name = first.setdefault(id(tensor), f"{prefix}.{key}" if prefix else key)
                        self.places.setdefault(name, []).append((table, key))
        for table, key in (place for places in self.places.values() for place in places):
            table[key] = None

    def __call__(self, named: dict[str, Tensor], target: Tensor, mask: Tensor) -> Any:
        for name, tensor in named.items():
            for table, key in self.places[name]:
                table[key] = tensor
        return self.objective(target, mask)


def _of_one(buffers: dict[str, Tensor], number: int) -> dict[str, Tensor]:
    return {name: stacked[number] for name, stacked in buffers.items()}
