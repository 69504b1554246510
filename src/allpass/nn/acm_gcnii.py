"""GCNII inside adaptive channel mixing: deep filterbanks with an initial residual."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.nn.gcnii import Weights, checked_beta
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, as_features, checked_filter, dense, filtered, read
from allpass.nn.linear import check_fit
from allpass.nn.mixing import ChannelMixing


class ACMGCN2Conv(nn.Module):
    r"""GCNII's layer with three channels, after `Luan et al., NeurIPS 2022 <https://arxiv.org/abs/2210.07606>`_.

    With :math:`P_L = \hat A`, :math:`P_H = I - \hat A`, :math:`P_I = I` and
    :math:`\beta = \mathrm{ln}(\lambda / l + 1)`, each channel c is

    .. math::
        H_c = \mathrm{ReLU}(((1 - \alpha) P_c H + \alpha H_0)((1 - \beta) I + \beta W_c))

    and the three are mixed node by node. With separate weights (ACM-GCNII*) the initial residual has its own
    :math:`W'_c` in place of :math:`W_c`.

    Args:
        channels: Columns of H, :math:`H_0` and the result.
        layer: l, counted from 1.
        alpha: Share of the initial residual, from 0 to 1.
        theta: :math:`\lambda`, 0 or more.
        weights: As of :class:`~allpass.nn.GCN2Conv`: ``"shared"`` (ACM-GCNII), ``"separate"`` (ACM-GCNII*), or
            ``"separate-unscaled"``, ACM-GCNII* of the authors' code.
        filter: The low-pass filter :math:`\hat A`.
        high: The filter :math:`P_H`; by default I minus the low-pass one.
        scale: Factor of the mixture; by default 3, as in the authors' code of ACM-GCN.
        temperature: T of the softmax; by default 3.
        init: Initialisation of the weights.

    Shapes:
        x and initial ``[N, channels]``; result ``[N, channels]``.

    Notes:
        The paper has no formula for it, and the released code no such network: this is the natural reading, the
        channels of ACM around the layer of GCNII. An earlier public version of the authors' code has it, with
        ``weights="separate-unscaled"`` for ACM-GCNII* and the low-pass filter in the high-pass channel too
        (``high="A_hat_rw"``), so that nothing in that network is high-pass. The order ReLU-then-filter is impossible,
        as the paper says: the filter stands inside the layer.

    Example:
        >>> conv = ACMGCN2Conv(4)
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
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        high: Filter | None = None,
        scale: float | None = None,
        temperature: float | None = None,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.alpha, self.beta = alpha, checked_beta(layer, alpha, theta, weights)
        self.weights, self.filter, self.init = weights, checked_filter(filter), init
        self.high = None if high is None else checked_filter(high, "high")
        self.weight = nn.Parameter(torch.empty(channels, 3 * channels))  # [W_L, W_H, W_I]
        self.initial_weight = None if weights == "shared" else nn.Parameter(torch.empty_like(self.weight))
        self.mixing = ChannelMixing(
            3, channels, temperature=temperature, scale=3.0 if scale is None else scale
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=3)
        if self.initial_weight is not None:
            initialise_(self.initial_weight, self.init, blocks=3)
        self.mixing.reset_parameters()

    @property
    def mixing_weights(self) -> Tensor | None:
        """The weights ``[N, 3]`` of low, high and identity in the last forward."""
        return self.mixing.weights

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
        low = filtered(A, self.filter) @ H
        high = H - low if self.high is None else filtered(A, self.high) @ H
        weights = self.weight.chunk(3, dim=1)
        others = weights if self.initial_weight is None else self.initial_weight.chunk(3, dim=1)
        channels = []
        for P, W, W_0 in zip((low, high, H), weights, others, strict=True):
            own, first = (1 - self.alpha) * P, self.alpha * H_0  # (1 - α) P_c H, α H_0
            match self.weights:
                case "shared":
                    learned = (own + first) @ W
                case "separate":
                    learned = own @ W + first @ W_0
                case "separate-unscaled":
                    learned = P @ W + H_0 @ W_0
            channels.append((1 - self.beta) * (own + first) + self.beta * learned)
        return self.mixing(torch.stack(channels, dim=1).relu())

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, alpha={self.alpha:g}, beta={self.beta:.3g}, weights={self.weights}"
