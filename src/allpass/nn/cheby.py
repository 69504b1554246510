"""Chebyshev filters with a linear map for each degree."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import empty_weight, times
from allpass.nn.polynomial import Apply, checked_degree, clenshaw

CHEBY = "Defferrard et al.: CNNs on Graphs with Fast Localized Spectral Filtering, NeurIPS 2016"


class ChebConv(nn.Module):
    r"""The spectral convolution of `Defferrard et al., NeurIPS 2016 <https://arxiv.org/abs/1606.09375>`_.

    .. math::
        H' = \sum_{k=0}^{K} T_k(\tilde L) H W_k + b, \qquad \tilde L = \frac{2}{\lambda_{max}} L - I, \qquad L = I - S

    with the Chebyshev polynomials :math:`T_0 = 1`, :math:`T_1(t) = t`, :math:`T_k = 2 t T_{k-1} - T_{k-2}`.

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        degree: K, 0 or more. PyG's ``K`` is the number of terms, one more.
        lambda_max: What counts as the largest eigenvalue of L; 2 bounds it for every graph.
        filter: The matrix S beside L: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        bias: Add b.
        init: Initialisation of every :math:`W_k`; b begins at 0.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``; :attr:`weight`
        ``[in_channels, (K + 1) out_channels]`` holds the :math:`W_k` side by side.

    Notes:
        PyG drops self-loops and divides by the degrees of sources; here self-loops count and degrees are row sums.
        On undirected graphs without self-loops the two agree. All :math:`H W_k` are one product, and Clenshaw's
        scheme then makes K sparse products as narrow as the result.

    Example:
        >>> ChebConv(3, 4, degree=2)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        degree: int = 2,
        lambda_max: float = 2.0,
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
        bias: bool = True,
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        if not lambda_max > 0:
            raise InputError(f"Got lambda_max = {lambda_max}.", "Expected an eigenvalue above 0.")
        self.in_channels, self.out_channels, self.degree = in_channels, out_channels, checked_degree(degree)
        self.lambda_max, self.filter, self.init = float(lambda_max), checked_filter(filter), init
        self.weight = empty_weight(in_channels, out_channels, beside=degree + 1)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=self.degree + 1)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        terms = times(x, self.weight).split(self.out_channels, dim=1)  # H [W_0, ..., W_K]
        H = clenshaw(self._rescaled(A), lambda k: terms[k], self.degree)  # Σ_k T_k(L~) H W_k
        return H if self.bias is None else H + self.bias

    def _rescaled(self, A: Operator) -> Apply:
        """The product with 2 L / lambda_max - I, which is - S for the largest eigenvalue 2."""
        S, scale = filtered(A, self.filter), 2 / self.lambda_max
        if scale == 1:
            return lambda Z: -(S @ Z)
        return lambda Z: (scale - 1) * Z - scale * (S @ Z)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, degree={self.degree}, filter={self.filter}"
