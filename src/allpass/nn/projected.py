"""A linear map in front of a layer that keeps the width of its features."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import Linear


class Projected(nn.Module):
    r"""A layer f after a linear map, :math:`f(H W + b)`: so a filter or a GCNII layer fits between any two widths.

    Args:
        in_channels: Columns of H.
        out_channels: Columns that the layer takes and gives.
        layer: f, called as ``layer(x, edge_index)``, with ``labels=`` and ``mask=`` too where it takes them.
        bias: Add b.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Example:
        >>> import torch
        >>> from allpass.nn import APPNP
        >>> conv = Projected(3, 4, APPNP())
        >>> conv(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(self, in_channels: int, out_channels: int, layer: nn.Module, bias: bool = True) -> None:
        super().__init__()
        self.linear = Linear(in_channels, out_channels, bias=bias)
        self.layer = layer

    def forward(
        self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None, **labels: Tensor
    ) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        return self.layer(self.linear(x), A, **labels)

    def mapped(self, x: Features) -> Tensor:
        """H W + b."""
        return cast(Tensor, self.linear(x))

    def aggregated(self, mapped: Tensor, A: Operator) -> Tensor:
        """f of what :meth:`mapped` gives."""
        return cast(Tensor, self.layer(mapped, A))

    def carried(self, mapped: Tensor) -> Tensor:
        """The same, as wide as the result."""
        return mapped
