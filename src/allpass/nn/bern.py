"""Bernstein filters: a learned response over the whole spectrum that is never negative."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.pattern import outside
from allpass.nn.inputs import Filter
from allpass.nn.polynomial import PolynomialFilter, clenshaw

BERN = (
    "He et al.: BernNet: Learning Arbitrary Graph Spectral Filters via Bernstein Approximation, NeurIPS 2021"
)

Beginning = Literal["ones", "ramp"]


class BernFilter(PolynomialFilter):
    r"""The filter of BernNet (`He et al., NeurIPS 2021 <https://arxiv.org/abs/2106.10994>`_).

    .. math::
        H' = \sum_{k=0}^{K} \frac{\mathrm{ReLU}(\theta_k)}{2^K} \frac{K!}{k! (K-k)!} (2I - L)^{K-k} L^k H,
        \qquad L = I - S

    :math:`\theta_k` is, roughly, the response at the eigenvalue 2k/K of L.

    Args:
        degree: K.
        init: How :math:`\theta` begins: ``"ones"``, which lets every frequency pass (the authors' code; p(S) is then
            exactly I, so the first forward does not depend on the graph), or ``"ramp"``, which falls from 1 at the
            lowest frequency to 1/(K + 1) at the highest.
        filter: The matrix S: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.

    Shapes:
        x ``[N, F]``; result ``[N, F]``; :attr:`theta` ``[K + 1]``.

    Notes:
        The authors' code makes K + K(K+1)/2 sparse products. Here the coefficients are first written in the Chebyshev
        basis of S, a fixed linear map, and then K products do, the fewest possible for this degree. The map is stable:
        Bernstein polynomials lie between 0 and 1, so no Chebyshev coefficient is above :math:`2 \max_k \theta_k`.
        :math:`\theta` is trained without weight decay.

    Example:
        >>> filter = BernFilter(degree=4, init="ones")
        >>> filter.response(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([1., 1., 1.], grad_fn=...)
    """

    def __init__(
        self,
        degree: int = 10,
        *,
        init: Beginning = "ones",
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    ) -> None:
        super().__init__(degree, filter, clenshaw)
        if init not in get_args(Beginning):
            raise InputError(f"Got the init {init!r}.", f"Expected one of {', '.join(get_args(Beginning))}.")
        self.init = init
        self.theta = nn.Parameter(torch.empty(degree + 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew."""
        steps = torch.arange(self.degree + 1) / (self.degree + 1)
        with torch.no_grad():
            self.theta.copy_(torch.ones_like(steps) if self.init == "ones" else 1 - steps)

    def coefficients(self) -> Tensor:
        theta = torch.relu(self.theta)
        return theta @ _chebyshev_of_bernstein(self.degree, theta.dtype, theta.device)

    def extra_repr(self) -> str:
        return f"{self.degree}, init={self.init}, filter={self.filter}"


@lru_cache(maxsize=32)
def _chebyshev_of_bernstein(degree: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    r"""Row k: the Chebyshev coefficients in s = 1 - :math:`\lambda` of the k-th Bernstein polynomial on [0, 2].

    With s = cos x and :math:`w = e^{ix}` that polynomial is, up to a factor, :math:`(1+w)^{2(K-k)} (1-w)^{2k} w^{-K}`,
    whose coefficients at :math:`w^j` and :math:`w^{-j}` make that of cos jx. They are whole numbers, so even the
    smallest ones come out right to the last digit, as the complex eigenvalues of directed graphs ask for.
    """
    K = degree

    def coefficient(k: int, j: int) -> float:
        places = range(min(2 * k, K + j) + 1)
        at = sum((-1) ** i * comb(2 * k, i) * comb(2 * (K - k), K + j - i) for i in places)
        return (2 if j else 1) * (-1) ** k * comb(K, k) * at / 4**K

    rows = [[coefficient(k, j) for j in range(K + 1)] for k in range(K + 1)]
    return outside(lambda: torch.tensor(rows, dtype=dtype, device=device), device)
