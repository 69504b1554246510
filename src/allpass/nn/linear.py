"""A linear map of features, dense or sparse."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, as_features


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
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.bias is not None:
            bound = 1 / math.sqrt(max(self.weight.shape[0], 1))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Features) -> Tensor:
        product = as_features(x) @ self.weight
        return product if self.bias is None else product + self.bias

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}, bias={self.bias is not None}"
