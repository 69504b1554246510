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
    """``function.apply(*inputs)``: its ``forward`` alone where no derivative is wanted.

    Sparse products have no half precision on a CPU, so autocast ends here; and a compiler leaves them as they are.
    """
    if torch.compiler.is_dynamo_compiling():
        return _uncompiled(function, *inputs)
    if torch._C._is_any_autocast_enabled():
        kind = next(x.device.type for x in inputs if isinstance(x, Tensor))
        if autocasts(kind):
            with torch.autocast(kind, enabled=False):
                return call(function, *(full_precision(x) for x in inputs))
    if torch._C._are_functorch_transforms_active():
        return function.apply(*inputs)
    if is_plain(*inputs):
        return function.forward(*inputs)
    return super(Function, function).apply(*inputs)  # type: ignore[misc]


def autocasts(device_type: str) -> bool:
    """Whether autocast is on for a kind of device."""
    return device_type in ("cpu", "cuda") and torch.is_autocast_enabled(device_type)


def full_precision(x: Any) -> Any:
    """What autocast has made short, as float32 again."""
    return x.float() if isinstance(x, Tensor) and x.dtype in (torch.float16, torch.bfloat16) else x


@torch.compiler.disable  # type: ignore[untyped-decorator]
def _uncompiled(function: type[Function], *inputs: Any) -> Any:
    return call(function, *inputs)
