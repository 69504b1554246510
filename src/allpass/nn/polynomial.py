r"""Polynomial filters: the one base of SGC, APPNP, GPR, Chebyshev and Bernstein networks.

Every one of them computes :math:`\sum_k P_k(S) H_k` for a matrix S of the graph, some basis of polynomials
:math:`P_0, \dots, P_K` and signals :math:`H_k`: either one signal times numbers, :math:`H_k = c_k H`, or one linear
map for each degree, :math:`H_k = X W_k`. :func:`horner` and :func:`clenshaw` evaluate it from the highest degree down
with K products by S, and nothing but H has to be kept for the gradient: no power of S, no polynomial of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, dense, filtered, read
from allpass.nn.linear import empty_weight, times

SGC = "Wu et al.: Simplifying Graph Convolutional Networks, ICML 2019"

Apply: TypeAlias = Callable[[Tensor], Tensor]
Term: TypeAlias = Callable[[int], Tensor]
Scheme: TypeAlias = Callable[[Apply, Term, int], Tensor]


def horner(apply: Apply, term: Term, degree: int) -> Tensor:
    r""":math:`\sum_k S^k H_k = H_0 + S (H_1 + S (H_2 + \dots))`.

    Args:
        apply: The product with S.
        term: The signal :math:`H_k` of a degree k.
        degree: The highest k.

    Example:
        >>> horner(lambda z: 3 * z, lambda k: torch.tensor(1.0), 2)
        tensor(13.)
    """
    Z = term(degree)
    for k in reversed(range(degree)):
        Z = term(k) + apply(Z)
    return Z


def clenshaw(apply: Apply, term: Term, degree: int) -> Tensor:
    r""":math:`\sum_k T_k(S) H_k` of Chebyshev polynomials, by :math:`B_k = H_k + 2 S B_{k+1} - B_{k+2}`.

    The last step, for k = 0, has S in place of 2 S. Stable where the eigenvalues of S lie in [-1, 1].

    Args:
        apply: The product with S.
        term: The signal :math:`H_k` of a degree k.
        degree: The highest k.

    Example:
        >>> clenshaw(lambda z: 3 * z, lambda k: torch.tensor(1.0), 2)  # 1 + 3 + (2 * 9 - 1)
        tensor(21.)
    """
    B, above = term(degree), None
    for k in reversed(range(degree)):
        Z = torch.add(term(k), apply(B), alpha=2 if k else 1)
        B, above = (Z if above is None else Z - above), B
    return B


class PolynomialFilter(nn.Module, ABC):
    r"""A filter :math:`p(S) H = \sum_k c_k P_k(S) H` without a linear map: what a propagation step is.

    A subclass says which coefficients :math:`c_k` there are, and in which basis, by its scheme.

    Args:
        degree: K, the highest k, 0 or more.
        filter: The matrix S: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        scheme: :func:`horner` for powers of S, :func:`clenshaw` for Chebyshev polynomials.
        edge_dropout: Probability of dropping an entry of S while training, anew in each of the K products.

    Shapes:
        x ``[N, F]``; result ``[N, F]``. Sparse features become dense here: map them to fewer columns first.
    """

    def __init__(
        self,
        degree: int,
        filter: Filter,  # noqa: A002 - the word of the formula
        scheme: Scheme = horner,
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.degree, self.filter, self.scheme = checked_degree(degree), checked_filter(filter), scheme
        self.edge_dropout = Dropout(edge_dropout) if edge_dropout else None

    @abstractmethod
    def coefficients(self) -> Sequence[float] | Tensor:
        """The numbers c_0, ..., c_K."""

    def reset_parameters(self) -> None:
        """Begin anew."""

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        H = dense(x)
        c = self.coefficients()
        return self.scheme(self._product(A), lambda k: c[k] * H, self.degree)  # Σ_k c_k P_k(S) H

    def response(self, eigenvalues: Tensor) -> Tensor:
        """p at eigenvalues of S (not of a Laplacian): what the filter does to each frequency."""
        c, ones = self.coefficients(), torch.ones_like(eigenvalues)
        return self.scheme(lambda z: eigenvalues * z, lambda k: c[k] * ones, self.degree)

    def _product(self, A: Operator) -> Apply:
        S, drop = filtered(A, self.filter), self.edge_dropout
        if drop is None or not self.training:
            return lambda Z: S @ Z
        if not isinstance(S, Operator):
            raise InputError(
                f"Got edge_dropout with the filter {self.filter!r}, which is not stored as one matrix.",
                "Choose an affinity such as 'A_hat_sym', or no edge_dropout.",
            )
        return lambda Z: S.with_values(drop(S.values)) @ Z

    def extra_repr(self) -> str:
        return f"{self.degree}, filter={self.filter}"


class SGConv(nn.Module):
    r"""The simplified graph convolution of `Wu et al., ICML 2019 <https://arxiv.org/abs/1902.07153>`_.

    .. math::
        H' = \hat A^k H W

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        hops: k, 0 or more.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        bias: Add b at the end.
        init: Initialisation of W; b begins at 0.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        The paper has :math:`\hat A_{sym}` and a bias; the SGC-k of the ACM paper, the default here, has
        :math:`\hat A_{rw}` and none. H W comes first, so the k sparse products are as narrow as the result.

    Example:
        >>> SGConv(3, 4, hops=2)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hops: int = 1,
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        bias: bool = False,
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.hops = in_channels, out_channels, checked_degree(hops)
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
        H = filtered(A, self.filter) ** self.hops @ times(x, self.weight)  # Â^k H W
        return H if self.bias is None else H + self.bias

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, hops={self.hops}, filter={self.filter}"


def checked_degree(degree: int) -> int:
    """``degree``, when it is one."""
    if degree < 0:
        raise InputError(f"Got a filter of degree {degree}.", "Expected 0 or more products with the graph.")
    return degree
