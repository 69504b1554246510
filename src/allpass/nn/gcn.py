"""The graph convolution everything is compared with."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.graph.operator import Operator
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import empty_weight, times
from allpass.nn.parts import filter_parts


class GCNConv(nn.Module):
    r"""The graph convolution of `Kipf and Welling, ICLR 2017 <https://arxiv.org/abs/1609.02907>`_.

    .. math::
        H' = \hat A H W + b

    Node by node, with the averaging matrix :math:`\hat A_{rw}`, each row is the mean of the transformed features of
    the node and its neighbours.

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        bias: Add b after the aggregation.
        init: Initialisation of W; b begins at 0.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        PyG's layer of the same name keeps self-loops that the graph already has; :math:`\hat A` here adds I to
        them, as the definition says. On graphs without self-loops the two agree.

    Example:
        >>> edge_index = torch.tensor([[0, 1], [1, 0]])
        >>> GCNConv(3, 4)(torch.ones(2, 3), edge_index).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
        bias: bool = True,
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.filter, self.init = checked_filter(filter), init
        self.weight = empty_weight(in_channels, out_channels)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        H = filter_parts(filtered(A, self.filter), [x], self.weight)  # Â H W
        return H if self.bias is None else H + self.bias

    def mapped(self, x: Features) -> Tensor:
        """H W."""
        return times(x, self.weight)

    def aggregated(self, mapped: Tensor, A: Operator) -> Tensor:
        """Â Z + b of what :meth:`mapped` gives."""
        H = filtered(A, self.filter) @ mapped
        return H if self.bias is None else H + self.bias

    def carried(self, mapped: Tensor) -> Tensor:
        """Z itself, as wide as the result."""
        return mapped

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, filter={self.filter}"
