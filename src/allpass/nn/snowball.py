"""The snowball layer: a graph convolution of the input and of everything computed since."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Filter, Graph, filtered, read
from allpass.nn.linear import empty_weight
from allpass.nn.parts import Parts, as_parts, filter_parts, multiply_parts


class SnowballConv(nn.Module):
    r"""One layer of the snowball network (`Luan et al., NeurIPS 2019 <https://arxiv.org/abs/1906.02174>`_).

    .. math::
        H_{l+1} = \hat A [X, H_1, \dots, H_l] W_l + b_l, \qquad W_l \in \mathbb{R}^{(F_0 + \dots + F_l) \times F_{l+1}}

    The activation is the network's business, as is the growing list.

    Args:
        in_channels: Columns of the whole concatenation, :math:`F_0 + \dots + F_l`.
        out_channels: Columns :math:`F_{l+1}` of the result.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        aggregate: Multiply by :math:`\hat A` (p = 1 in the paper's :math:`\hat A^p`), or not (p = 0).
        bias: Add b after the aggregation.
        init: Initialisation of W; the authors' is uniform in :math:`\pm 1/\sqrt{F_{l+1}}`, and b is always drawn from
            that.

    Shapes:
        x ``[N, in_channels]``, or a list of parts ``[N, F_i]`` whose widths add up to that, each of them dense or
        sparse; result ``[N, out_channels]``.

    Notes:
        The paper writes :math:`\hat A_{sym}`; the authors' code has :math:`\hat A_{rw}`, the default here. Their first
        release added b before the aggregation, which is the same for :math:`\hat A_{rw}`, whose rows add up to 1.
        Parts are never put side by side: each meets its own rows of W, so sparse X stays sparse, and the memory of a
        deep snowball grows with its depth, not with the square of it.

    Example:
        >>> edge_index = torch.tensor([[0, 1], [1, 0]])
        >>> X, H = torch.eye(2).to_sparse(), torch.ones(2, 3)
        >>> SnowballConv(5, 4)([X, H], edge_index).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        aggregate: bool = True,
        bias: bool = True,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.filter, self.aggregate, self.init = filter, aggregate, init
        self.weight = empty_weight(in_channels, out_channels)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.bias is not None:
            bound = max(self.out_channels, 1) ** -0.5
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Parts, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        parts = as_parts(x, self.in_channels)
        _, A = read(parts[0], edge_index, edge_weight)
        if self.aggregate:
            H = filter_parts(filtered(A, self.filter), parts, self.weight)  # L [X, H_1, ..., H_l] W
        else:
            H = multiply_parts(parts, self.weight)
        return H if self.bias is None else H + self.bias

    def extra_repr(self) -> str:
        form = f"filter={self.filter}" if self.aggregate else "no aggregation"
        return f"{self.in_channels}, {self.out_channels}, {form}"
