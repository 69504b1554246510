"""Calling an ``autograd.Function`` at the price of what it does.

``Function.apply`` reads the signature of ``forward`` at every call, which takes longer than a small sparse product.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad


def is_plain(*inputs: Any) -> bool:
    """Whether nobody wants a derivative, a batch or a trace of what is computed from these."""
    wanted = torch.is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in inputs)
    return not (
        wanted
        or torch._C._are_functorch_transforms_active()
        or forward_ad._current_level >= 0
        or torch.compiler.is_exporting()
    )


def call(function: type[Function], *inputs: Any) -> Any:
    """``function.apply(*inputs)``: its ``forward`` alone where no derivative is wanted."""
    if torch._C._are_functorch_transforms_active():
        return function.apply(*inputs)
    if is_plain(*inputs):
        return function.forward(*inputs)
    return super(Function, function).apply(*inputs)  # type: ignore[misc]
