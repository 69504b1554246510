r"""Node-wise mixing of channels, conditioned on what the channels hold: step 2 and 3 of adaptive channel mixing."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph.functions import call


class ChannelMixing(nn.Module):
    r"""A weighted sum of C channels, with weights of their own for every node.

    .. math::
        s_c = \sigma(H_c w_c), \qquad
        [\alpha_1, \dots, \alpha_C] = \mathrm{softmax}([s_1, \dots, s_C] W_{mix} / T), \qquad
        H = k \sum_c \mathrm{diag}(\alpha_c) H_c .

    Args:
        channels: C.
        width: Columns F of every channel.
        temperature: T; by default C, as in the authors' code.
        scale: k. The report has 1; the authors' code multiplies a mixture of three channels by 3, so that equal
            weights give the plain sum.
        layer_norm: Normalise every channel before its score (not in the mixture), as the paper of ACM-GCN+ does.

    Shapes:
        channels ``[N, C, F]`` to ``[N, F]``; :attr:`weights` ``[N, C]`` holds the weights of the last forward.

    Notes:
        Scores begin uniform in ±1, :math:`W_{mix}` in :math:`\pm 1/\sqrt{C}`, as in the authors' code. F C + C²
        parameters. Under ``torch.func`` transformations the weights are not kept.
    """

    def __init__(
        self,
        channels: int,
        width: int,
        *,
        temperature: float | None = None,
        scale: float = 1.0,
        layer_norm: bool = False,
    ) -> None:
        super().__init__()
        if temperature is not None and not temperature > 0:
            raise InputError(f"Got the temperature {temperature}.", "Expected a number above 0.")
        self.temperature = float(channels if temperature is None else temperature)
        self.scale = float(scale)
        self.score = nn.Parameter(torch.empty(channels, width))
        self.mix = nn.Parameter(torch.empty(channels, channels))
        self.gain = nn.Parameter(torch.empty(channels, width)) if layer_norm else None
        self.shift = nn.Parameter(torch.empty(channels, width)) if layer_norm else None
        self.weights: Tensor | None = None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new scores and a new mixing matrix."""
        nn.init.uniform_(self.score, -1, 1)
        bound = self.mix.shape[0] ** -0.5
        nn.init.uniform_(self.mix, -bound, bound)
        if self.gain is not None and self.shift is not None:
            nn.init.ones_(self.gain)
            nn.init.zeros_(self.shift)

    def forward(self, channels: Tensor) -> Tensor:
        scored = None
        if self.gain is not None and self.shift is not None:
            scored = F.layer_norm(channels, channels.shape[2:]) * self.gain + self.shift
        options = (self.temperature, self.scale)
        mixture, alpha, _ = call(_Mixture, channels, scored, self.score, self.mix, *options)
        if not torch._C._are_functorch_transforms_active():
            # What a Module does to set an attribute takes as long as a score.
            self.__dict__["weights"] = alpha.detach()
        return mixture

    def extra_repr(self) -> str:
        C, width = self.score.shape
        norm = ", layer_norm" * (self.gain is not None)
        return f"{C} channels of {width}, T={self.temperature:g}, scale={self.scale:g}{norm}"


class _Mixture(Function):
    """k sum_c alpha_c H_c, alpha = softmax(s M / T), s_c = sigmoid(S_c w_c), with alpha and s; S is H or given.

    Written out because the layer is called often: automatic differentiation takes twice as many steps and reads the
    channels twice as many times. The inner results are outputs too, so that derivatives of any order go through them.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        H: Tensor, S: Tensor | None, w: Tensor, M: Tensor, T: float, k: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        s = _scores(H if S is None else S, w).sigmoid()
        alpha = (s @ (M / T)).softmax(dim=1)
        return _weighted_sum(k * alpha, H), alpha, s

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        *tensors, ctx.T, ctx.k = inputs
        ctx.save_for_backward(*tensors, *output[1:])
        ctx.set_materialize_grads(False)  # of the inner results there is seldom a gradient

    @staticmethod
    def backward(
        ctx: Any, d_mixture: Tensor | None, d_alpha: Tensor | None, d_s: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        H, S, w, M, alpha, s = ctx.saved_tensors
        if d_mixture is None:
            d_mixture = torch.zeros_like(H[:, 0])
        d_dots = ctx.k * _dots(H, d_mixture)
        d_alpha = d_dots if d_alpha is None else d_alpha + d_dots
        d_logits = torch._softmax_backward_data(d_alpha, alpha, 1, alpha.dtype) / ctx.T  # of s M
        d_scores = d_logits @ M.mT
        d_z = torch.ops.aten.sigmoid_backward(d_scores if d_s is None else d_s + d_scores, s)
        d_w, d_M = _sums(d_z, H if S is None else S), s.mT @ d_logits
        d_H, d_z = (ctx.k * alpha).unsqueeze(2) * d_mixture.unsqueeze(1), d_z.unsqueeze(2)
        if S is None:
            return torch.addcmul(d_H, d_z, w), None, d_w, d_M, None, None
        return d_H, d_z * w, d_w, d_M, None, None


# The four contractions of H [N, C, F]. Small ones take few steps; large ones go channel by channel, so that no product
# as large as H is written down.
_LARGE = 2**16


def _scores(H: Tensor, w: Tensor) -> Tensor:
    """<H_nc, w_c> as ``[N, C]``."""
    if H.numel() < _LARGE:
        return (H * w).sum(dim=2)
    return torch.stack([part @ row for part, row in zip(H.unbind(1), w.unbind(0), strict=True)], dim=1)


def _dots(H: Tensor, g: Tensor) -> Tensor:
    """<H_nc, g_n> as ``[N, C]``."""
    if H.numel() < _LARGE:
        return (H * g.unsqueeze(1)).sum(dim=2)
    return torch.stack([(part * g).sum(dim=1) for part in H.unbind(1)], dim=1)


def _weighted_sum(alpha: Tensor, H: Tensor) -> Tensor:
    """sum_c alpha_nc H_nc as ``[N, F]``."""
    if H.numel() < _LARGE:
        return (alpha.unsqueeze(2) * H).sum(dim=1)
    first, *others = zip(alpha.split(1, dim=1), H.unbind(1), strict=True)
    total = first[0] * first[1]
    for weight, part in others:
        total = torch.addcmul(total, weight, part)
    return total


def _sums(d_z: Tensor, H: Tensor) -> Tensor:
    """sum_n d_z_nc H_nc as ``[C, F]``."""
    if H.numel() < _LARGE:
        return (d_z.unsqueeze(2) * H).sum(dim=0)
    return torch.stack([part.mT @ column for part, column in zip(H.unbind(1), d_z.unbind(1), strict=True)])
