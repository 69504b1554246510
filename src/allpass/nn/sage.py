"""GraphSAGE: the node and the mean of its neighbours, each with a weight of its own."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, filtered, read
from allpass.nn.linear import empty_weight, times

HAMILTON = "Hamilton, Ying and Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS 2017"


class SAGEConv(nn.Module):
    r"""The mean aggregator of `Hamilton, Ying and Leskovec, NeurIPS 2017 <https://arxiv.org/abs/1706.02216>`_.

    .. math::
        H' = H W_{self} + A_{rw} H W_{neigh} + b

    The paper multiplies :math:`[h_i, \mathrm{mean}_j h_j]` by one matrix, which is the same.

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        filter: How neighbours are aggregated: ``"A_rw"`` is their mean, ``"A"`` their sum; a name of
            ``allpass.graph.MATRICES`` or a function of the adjacency.
        normalize: Scale every row of H' to length 1, as the paper does after the activation.
        bias: Add b, which the paper does not have and PyG's layer has.
        init: Initialisation of the weights; b is uniform in :math:`\pm 1/\sqrt{F_{in}}`.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        Edge weights weigh the mean; PyG's layer ignores them. All neighbours are used: the paper samples some of
        them to work in batches. A node without neighbours keeps its own term alone.

    Example:
        >>> SAGEConv(3, 4)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        filter: Filter = "A_rw",  # noqa: A002 - the word of the formula
        normalize: bool = False,
        bias: bool = True,
        init: Init = "fan-in-uniform",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.filter, self.normalize, self.init = filter, normalize, init
        self.weight = empty_weight(in_channels, out_channels, beside=2)  # [W_self, W_neigh]
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=2)
        if self.bias is not None:
            bound = 1 / math.sqrt(max(self.in_channels, 1))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        own, others = times(x, self.weight).split(self.out_channels, dim=1)
        H = own + filtered(A, self.filter) @ others  # H W_self + A_rw H W_neigh
        if self.bias is not None:
            H = H + self.bias
        return F.normalize(H, dim=1) if self.normalize else H

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, filter={self.filter}"
