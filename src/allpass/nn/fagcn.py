"""Frequency adaptation: neighbours are added or subtracted, as a gate on every edge decides."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.nn.attention import edge_scores
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Graph, dense, read
from allpass.nn.linear import times

BO = "Bo et al.: Beyond Low-frequency Information in Graph Convolutional Networks, AAAI 2021"


class FAConv(nn.Module):
    r"""The frequency adaptation layer of `Bo et al., AAAI 2021 <https://arxiv.org/abs/2101.00797>`_.

    .. math::
        h'_i = \epsilon x_i + \sum_{j \in N(i)} \frac{\alpha_{ij}}{\sqrt{d_i d_j}} h_j, \qquad
        \alpha_{ij} = \mathrm{tanh}(g_t^\top h_i + g_s^\top h_j + c)

    A gate of 1 everywhere averages neighbours (low-pass), a gate of -1 subtracts them (high-pass).

    Args:
        channels: Columns of H, of X and of H'.
        eps: :math:`\epsilon`, the part of the first features that every layer keeps.
        dropout: Probability that a gate is dropped while training.
        self_loops: Each node is its own neighbour too, :math:`\hat A_{sym}` in the place of :math:`A_{sym}`. The
            authors remove loops from the graph; PyG's layer adds them by default.
        bias: The number c, which the authors' code has, and the paper and PyG's layer have not.

    Shapes:
        x and x_0 ``[N, channels]``; result ``[N, channels]``.

    Notes:
        Edge weights enter through :math:`A_{sym}`, whose entries the gates multiply. Loops that a graph has are kept.
        The layer keeps the width; :class:`~allpass.nn.projected.Projected` puts a linear map before it.

    Example:
        >>> FAConv(4)(torch.ones(2, 4), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        channels: int,
        *,
        eps: float = 0.3,
        dropout: float = 0.0,
        self_loops: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.channels, self.eps, self.self_loops = channels, eps, self_loops
        self.gate = nn.Parameter(torch.empty(channels, 2))  # g_t and g_s
        self.bias = nn.Parameter(torch.empty(1)) if bias else None
        self.dropout = Dropout(dropout)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new gate: Glorot's normal times the square root of 2, as in the authors' code."""
        nn.init.normal_(self.gate, std=2 / math.sqrt(2 * self.channels + 1))
        if self.bias is not None:
            bound = 1 / math.sqrt(max(2 * self.channels, 1))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(
        self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None, *, x_0: Tensor | None = None
    ) -> Tensor:
        """H' from H = ``x`` and X = ``x_0``, by default ``x`` itself."""
        x, A = read(x, edge_index, edge_weight)
        H = dense(x)
        X = H if x_0 is None else x_0
        S = self._filter(A)
        gates = self.dropout(self._gates(H, S))  # α_ij
        return self.eps * X + S.with_values(S.values * gates) @ H

    def gates(
        self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        r"""The edges ``[2, E]`` and their gates :math:`\alpha` ``[E]``, from -1 to 1."""
        x, A = read(x, edge_index, edge_weight)
        H = dense(x)
        S = self._filter(A)
        return S.edge_index, self._gates(H, S)

    def _filter(self, A: Operator) -> Operator:
        """The symmetric normalisation whose entries the gates multiply."""
        S = matrix(A, "A_hat_sym" if self.self_loops else "A_sym")
        assert isinstance(S, Operator)  # stored, as matrix() does by default
        return S

    def _gates(self, H: Tensor, S: Operator) -> Tensor:
        t, s = times(H, self.gate).unbind(dim=1)
        scores = edge_scores(S, t, s)
        return (scores if self.bias is None else scores + self.bias).tanh()

    def extra_repr(self) -> str:
        return f"{self.channels}, eps={self.eps:g}, self_loops={self.self_loops}"
