"""Forward and gradient of many replicas: all at once, or one after the other where that is faster.

On a GPU R replicas at once cost little more than one, which leaves the device idle. On a CPU one replica fills the
machine, and the next one finds nothing of use in the cache: there a loop is as good, and often better.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from allpass.graph.operator import Operator
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features
from allpass.train.engine.flat import Layout
from allpass.train.engine.recording import Recorded

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""``loss(output [N, C], target, weight [N])`` of one replica."""


@dataclass(frozen=True)
class Problem:
    """What all replicas share.

    Args:
        x: Features.
        graph: Adjacency; what a model made of it, once it has refreshed it.
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
    ) -> tuple[list[Tensor], Tensor]:
        """The gradients, as parts ``[R, P_i]`` of ``[R, P]``, and the outputs ``[R, N, C]`` of a training forward."""
        ...

    def outputs(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> Tensor:
        """The outputs ``[R, N, C]`` of an evaluation."""
        ...

    def refresh(
        self, epoch: int, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None
    ) -> None:
        """Let the model of a single replica choose again what it keeps between epochs; most have nothing such.

        Its ``refresh_every`` says how many epochs pass between two choices, 1 by default.
        """
        ...


class Objective(nn.Module):
    """A model with its loss: what is differentiated.

    A model may have a loss of its own, ``loss(output, x, edge_index, target, mask)``, in place of the task's,
    and a method ``counted(mask)`` that says which training nodes enter the loss of a step.

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
        counted = getattr(self.model, "counted", None)
        mask = mask if counted is None else counted(mask)
        own = getattr(self.model, "loss", None)
        if own is not None:
            return own(output, self.problem.x, self.problem.graph, target, mask), output
        return self.problem.loss(output, target, mask.to(output.dtype)), output


class _Refresh(nn.Module):
    """An objective whose model chooses again what it keeps between epochs, in place of a forward."""

    def __init__(self, objective: Objective) -> None:
        super().__init__()
        self.objective = objective

    def forward(self, epoch: int, target: Tensor, mask: Tensor) -> Any:
        problem = self.objective.problem
        model: Any = self.objective.model
        return model.refresh(epoch, problem.x, problem.graph, target, mask, problem.loss)


def _empty_copy(model: nn.Module) -> nn.Module:
    """The same modules with tensors that take no memory; a tensor that stands in two places stays one."""
    empty: dict[int, Tensor] = {
        id(p): nn.Parameter(torch.empty_like(p, device="meta")) for p in model.parameters()
    }
    empty |= {id(buffer): torch.empty_like(buffer, device="meta") for buffer in model.buffers()}
    return copy.deepcopy(model, empty)


def _shares_tensors(model: nn.Module) -> bool:
    """Whether some parameter or buffer stands in two places."""
    places = [
        id(tensor)
        for part in model.modules()
        for tensor in (*part.parameters(recurse=False), *part.buffers(recurse=False))
    ]
    return len(places) != len(set(places))


class _Network:
    """An architecture without weights of its own, in training or in evaluation."""

    def __init__(self, model: nn.Module, problem: Problem, *, training: bool, dropout: bool) -> None:
        self.objective = Objective(_empty_copy(model), problem).train(training)
        for part in self.objective.modules():
            if isinstance(part, Dropout):
                part.train(training and dropout)
        # Where no tensor stands in two places, the search for such places in every step is left out.
        self.shares = _shares_tensors(model)

    def __call__(
        self, parameters: dict[str, Tensor], buffers: dict[str, Tensor], mask: Tensor, target: Tensor
    ) -> Any:
        named = {f"model.{name}": tensor for name, tensor in (*parameters.items(), *buffers.items())}
        return functional_call(self.objective, named, (target, mask), tie_weights=self.shares)

    def refreshed(
        self,
        epoch: int,
        parameters: dict[str, Tensor],
        buffers: dict[str, Tensor],
        mask: Tensor,
        target: Tensor,
    ) -> Any:
        """What takes the place of the graph from now on; nothing where all stays as it is."""
        named = {
            f"objective.model.{name}": tensor for name, tensor in (*parameters.items(), *buffers.items())
        }
        return functional_call(
            _Refresh(self.objective), named, (epoch, target, mask), tie_weights=self.shares
        )


class Together:
    """All replicas in one call of ``vmap``.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
        dropout: Draw masks; where every rate is 0 there is no need.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem, *, dropout: bool = True) -> None:
        self.problem = problem
        training, evaluation = (
            _Network(model, problem, training=mode, dropout=dropout) for mode in (True, False)
        )
        self._gradient = grad(lambda row, *given: training(layout.parameters(row), *given), has_aux=True)
        self._output = lambda row, *given: evaluation(layout.parameters(row), *given)

    def gradient(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> tuple[list[Tensor], Tensor]:
        gradients, outputs = self._all(self._gradient, rows, buffers, masks, targets)
        return [gradients], outputs

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

    def refresh(self, *_: Any) -> None:
        """Models that choose something between epochs are trained one by one."""


class OneByOne:
    """A replica after the other, by plain automatic differentiation.

    Args:
        model: The architecture; its own weights are not used.
        layout: Where parameters stand in a row.
        problem: What the replicas share.
        dropout: Draw masks; where every rate is 0 there is no need.
    """

    def __init__(self, model: nn.Module, layout: Layout, problem: Problem, *, dropout: bool = True) -> None:
        self.problem = problem
        self._layout, self._names = layout, tuple(name for name, _ in model.named_buffers())
        self._networks = [_Network(model, problem, training=mode, dropout=dropout) for mode in (True, False)]
        self._every = getattr(model, "refresh_every", 1) if hasattr(model, "refresh") else 0
        self._forget()

    def _forget(self) -> None:
        """Record the steps anew: what they have as constants has changed."""
        names, layout = self._names, self._layout
        training, evaluation = self._networks

        def gradient(
            row: Tensor, mask: Tensor, target: Tensor, *buffers: Tensor
        ) -> tuple[list[Tensor], Tensor]:
            leaves = {name: part.detach().requires_grad_() for name, part in layout.parameters(row).items()}
            loss, output = training(leaves, dict(zip(names, buffers, strict=True)), mask, target)
            if not leaves:
                return [], output
            found = torch.autograd.grad(
                loss, list(leaves.values()), allow_unused=True, materialize_grads=True
            )
            return [part.reshape(-1).contiguous() for part in found], output.detach()

        def output(row: Tensor, mask: Tensor, target: Tensor, *buffers: Tensor) -> Any:
            return evaluation(layout.parameters(row), dict(zip(names, buffers, strict=True)), mask, target)

        self._gradient, self._output = Recorded(gradient), Recorded(output)

    def refresh(
        self, epoch: int, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None
    ) -> None:
        if not self._every or epoch % self._every:
            return
        ((row, mask, target, *own),) = self._each(rows, buffers, masks, targets)
        parameters, named = self._layout.parameters(row), dict(zip(self._names, own, strict=True))
        graph = self._networks[1].refreshed(epoch, parameters, named, mask, target)
        if graph is None:
            return
        for network in self._networks:
            network.objective.problem = replace(network.objective.problem, graph=graph)
        self._forget()

    def gradient(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> tuple[list[Tensor], Tensor]:
        found = [self._gradient(*inputs) for inputs in self._each(rows, buffers, masks, targets)]
        parts = zip(*(gradients for gradients, _ in found), strict=True)
        return [_stacked(part) for part in parts], _stacked([outputs for _, outputs in found])

    def outputs(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None = None
    ) -> Tensor:
        with torch.no_grad():
            return _stacked([self._output(*inputs) for inputs in self._each(rows, buffers, masks, targets)])

    def _each(
        self, rows: Tensor, buffers: dict[str, Tensor], masks: Tensor, targets: Tensor | None
    ) -> Iterator[tuple[Tensor, ...]]:
        for number, (row, mask) in enumerate(zip(rows, masks, strict=True)):
            target = self.problem.target if targets is None else targets[number]
            yield row, mask, target, *(buffers[name][number] for name in self._names)


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    return tensors[0].unsqueeze(0) if len(tensors) == 1 else torch.stack(list(tensors))  # one is not copied
