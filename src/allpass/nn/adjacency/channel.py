"""Adaptive channel mixing with the learned graph as a fourth channel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.graph.operator import Operator
from allpass.nn.acm import ACMConv
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import empty_weight
from allpass.nn.mixing import ChannelMixing
from allpass.nn.parts import filter_parts


class ACMAdjacencyConv(nn.Module):
    r"""The three channels of ACM and a low-pass channel of a learned graph, mixed node by node.

    .. math::
        H_S = \mathrm{ReLU}(\hat S H W_S)

    with :math:`\hat S` the low-pass filter of the learned graph. Its mixing weight at each node says whether the
    learned graph helped there.

    Args:
        in_channels: Columns of H.
        out_channels: Columns of the result and of every channel.
        low: The low-pass filter of both graphs.
        scale: Factor of the mixture; by default 4, the number of channels.
        temperature: T of the softmax; by default the number of channels.
        layer_norm: Normalise the channels before their scores.
        init: Initialisation of the weights.

    Shapes:
        x ``[N, in_channels]``; result ``[N, out_channels]``; :attr:`mixing_weights` ``[N, 4]``.

    Example:
        >>> conv = ACMAdjacencyConv(3, 4)
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> conv(torch.rand(2, 3), A, A).shape
        torch.Size([2, 4])
    """

    channels = ("low", "high", "identity", "learned")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        low: Filter = "A_hat_rw",
        scale: float | None = None,
        temperature: float | None = None,
        layer_norm: bool = False,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.given = ACMConv(in_channels, out_channels, low=low, mixing=False, init=init)
        self.low, self.init = checked_filter(low, "low"), init
        self.weight = empty_weight(in_channels, out_channels)
        count = len(self.channels)
        self.mixing = ChannelMixing(
            count,
            out_channels,
            temperature=temperature,
            scale=float(count) if scale is None else scale,
            layer_norm=layer_norm,
        )
        initialise_(self.weight, init)

    @property
    def mixing_weights(self) -> Tensor | None:
        """The weights ``[N, 4]`` of the last forward, in the order of :attr:`channels`."""
        return self.mixing.weights

    def forward(self, x: Features, edge_index: Graph, learned: Operator) -> Tensor:
        x, A = read(x, edge_index)
        smooth = filter_parts(filtered(learned, self.low), [x], self.weight).relu()
        mixture: Tensor = self.mixing(torch.cat([self.given.channels_of(x, A), smooth.unsqueeze(1)], dim=1))
        return mixture
