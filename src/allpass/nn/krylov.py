"""The truncated block Krylov layer: every power of the filter up to a limit, each with weights of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.krylov import krylov_basis
from allpass.graph.linear import LinearMap
from allpass.graph.operator import Operator
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import check_fit, empty_weight, times
from allpass.nn.tall import replicated


class KrylovConv(nn.Module):
    r"""The truncated block Krylov layer of `Luan et al., NeurIPS 2019 <https://arxiv.org/abs/1906.02174>`_.

    .. math::
        H' = [H, \hat A H, \dots, \hat A^{m-1} H] W + b, \qquad W \in \mathbb{R}^{mF \times O}

    Every graph convolution with an analytic filter has this form for a large enough m (report 2.1), so the layer
    holds all of them up to the powers it is cut off at. One layer looks m - 1 steps far.

    Args:
        in_channels: Columns F of H.
        out_channels: Columns O of H'.
        blocks: m, 1 or more; 1 is a linear map that does not look at the graph.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        bias: Add b.
        init: Initialisation of W; the authors' is uniform in :math:`\pm 1/\sqrt{O}`, and b is always drawn from that.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        The paper writes :math:`\hat A_{sym}`; the authors' code has :math:`\hat A_{rw}`, the default here. m F O
        weights. The powers are never built. Where the result is narrower than H, or H is sparse, the layer multiplies
        by W first, as :math:`H W_0 + \hat A (H W_1 + \hat A (H W_2 + \dots))`, so that the sparse products are as
        narrow as they can be.

    Example:
        >>> edge_index = torch.tensor([[0, 1], [1, 0]])
        >>> KrylovConv(3, 4, blocks=5)(torch.ones(2, 3), edge_index).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        blocks: int = 3,
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        bias: bool = True,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        if blocks < 1:
            raise InputError(f"Got {blocks} blocks.", "Expected 1 or more; 1 is H alone.")
        self.in_channels, self.out_channels, self.blocks = in_channels, out_channels, blocks
        self.filter, self.init = checked_filter(filter), init
        self.weight = empty_weight(in_channels, out_channels, stacked=blocks)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.bias is not None:
            bound = max(self.out_channels, 1) ** -0.5
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        check_fit(x, self.in_channels, self.weight.dtype)
        L = filtered(A, self.filter)
        if isinstance(x, Operator) or self.out_channels < self.in_channels:
            H = self._weights_first(x, L)
        else:
            H = replicated(krylov_basis(L, x, self.blocks), self.weight)  # K_m(Â, H) W
        return H if self.bias is None else H + self.bias

    def _weights_first(self, x: Features, L: LinearMap) -> Tensor:
        """The same from the innermost bracket out."""
        blocks = self.weight.reshape(self.blocks, self.in_channels, self.out_channels)
        products = times(x, blocks.transpose(0, 1).flatten(1))  # [N, m O]: H [W_0, ..., W_(m-1)]
        *others, total = products.split(self.out_channels, dim=1)
        for product in reversed(others):
            total = product + L @ total  # H W_k + Â (...)
        return total

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, blocks={self.blocks}, filter={self.filter}"
