"""Small steps as a flat list of operations: to a CPU what a CUDA graph is to a GPU.

A small network spends most of its time on the way to its operations: modules, checks, automatic differentiation. All of
that gives the same operations on the same tensors at every epoch, so it is done once, and after that the operations
alone. The numbers are the same to the last bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx
from torch.fx.experimental.proxy_tensor import make_fx

AFTER = 20
"""Calls before a function is recorded: fewer are not worth it."""

SLOW = 0.02
"""Seconds of the quickest call from which on the way to the operations no longer matters."""


class Recorded:
    """A function of tensors that is recorded once it has been called some times and was quick.

    Args:
        function: Called with tensors of the same shapes each time; may change them in place.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._calls, self._quickest = 0, math.inf
        self._replay: Callable[..., Any] | None = None

    def __call__(self, *inputs: Tensor) -> Any:
        if self._replay is not None:
            with torch.no_grad():
                return self._replay(*inputs)
        if self._calls == AFTER and self._quickest < SLOW:
            self._replay = record(self._function, *inputs)
        start = time.perf_counter()
        result = self._function(*inputs)
        self._calls, self._quickest = self._calls + 1, min(self._quickest, time.perf_counter() - start)
        return result


def record(function: Callable[..., Any], *inputs: Tensor) -> Callable[..., Any] | None:
    """What a function does with inputs of these shapes; nothing where that hangs on their values.

    Example:
        >>> replay = record(lambda x: (x * 2).relu(), torch.ones(3))
        >>> replay(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([0., 0., 2.])
        >>> record(lambda x: x * 2 if x.sum() > 0 else x, torch.ones(3)) is None
        True
    """
    copies = [tensor.clone() for tensor in inputs]
    function(*copies)  # what is worked out once for a graph is not to be recorded
    try:
        module = make_fx(function)(*copies)
    except RuntimeError:  # it works, as was just seen, so it reads a value, which has no place in a record
        return None
    calls = [node for node in module.graph.nodes if isinstance(node.target, torch._ops.OpOverload)]
    if any(_hangs_on_values(node) for node in calls):
        return None
    for node in calls:
        if node.target is torch.ops.aten.detach.default:
            node.replace_all_uses_with(node.args[0])
            module.graph.erase_node(node)
    module.recompile()
    return module.forward


def _hangs_on_values(node: fx.Node) -> bool:
    tags = node.target.tags  # type: ignore[union-attr]
    return torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags
