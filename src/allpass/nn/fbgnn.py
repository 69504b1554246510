"""The two-channel filterbank network, from which adaptive channel mixing grew."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.nn.acm import ACMConv
from allpass.nn.activations import ActivationLike
from allpass.nn.initialisation import Init
from allpass.nn.inputs import Features, Filter, Graph

HALF = "Luan et al.: Complete the Missing Half, 2020 (arXiv 2008.08844)"


class FBConv(nn.Module):
    r"""A low- and a high-pass channel with one learned weight each (`Luan et al. <https://arxiv.org/abs/2008.08844>`_).

    .. math::
        H' = \alpha_L \mathrm{ReLU}(H_{LP} H W_L) + \alpha_H \mathrm{ReLU}(H_{HP} H W_H)

    with two numbers :math:`\alpha_L, \alpha_H` for the whole layer: there is no identity channel, and all nodes mix
    alike. :class:`~allpass.nn.acm.ACMConv` has both.

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        low: The low-pass filter; the high-pass one is I minus it.
        activation: In place of ReLU.
        init: Initialisation of the weights.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        How the two numbers begin is not printed; here at 1/2 each, which is the mean of the channels.

    Example:
        >>> FBConv(3, 4)(torch.rand(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        low: Filter = "A_hat_rw",
        activation: ActivationLike = "relu",
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.bank = ACMConv(
            in_channels,
            out_channels,
            low=low,
            channels=("low", "high"),
            activation=activation,
            mixing=False,
            init=init,
        )
        self.alpha = nn.Parameter(torch.empty(2))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights; the channels begin alike."""
        self.bank.reset_parameters()
        nn.init.constant_(self.alpha, 0.5)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        low, high = self.bank.channels_of(x, edge_index, edge_weight).unbind(dim=1)
        return self.alpha[0] * low + self.alpha[1] * high
