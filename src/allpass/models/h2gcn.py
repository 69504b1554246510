"""H2GCN: the node, its neighbours and theirs, never added together before the last map."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.h2gcn import BEYOND, H2GCNConv
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import Linear


class H2GCN(nn.Module):
    r"""H2GCN (`Zhu et al., NeurIPS 2020 <https://arxiv.org/abs/2006.11468>`_) with K rounds.

    .. math::
        R_0 = \sigma(X W_e), \qquad R_k = [\bar A_1 R_{k-1}, \bar A_2 R_{k-1}], \qquad
        \mathrm{logits} = [R_0, R_1, \dots, R_K] W_c

    with the neighbourhoods of :class:`~allpass.nn.h2gcn.H2GCNConv`.

    Args:
        in_channels: Number of features F.
        out_channels: Number of classes C.
        hidden_channels: Columns H of :math:`R_0`; round k has :math:`2^k H`.
        num_layers: Rounds K: H2GCN-1 and H2GCN-2 of the paper have 1 and 2.
        activation: :math:`\sigma`; the paper tunes it: ``"relu"`` or ``"identity"``.
        dropout: Probability of dropout before the last map, the only place the paper has it.
        bias: Add biases to both maps; the paper has none.

    Notes:
        :math:`F H + (2^{K+1} - 1) H C` parameters: the width doubles with every round.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        activation: ActivationLike = "relu",
        dropout: float = 0.5,
        bias: bool = False,
    ) -> None:
        super().__init__()
        if num_layers < 0:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 0 or more rounds.")
        self.embed = Linear(in_channels, hidden_channels, bias=bias, init="glorot")
        self.activation = build_activation(activation, hidden_channels)
        self.rounds = nn.ModuleList(H2GCNConv() for _ in range(num_layers))
        self.dropout = Dropout(dropout)
        width = (2 ** (num_layers + 1) - 1) * hidden_channels
        self.classify = Linear(width, out_channels, bias=bias, init="glorot")

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        R = [self.activation(self.embed(x))]  # R_0
        for gather in self.rounds:
            R.append(gather(R[-1], A))  # R_k
        return self.classify(self.dropout(torch.cat(R, dim=1)))


ENTRIES = (
    Model(
        "h2gcn",
        H2GCN,
        "keeps a node, its neighbours and those two steps away separate",
        BEYOND,
        space={
            "lr": (0.01,),
            "weight_decay": (1e-5, 5e-4),
            "dropout": (0.0, 0.5),
            "activation": ("relu", "identity"),
            "num_layers": (1, 2),
        },
        numbered="num_layers",
    ),
)
