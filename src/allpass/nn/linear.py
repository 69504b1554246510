"""A linear map of features, dense or sparse, and the words for features that do not fit one."""

from __future__ import annotations

import math
from numbers import Integral

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.functions import autocasts
from allpass.graph.operator import Operator
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, as_features
from allpass.nn.tall import replicated


class Linear(nn.Module):
    r""":math:`X W + b`, for dense or sparse X; the weight is stored as the formulas write it, ``[in, out]``.

    Args:
        in_channels: Columns of X.
        out_channels: Columns of the result.
        bias: Add b.
        init: Name of an initialisation of W, or a function that fills a tensor. By default uniform in
            :math:`\pm 1 / \sqrt{F_{in}}`, as :class:`torch.nn.Linear`; b is always drawn from that interval.

    Example:
        >>> Linear(3, 2)(torch.eye(3).to_sparse()).shape
        torch.Size([3, 2])
    """

    def __init__(
        self, in_channels: int, out_channels: int, bias: bool = True, init: Init = "fan-in-uniform"
    ) -> None:
        super().__init__()
        self.init = init
        self.weight = empty_weight(in_channels, out_channels)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.bias is not None:
            bound = 1 / math.sqrt(max(self.weight.shape[0], 1))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Features) -> Tensor:
        product = times(as_features(x), self.weight)
        return product if self.bias is None else product + self.bias

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}, bias={self.bias is not None}"


def empty_weight(in_channels: int, out_channels: int, *, beside: int = 1, stacked: int = 1) -> nn.Parameter:
    """A matrix of weights that is still to be filled, ``[stacked * in_channels, beside * out_channels]``.

    Example:
        >>> empty_weight(-1, 16)
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: Got in_channels = -1. Expected a whole number, 0 or more.
    """
    for name, width in (("in_channels", in_channels), ("out_channels", out_channels)):
        if isinstance(width, bool) or not isinstance(width, Integral) or width < 0:
            raise InputError(f"Got {name} = {width!r}.", "Expected a whole number, 0 or more.")
    return nn.Parameter(torch.empty(stacked * in_channels, beside * out_channels))


def times(x: Features, weight: Tensor) -> Tensor:
    """X W, the first product of most layers; complains in one sentence about features that do not fit.

    Example:
        >>> times(torch.ones(4, 5), torch.ones(6, 2))
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: Got features of shape [4, 5] for a layer of 6 in_channels. Expected [N, 6].
    """
    check_fit(x, weight.shape[0], weight.dtype)
    return replicated(x, weight) if isinstance(x, Tensor) else x @ weight


def check_fit(x: Features, in_channels: int, dtype: torch.dtype) -> None:
    """Complain about features of another width or precision than a layer's weights."""
    if x.shape[-1] != in_channels:
        raise InputError(
            f"Got features of shape {list(x.shape)} for a layer of {in_channels} in_channels.",
            f"Expected [N, {in_channels}].",
        )
    if x.dtype != dtype and not autocasts(x.device.type):
        raise InputError(
            f"Got features of {x.dtype} in a layer of {dtype}.",
            f"Call model.to({x.dtype}), or x.to({dtype}).",
        )


def check_nodes(A: Operator, num_nodes: int) -> None:
    """Complain about a graph of another size than the layer has rows of weights for."""
    if A.shape[1] != num_nodes:
        raise InputError(
            f"Got a graph of {A.shape[1]} nodes for a layer with weights for {num_nodes}.",
            "Make a new one with this num_nodes=: it belongs to one graph.",
        )
