"""How the size of signals and gradients travels through a model, measured at its layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, Graph
from allpass.nn.propagation import LayerRecord, Propagation


@torch.enable_grad()
def measure_propagation(
    model: nn.Module,
    x: Features,
    edge_index: Graph,
    labels: Tensor,
    *,
    at: type[nn.Module] | Sequence[str] | None = None,
) -> Propagation:
    """The sizes that a model has, layer by layer, in one forward and backward pass.

    The loss is the cross-entropy summed over all nodes, as the report's appendix has it. The model runs in evaluation
    mode (no dropout) and is left as it was; gradients that it holds are not touched.

    Args:
        model: Called as ``model(x, edge_index)``; gives logits ``[N, C]``.
        x: Features.
        edge_index: The graph: edges ``[2, E]``, or an Operator, or a sparse matrix.
        labels: Classes ``[N]``; nodes with the label -1 are left out of the loss.
        at: Which modules' outputs to look at: those of a type, or those with these names (``model.named_modules()``).
            By default the graph layers: the modules side by side that are called with a graph.

    Example:
        >>> from allpass.nn import GCNConv
        >>> edge_index = torch.tensor([[0, 1], [1, 0]])
        >>> flow = measure_propagation(GCNConv(3, 4), torch.eye(2, 3), edge_index, torch.tensor([0, 3]))
        >>> flow[0].width
        4
    """
    logits, calls = _run(model, x, edge_index, at)
    if labels.shape != logits.shape[:1]:
        raise InputError(
            f"Got labels of shape {list(labels.shape)} and logits of shape {list(logits.shape)}.",
            "Expected one class for each node.",
        )
    loss = F.cross_entropy(logits, labels, ignore_index=-1, reduction="sum")
    signals = [call.out for call in calls if call.out is not None]
    weights = [_largest_matrix(call.module) for call in calls]
    wanted = signals + [W for W in weights if W is not None]
    found = iter(torch.autograd.grad(loss, wanted, allow_unused=True, materialize_grads=True))
    gradients = [next(found) for _ in signals]
    return Propagation(
        tuple(
            LayerRecord(
                call.name,
                H.shape[-1],
                _variance(H),
                float(H.detach().double().square().sum()),
                _variance(G),
                math.nan if W is None else _variance(next(found)),
            )
            for call, H, G, W in zip(calls, signals, gradients, weights, strict=True)
        )
    )


def _variance(values: Tensor) -> float:
    return float(values.detach().double().var(correction=0))


def _largest_matrix(module: nn.Module) -> Tensor | None:
    matrices = [p for p in module.parameters() if p.dim() >= 2 and p.requires_grad]
    return max(matrices, key=Tensor.numel, default=None)


@dataclass
class _Call:
    """A module at work: whether it was given a graph, the calls it made itself, and its result."""

    name: str
    module: nn.Module
    with_graph: bool = False
    inner: list[_Call] = field(default_factory=list)
    out: Tensor | None = None


def _run(
    model: nn.Module, x: Features, edge_index: Graph, at: type[nn.Module] | Sequence[str] | None
) -> tuple[Tensor, list[_Call]]:
    """The logits, and the calls of the modules to look at, in the order in which they ended."""
    names = {module: name for name, module in model.named_modules()}
    fits = _rule(at, list(names.values()))
    root = _Call("", model)
    running, modes = [root], {module: module.training for module in names}
    hooks = []
    for module, name in names.items():
        hooks.append(module.register_forward_pre_hook(partial(_begin, running, name), with_kwargs=True))
        hooks.append(module.register_forward_hook(partial(_end, running)))
    try:
        model.eval()
        logits = model(x, edge_index)
    finally:
        for hook in hooks:
            hook.remove()
        for module, mode in modes.items():
            module.training = mode
    calls = _graph_layers(root.inner[0]) if fits is None else list(_chosen(root, fits))
    calls = [call for call in calls if call.out is not None]
    if not calls:
        raise InputError(
            f"Got at={at!r}, and no such module gave a tensor with a gradient.",
            "Name modules that stand between the weights and the logits.",
        )
    return logits, calls


def _begin(
    running: list[_Call],
    name: str,
    module: nn.Module,
    given: tuple[object, ...],
    named: Mapping[str, object],
) -> None:
    more = (*given[1:], *named.values())  # what comes first may be sparse features
    call = _Call(name, module, any(_is_graph(value) for value in more))
    running[-1].inner.append(call)
    running.append(call)


def _is_graph(value: object) -> bool:
    if isinstance(value, Tensor):
        return value.layout != torch.strided or not value.is_floating_point()
    return isinstance(value, Operator)


def _end(running: list[_Call], _module: nn.Module, _given: tuple[object, ...], output: object) -> object:
    call = running.pop()
    first = output[0] if isinstance(output, tuple) and output else output
    if not isinstance(first, Tensor) or not first.requires_grad:
        return None
    call.out = first
    return (
        first.clone() if output is first else None
    )  # so that an activation in place does not change what we hold


def _graph_layers(call: _Call) -> list[_Call]:
    """The calls with a graph that stand side by side; frames that only hold one other such call are passed through."""
    inner = [part for part in call.inner if part.with_graph]
    if len(inner) == 1:
        return _graph_layers(inner[0])
    return inner or [call]


def _rule(at: type[nn.Module] | Sequence[str] | None, names: Sequence[str]) -> Callable[[_Call], bool] | None:
    if at is None:
        return None
    if isinstance(at, type):
        return lambda call: isinstance(call.module, at)
    for name in at:
        if name not in names:
            raise UnknownNameError(
                f"There is no module {name!r} in the model.", did_you_mean(name, list(names))
            )
    return lambda call: call.name in at


def _chosen(call: _Call, fits: Callable[[_Call], bool]) -> Iterator[_Call]:
    for part in call.inner:
        yield from _chosen(part, fits)
        if fits(part):
            yield part
