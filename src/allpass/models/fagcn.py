"""FAGCN: a linear map, frequency adaptation layers that all keep a part of its result, and a linear map."""

from __future__ import annotations

import math
from functools import partial
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import GRID, Model
from allpass.nn.dropout import Dropout
from allpass.nn.fagcn import BO, FAConv
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import Linear


class FAGCN(nn.Module):
    r"""The network of `Bo et al., AAAI 2021 <https://arxiv.org/abs/2101.00797>`_.

    .. math::
        H_0 = \mathrm{ReLU}(X W_1 + b_1), \qquad
        H_l = \mathrm{FA}_l(H_{l-1}, H_0), \qquad
        Y = H_L W_2 + b_2

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between; 32 in the authors' code.
        num_layers: L, the number of frequency adaptation layers.
        eps: Part of H_0 that every layer keeps.
        dropout: Probability of dropout before and after the first map, and of gates.
        self_loops: Each node is its own neighbour too.
        bias: The gates' bias: in the authors' code, not in the paper.

    Example:
        >>> import torch
        >>> FAGCN(3, 2)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 32,
        num_layers: int = 2,
        eps: float = 0.3,
        dropout: float = 0.5,
        self_loops: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        init = partial(nn.init.xavier_normal_, gain=math.sqrt(2))
        self.first = Linear(in_channels, hidden_channels, init=init)
        self.layers = nn.ModuleList(
            FAConv(hidden_channels, eps=eps, dropout=dropout, self_loops=self_loops, bias=bias)
            for _ in range(num_layers)
        )
        self.last = Linear(hidden_channels, out_channels, init=init)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in range(2))

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        H = H_0 = self.dropouts[1](self.first(self.dropouts[0](x)).relu())
        for layer in self.layers:
            H = layer(H, A, x_0=H_0)
        return cast(Tensor, self.last(H))


ENTRIES = (
    Model(
        "fagcn",
        FAGCN,
        "adds or subtracts each neighbour, as a gate on the edge decides",
        BO,
        space={**GRID, "eps": tuple(step / 10 for step in range(1, 11))},
        training={"lr": 0.01, "weight_decay": 5e-5},
        numbered="num_layers",
    ),
)
