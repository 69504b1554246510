"""GCNII: deep graph convolution with an initial residual and weights near the identity."""

from __future__ import annotations

import math
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, as_features, checked_filter, dense, filtered, read
from allpass.nn.linear import check_fit
from allpass.nn.tall import replicated

CHEN = "Chen et al.: Simple and Deep Graph Convolutional Networks, ICML 2020"

Weights = Literal["shared", "separate", "separate-unscaled"]


class GCN2Conv(nn.Module):
    r"""The layer of GCNII (`Chen et al., ICML 2020 <https://arxiv.org/abs/2007.02133>`_).

    .. math::
        H' = ((1 - \alpha) \hat A H + \alpha H_0) ((1 - \beta) I + \beta W), \qquad
        \beta = \mathrm{ln}(\lambda / l + 1)

    in layer l of a network whose first hidden features are :math:`H_0`; and of GCNII*, with weights for each term:

    .. math::
        H' = (1 - \alpha) \hat A H ((1 - \beta) I + \beta W_1) + \alpha H_0 ((1 - \beta) I + \beta W_2)

    Args:
        channels: Columns of H, :math:`H_0` and H'.
        layer: l, counted from 1.
        alpha: Share of the initial residual, from 0 to 1.
        theta: :math:`\lambda`, 0 or more; the larger, the farther the weights may be from the identity.
        weights: ``"shared"`` (GCNII), ``"separate"`` (GCNII*), or ``"separate-unscaled"``, GCNII* of the authors' code.
        filter: The matrix :math:`\hat A`: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        init: Initialisation of the weights; the authors' is uniform in :math:`\pm 1/\sqrt{F}`.

    Shapes:
        x and initial ``[N, channels]``; result ``[N, channels]``. Sparse features become dense here: they have to be
        mapped to few columns first.

    Notes:
        The authors' code of GCNII* has :math:`(1-\beta)((1-\alpha) \hat A H + \alpha H_0)
        + \beta (\hat A H W_1 + H_0 W_2)`, without :math:`\alpha` beside the weights: ``weights="separate-unscaled"``.
        The paper's formula, the default of GCNII* here, is also PyG's. There is no bias and no activation inside.

    Example:
        >>> conv = GCN2Conv(4, layer=2)
        >>> x = torch.ones(2, 4)
        >>> conv(x, torch.tensor([[0, 1], [1, 0]]), initial=x).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        channels: int,
        *,
        layer: int = 1,
        alpha: float = 0.1,
        theta: float = 0.5,
        weights: Weights = "shared",
        filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.channels, self.alpha, self.beta = channels, alpha, checked_beta(layer, alpha, theta, weights)
        self.weights, self.filter, self.init = weights, checked_filter(filter), init
        self.weight = nn.Parameter(torch.empty(channels, channels))
        self.initial_weight = None if weights == "shared" else nn.Parameter(torch.empty(channels, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init)
        if self.initial_weight is not None:
            initialise_(self.initial_weight, self.init)

    def forward(
        self,
        x: Features,
        edge_index: Graph,
        edge_weight: Tensor | None = None,
        *,
        initial: Features | None = None,
    ) -> Tensor:
        """The layer on H = ``x`` and :math:`H_0` = ``initial``, which is ``x`` itself where it is not given."""
        x, A = read(x, edge_index, edge_weight)
        check_fit(x, self.weight.shape[0], self.weight.dtype)
        H = dense(x)
        H_0 = H if initial is None else dense(as_features(initial))
        if H_0.shape != H.shape:
            raise InputError(
                f"Got initial features of shape {list(H_0.shape)} beside {list(H.shape)}.",
                "Expected the same shape: both are hidden features of one network.",
            )
        P = filtered(A, self.filter) @ H
        own, first = (1 - self.alpha) * P, self.alpha * H_0
        residual = own + first  # (1 - α) Â H + α H_0
        if self.initial_weight is None:
            learned = replicated(residual, self.weight)
        elif self.weights == "separate":
            learned = replicated(own, self.weight) + replicated(first, self.initial_weight)
        else:
            learned = replicated(P, self.weight) + replicated(H_0, self.initial_weight)
        return (1 - self.beta) * residual + self.beta * learned

    def extra_repr(self) -> str:
        return f"{self.channels}, alpha={self.alpha:g}, beta={self.beta:.3g}, weights={self.weights}"


def checked_beta(layer: int, alpha: float, theta: float, weights: Weights) -> float:
    """β = ln(λ / l + 1) of a layer, or a complaint about its options.

    Args:
        layer: l, counted from 1.
        alpha: Share of the initial residual, from 0 to 1.
        theta: λ, 0 or more.
        weights: One of ``Weights``.
    """
    if layer < 1 or theta < 0 or not 0 <= alpha <= 1:
        raise InputError(
            f"Got layer = {layer}, theta = {theta}, alpha = {alpha}.",
            "Expected a layer of 1 or more, theta of 0 or more and alpha from 0 to 1.",
        )
    if weights not in get_args(Weights):
        raise InputError(f"Got the weights {weights!r}.", f"Expected one of {', '.join(get_args(Weights))}.")
    return math.log(theta / layer + 1)
