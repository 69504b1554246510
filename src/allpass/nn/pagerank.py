"""Propagation by PageRank: personalised with fixed weights (APPNP), generalised with learned ones (GPR)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.nn.inputs import Filter
from allpass.nn.polynomial import PolynomialFilter

PPNP = "Gasteiger et al.: Predict then Propagate, ICLR 2019"
GPR = "Chien et al.: Adaptive Universal Generalized PageRank Graph Neural Network, ICLR 2021"


class APPNP(PolynomialFilter):
    r"""Personalised PageRank of `Gasteiger et al., ICLR 2019 <https://arxiv.org/abs/1810.05997>`_.

    .. math::
        Z_0 = H, \quad Z_{t+1} = (1 - \alpha) \hat A Z_t + \alpha H, \qquad
        Z_K = (1-\alpha)^K \hat A^K H + \sum_{k=0}^{K-1} \alpha (1-\alpha)^k \hat A^k H

    Args:
        hops: K.
        alpha: The share of H that is put back in every step, from 0 to 1.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        edge_dropout: Probability of dropping an entry of :math:`\hat A` while training, anew in every step.

    Shapes:
        x ``[N, F]``; result ``[N, F]``. Nothing is learned.

    Notes:
        The authors train with an ``edge_dropout`` of 0.5; the tables of later papers have none, the default here.

    Example:
        >>> APPNP(hops=1, alpha=0.2)(torch.tensor([[1.0], [0.0]]), torch.tensor([[0, 1], [1, 0]]))
        tensor([[0.6000],
                [0.4000]])
    """

    def __init__(
        self,
        hops: int = 10,
        alpha: float = 0.1,
        *,
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
        edge_dropout: float = 0.0,
    ) -> None:
        super().__init__(hops, filter, edge_dropout=edge_dropout)
        self.alpha = alpha
        self._weights = pagerank_weights(hops, alpha)

    def coefficients(self) -> list[float]:
        return self._weights

    def extra_repr(self) -> str:
        return f"{self.degree}, alpha={self.alpha:g}, filter={self.filter}"


class GPRFilter(PolynomialFilter):
    r"""Generalised PageRank of `Chien et al., ICLR 2021 <https://arxiv.org/abs/2006.07988>`_.

    .. math::
        H' = \sum_{k=0}^{K} \gamma_k \hat A^k H

    with learned :math:`\gamma_k` of any sign, so that it may become a high-pass filter as well.

    Args:
        hops: K.
        alpha: For the initialisation.
        init: How :math:`\gamma` begins:

            * ``"ppr"``: as :class:`APPNP`, :math:`\alpha (1-\alpha)^k` and :math:`(1-\alpha)^K` for k = K;
            * ``"nppr"``: in proportion to :math:`\alpha^k`, absolute values adding up to 1; a negative
              :math:`\alpha` gives alternating signs;
            * ``"random"``: uniform in :math:`\pm \sqrt{3 / (K + 1)}`, then absolute values adding up to 1;
            * ``"sgc"``: 1 for k = K and 0 elsewhere;
            * K + 1 numbers: a start of your own (``WS`` in the authors' code).
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.

    Shapes:
        x ``[N, F]``; result ``[N, F]``; :attr:`gamma` ``[K + 1]``.

    Notes:
        For ``"sgc"`` the authors' code reads the hop with the 1 from alpha; here numbers do that.
        :math:`\gamma` is trained without weight decay.

    Example:
        >>> GPRFilter(hops=2, alpha=0.5).gamma.tolist()
        [0.5, 0.25, 0.25]
    """

    def __init__(
        self,
        hops: int = 10,
        *,
        alpha: float = 0.1,
        init: str | Sequence[float] = "ppr",
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    ) -> None:
        super().__init__(hops, filter)
        self.alpha, self.init = alpha, init
        self.gamma = nn.Parameter(torch.empty(hops + 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew."""
        with torch.no_grad():
            self.gamma.copy_(torch.as_tensor(start(self.init, self.degree, self.alpha)))

    def coefficients(self) -> Tensor:
        return self.gamma

    def extra_repr(self) -> str:
        return f"{self.degree}, init={self.init}, filter={self.filter}"


def pagerank_weights(hops: int, alpha: float) -> list[float]:
    r"""The weights of personalised PageRank after ``hops`` steps; they add up to 1.

    Example:
        >>> pagerank_weights(2, 0.5)
        [0.5, 0.25, 0.25]
    """
    if not 0 <= alpha <= 1:
        raise InputError(f"Got alpha = {alpha}.", "Expected the share of a return, from 0 to 1.")
    return [*(alpha * (1 - alpha) ** k for k in range(hops)), (1 - alpha) ** hops]


def _negative_pagerank(hops: int, alpha: float) -> list[float]:
    powers = [alpha**k for k in range(hops + 1)]
    return [power / sum(map(abs, powers)) for power in powers]


def _random(hops: int, alpha: float) -> Tensor:  # noqa: ARG001 - called like the others
    drawn = nn.init.uniform_(torch.empty(hops + 1), -math.sqrt(3 / (hops + 1)), math.sqrt(3 / (hops + 1)))
    return drawn / drawn.abs().sum()


Start: TypeAlias = Callable[[int, float], Sequence[float] | Tensor]
STARTS: dict[str, Start] = {
    "ppr": pagerank_weights,
    "nppr": _negative_pagerank,
    "random": _random,
    "sgc": lambda hops, _: [0.0] * hops + [1.0],
}


def start(init: str | Sequence[float], hops: int, alpha: float) -> Sequence[float] | Tensor:
    """The first weights of :class:`GPRFilter`, ``[hops + 1]``."""
    if not isinstance(init, str):
        if len(init) != hops + 1:
            raise InputError(
                f"Got {len(init)} weights for {hops} hops.",
                f"Expected {hops + 1}: one for each hop from 0 on.",
            )
        return init
    if init.lower() not in STARTS:
        raise UnknownNameError(
            f"There is no start {init!r} of the weights.", did_you_mean(init.lower(), sorted(STARTS))
        )
    return STARTS[init.lower()](hops, alpha)
