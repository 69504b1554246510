"""Jumping knowledge: the last layer of a network looks at all of its layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from allpass.errors import InputError

Mode = Literal["cat", "max", "lstm"]


class JumpingKnowledge(nn.Module):
    r"""One representation of each node from those of all layers (`Xu et al., ICML 2018 <https://arxiv.org/abs/1806.03536>`_).

    For :math:`h_i^{(1)}, \dots, h_i^{(L)}` of the layers, side by side (``"cat"``), the largest of each feature
    (``"max"``), or a mean that every node weighs for itself (``"lstm"``):

    .. math::
        [f_i^{(l)}, b_i^{(l)}] = \mathrm{BiLSTM}(h_i^{(1)}, \dots, h_i^{(L)})_l, \qquad
        \alpha_i^{(l)} = \mathrm{softmax}_l(s^\top [f_i^{(l)}, b_i^{(l)}]), \qquad
        h_i = \sum_l \alpha_i^{(l)} h_i^{(l)}

    Args:
        mode: ``"cat"``, ``"max"`` or ``"lstm"``.
        channels: Columns F of every layer, for ``"lstm"``.
        num_layers: L, for ``"lstm"``.
        lstm_channels: Columns of the LSTM in each direction; by default F L / 2, rounded down, as PyG's module has it.

    Shapes:
        L tensors ``[N, F]`` to ``[N, L F]`` for ``"cat"``, else ``[N, F]``. Widths may differ for ``"cat"``.

    Notes:
        PyG's scores have a bias, which the softmax cancels; there is none here.

    Example:
        >>> layers = [torch.ones(2, 3), torch.zeros(2, 3)]
        >>> JumpingKnowledge("cat")(layers).shape
        torch.Size([2, 6])
        >>> JumpingKnowledge("lstm", 3, 2)(layers).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        mode: Mode = "cat",
        channels: int | None = None,
        num_layers: int | None = None,
        *,
        lstm_channels: int | None = None,
    ) -> None:
        super().__init__()
        if mode not in get_args(Mode):
            raise InputError(f"Got the mode {mode!r}.", f"Expected one of {', '.join(get_args(Mode))}.")
        self.mode = mode
        self.lstm: BidirectionalLSTM | None = None
        self.score: nn.Parameter | None = None
        if mode == "lstm":
            if channels is None or num_layers is None:
                raise InputError(
                    f"Got channels = {channels} and num_layers = {num_layers} for the mode 'lstm'.",
                    "Pass both: the LSTM has weights for them.",
                )
            width = max(channels * num_layers // 2, 1) if lstm_channels is None else lstm_channels
            self.lstm = BidirectionalLSTM(channels, width)
            self.score = nn.Parameter(torch.empty(2 * width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        if self.lstm is not None and self.score is not None:
            self.lstm.reset_parameters()
            bound = 1 / math.sqrt(self.score.shape[0])
            nn.init.uniform_(self.score, -bound, bound)

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """One representation ``[N, ...]`` from those of all layers, first to last."""
        if len(layers) == 0:
            raise InputError("Got no layers.", "Expected a representation [N, F] of each of 1 or more.")
        if self.mode == "cat":
            return torch.cat(list(layers), dim=1)
        if any(layer.shape != layers[0].shape for layer in layers):
            shapes = ", ".join(str(list(layer.shape)) for layer in layers)
            raise InputError(
                f"Got layers of the shapes {shapes} for the mode {self.mode!r}.",
                "Expected one shape; layers of different widths can be joined by the mode 'cat'.",
            )
        H = torch.stack(list(layers))  # [L, N, F]
        if self.lstm is None:
            return H.amax(dim=0)
        alpha = (self.lstm(H) @ self.score).softmax(dim=0)  # [L, N]
        return (alpha.unsqueeze(2) * H).sum(dim=0)

    def extra_repr(self) -> str:
        return self.mode


class BidirectionalLSTM(nn.Module):
    r"""The long short-term memory of Hochreiter and Schmidhuber (1997), read forwards and backwards.

    .. math::
        [i, f, g, o] = x_l W + h_{l-1} U + b, \qquad
        c_l = \sigma(f) c_{l-1} + \sigma(i) \mathrm{tanh}(g), \qquad
        h_l = \sigma(o) \mathrm{tanh}(c_l)

    Args:
        in_channels: Columns of x.
        hidden_channels: Columns of h, in each direction.

    Shapes:
        ``[L, N, in_channels]`` to ``[L, N, 2 hidden_channels]``, forward beside backward.

    Notes:
        :class:`torch.nn.LSTM` cannot be batched by ``torch.func.vmap``. It has two biases where one does; b here is
        their sum. Weights of the two directions are stacked: ``[2, in, 4 hidden]``.
    """

    def __init__(self, in_channels: int, hidden_channels: int) -> None:
        super().__init__()
        self.hidden_channels = hidden_channels
        self.weight = nn.Parameter(torch.empty(2, in_channels, 4 * hidden_channels))
        self.recurrent = nn.Parameter(torch.empty(2, hidden_channels, 4 * hidden_channels))
        self.bias = nn.Parameter(torch.empty(2, 4 * hidden_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights, uniform in plus or minus one over the root of the width, as torch does."""
        bound = 1 / math.sqrt(max(self.hidden_channels, 1))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        both = torch.stack([x, x.flip(0)], dim=1)  # [L, 2, N, F]: each direction in its own order
        entering = both @ self.weight + self.bias.unsqueeze(1)  # x_l W + b, for all l at once
        h = c = entering.new_zeros(*entering.shape[1:3], self.hidden_channels)
        states = []
        for step in entering:
            i, f, g, o = (step + h @ self.recurrent).chunk(4, dim=2)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        forwards, backwards = torch.stack(states).unbind(dim=1)
        return torch.cat([forwards, backwards.flip(0)], dim=2)
