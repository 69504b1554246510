r"""Node-wise mixing of channels, conditioned on what the channels hold: step 2 and 3 of adaptive channel mixing."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import InputError


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
        C tensors ``[N, F]`` to ``[N, F]``; :attr:`weights` ``[N, C]`` holds the weights of the last forward.

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

    def forward(self, channels: Sequence[Tensor]) -> Tensor:
        scores = [self._score(number, H) for number, H in enumerate(channels)]
        logits = torch.stack(scores, dim=1).sigmoid() @ (self.mix / self.temperature)
        alpha = logits.softmax(dim=1)  # [N, C]
        if not torch._C._are_functorch_transforms_active():
            self.weights = alpha.detach()
        if self.scale != 1:
            alpha = alpha * self.scale
        mixture = alpha[:, :1] * channels[0]
        for number, H in enumerate(channels[1:], start=1):
            mixture = torch.addcmul(mixture, alpha[:, number : number + 1], H)
        return mixture

    def _score(self, number: int, H: Tensor) -> Tensor:
        if self.gain is not None and self.shift is not None:
            H = F.layer_norm(H, H.shape[1:], self.gain[number], self.shift[number])
        return H @ self.score[number]

    def extra_repr(self) -> str:
        C, width = self.score.shape
        norm = ", layer_norm" * (self.gain is not None)
        return f"{C} channels of {width}, T={self.temperature:g}, scale={self.scale:g}{norm}"
