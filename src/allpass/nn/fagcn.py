"""Frequency adaptation: neighbours are added or subtracted, as a gate on every edge decides."""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.nn.attention import edge_scores
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import Linear


class FAConv(nn.Module):
    r"""The frequency adaptation layer of `Bo et al., AAAI 2021 <https://arxiv.org/abs/2101.00797>`_.

    .. math::
        h'_i = \varepsilon x_i + \sum_{j \in N(i)} \frac{\alpha_{ij}}{\sqrt{d_i d_j}} h_j, \qquad
        \alpha_{ij} = \tanh(g_t^\top h_i + g_s^\top h_j + c)

    A gate of 1 everywhere averages neighbours (low-pass), a gate of -1 subtracts them (high-pass).

    Args:
        channels: Columns of H, of X and of H'.
        eps: :math:`\varepsilon`, the part of the first features that every layer keeps.
        dropout: Probability that a gate is dropped while training.
        self_loops: Each node is its own neighbour too, :math:`\hat A_{sym}` in the place of :math:`A_{sym}`. The
            authors remove loops from the graph; PyG's layer adds them by default.
        bias: The number c, which the authors' code has, and the paper and PyG's layer have not.

    Shapes:
        x and x_0 ``[N, channels]``; result ``[N, channels]``.

    Notes:
        Edge weights enter through :math:`A_{sym}`, whose entries the gates multiply. Loops that a graph has are kept.

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
        self, x: Features, graph: Graph, edge_weight: Tensor | None = None, *, x_0: Tensor | None = None
    ) -> Tensor:
        """H' from H = ``x`` and X = ``x_0``, by default ``x`` itself."""
        x, A = read(x, graph, edge_weight)
        H = x.to_dense() if isinstance(x, Operator) else x
        X = H if x_0 is None else x_0
        S = self._filter(A)
        gates = self.dropout(self._gates(H, S))  # α_ij
        return self.eps * X + S.with_values(S.values * gates) @ H

    def gates(self, x: Features, graph: Graph, edge_weight: Tensor | None = None) -> tuple[Tensor, Tensor]:
        r"""The edges ``[2, E]`` and their gates :math:`\alpha` ``[E]``, from -1 to 1."""
        x, A = read(x, graph, edge_weight)
        H = x.to_dense() if isinstance(x, Operator) else x
        S = self._filter(A)
        return S.edge_index, self._gates(H, S)

    def _filter(self, A: Operator) -> Operator:
        """The symmetric normalisation whose entries the gates multiply."""
        S = matrix(A, "A_hat_sym" if self.self_loops else "A_sym")
        assert isinstance(S, Operator)  # stored, as matrix() does by default
        return S

    def _gates(self, H: Tensor, S: Operator) -> Tensor:
        t, s = (H @ self.gate).unbind(dim=1)
        scores = edge_scores(S, t, s)
        return (scores if self.bias is None else scores + self.bias).tanh()

    def extra_repr(self) -> str:
        return f"{self.channels}, eps={self.eps:g}, self_loops={self.self_loops}"


class FAGCNConv(nn.Module):
    r"""A linear map and a frequency adaptation layer: :class:`FAConv` where the width changes.

    .. math::
        X = H W + b, \qquad H' = \mathrm{FA}(X, X)

    Args:
        in_channels: Columns of H.
        out_channels: Columns of H'.
        eps: :math:`\varepsilon` of the layer.
        dropout: Probability that a gate is dropped while training.
        self_loops: Each node is its own neighbour too.
        bias: The number c of the gate.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        The paper's network has one linear map before all its layers and one after them; that is
        ``allpass.models.create("fagcn", ...)``. This is the layer to put among others.

    Example:
        >>> FAGCNConv(3, 4)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        eps: float = 0.3,
        dropout: float = 0.0,
        self_loops: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.linear = Linear(in_channels, out_channels)
        self.adapt = FAConv(out_channels, eps=eps, dropout=dropout, self_loops=self_loops, bias=bias)

    def reset_parameters(self) -> None:
        """Draw new weights."""
        self.linear.reset_parameters()
        self.adapt.reset_parameters()

    def forward(self, x: Features, graph: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, graph, edge_weight)
        return cast(Tensor, self.adapt(self.linear(x), A))
