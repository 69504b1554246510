"""Powers of the adjacency side by side: a layer that can compare a node with its neighbours near and far."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import empty_weight, times

MIXHOP = "Abu-El-Haija et al.: MixHop, ICML 2019"


class MixHopConv(nn.Module):
    r"""Mixed powers of the adjacency (`Abu-El-Haija et al., ICML 2019 <https://arxiv.org/abs/1905.00067>`_).

    With powers :math:`p_1, \dots, p_P`:

    .. math::
        H' = [\hat A^{p_1} H W_1, \dots, \hat A^{p_P} H W_P] + b

    A linear map after it can subtract one power from another, which one averaging matrix never can.

    Args:
        in_channels: Columns of H.
        out_channels: Columns F of every power; the result has P F.
        powers: Which powers of :math:`\hat A`, each once; 0 is the node itself.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        bias: Add b after the aggregation.
        init: Initialisation of each W; b begins at 0.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, len(powers) * out_channels]``, in the order of the powers.

    Notes:
        The weights are one matrix ``[in_channels, P F]``, multiplied before the filter, and the powers share their
        products: :math:`[\hat A Z_1, \hat A^2 Z_2] = \hat A [Z_1, \hat A Z_2]`, one product for each power up to the
        largest. PyG has the bias, the paper has none (``bias``); the paper lets powers have widths of their own,
        here all have one, as in PyG.

    Example:
        >>> MixHopConv(3, 4)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 12])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        powers: Sequence[int] = (0, 1, 2),
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
        bias: bool = True,
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        if not powers or min(powers) < 0 or len(set(powers)) < len(powers):
            raise InputError(f"Got the powers {list(powers)}.", "Expected whole numbers from 0, each once.")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.powers, self.filter, self.init = tuple(powers), checked_filter(filter), init
        self.weight = empty_weight(in_channels, out_channels, beside=len(self.powers))
        self.bias = nn.Parameter(torch.empty(len(self.powers) * out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=len(self.powers))
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        Z = times(x, self.weight).split(self.out_channels, dim=1)
        A_hat = filtered(A, self.filter)
        ahead: dict[int, Tensor] = {}  # what still has products before it, by power
        for power in range(max(self.powers), -1, -1):
            if ahead:
                shared = A_hat @ torch.cat(list(ahead.values()), dim=1)  # Â [Z_p, Â Z_(p+1), ...]
                ahead = dict(zip(ahead, shared.split(self.out_channels, dim=1), strict=True))
            if power in self.powers:
                ahead[power] = Z[self.powers.index(power)]
        H = torch.cat([ahead[power] for power in self.powers], dim=1)
        return H if self.bias is None else H + self.bias

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, powers={self.powers}, filter={self.filter}"
