"""Graph attention: each node weighs its neighbours by what they and it hold."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.attention import edge_scores, edge_softmax, repeated, with_every_loop
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import empty_weight, times

VELICKOVIC = "Veličković et al.: Graph Attention Networks, ICLR 2018"


class GATConv(nn.Module):
    r"""The graph attention of `Veličković et al., ICLR 2018 <https://arxiv.org/abs/1710.10903>`_.

    With :math:`z_i = W^\top h_i` for each of K heads:

    .. math::
        e_{ij} = \mathrm{LeakyReLU}(t^\top z_i + s^\top z_j), \qquad
        \alpha_{ij} = \mathrm{softmax}_j(e_{ij}), \qquad
        h'_i = \sum_{j \in N(i) \cup i} \alpha_{ij} z_j

    The heads are concatenated or averaged, then b is added.

    Args:
        in_channels: Columns of H.
        out_channels: Columns F of each head.
        heads: K.
        concat: Heads side by side (K F columns), or (False) their mean (F columns).
        negative_slope: Slope of LeakyReLU below 0.
        dropout: Probability that an :math:`\alpha_{ij}` is dropped while training.
        self_loops: Each node attends to itself, once, whatever loops the graph has; False takes the graph as it is.
        score_bias: Add a number of each head inside the LeakyReLU, as the authors' code does and the paper does not.
        bias: Add b after the aggregation.
        init: Initialisation of W, t and s, head by head; b begins at 0.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, heads * out_channels]`` or ``[N, out_channels]``.

    Notes:
        Weights of edges are ignored, and an edge given twice counts once (PyG's layer counts it twice). The authors'
        code drops the :math:`z_j` too and draws another mask of its input for each head; the paper drops the input,
        which is up to the model, and :math:`\alpha`. The heads are one block-diagonal sparse product.

    Example:
        >>> conv = GATConv(3, 4, heads=2)
        >>> conv(torch.rand(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 8])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        self_loops: bool = True,
        score_bias: bool = False,
        bias: bool = True,
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        if heads < 1:
            raise InputError(f"Got heads = {heads}.", "Expected 1 or more.")
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.concat, self.negative_slope, self.self_loops, self.init = (
            concat,
            negative_slope,
            self_loops,
            init,
        )
        self.weight = empty_weight(in_channels, out_channels, beside=heads)
        self.target = nn.Parameter(torch.empty(out_channels, heads))
        self.source = nn.Parameter(torch.empty(out_channels, heads))
        self.score_bias = nn.Parameter(torch.empty(heads)) if score_bias else None
        self.bias = nn.Parameter(torch.empty(out_channels * (heads if concat else 1))) if bias else None
        self.dropout = Dropout(dropout)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        for weight in (self.weight, self.target, self.source):
            initialise_(weight, self.init, blocks=self.heads)
        for numbers in (self.score_bias, self.bias):
            if numbers is not None:
                nn.init.zeros_(numbers)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        return self.aggregated(self.mapped(x), A)

    def mapped(self, x: Features) -> Tensor:
        """z, the heads side by side ``[N, K F]``."""
        return times(x, self.weight)

    def aggregated(self, mapped: Tensor, A: Operator) -> Tensor:
        """h' of what :meth:`mapped` gives."""
        Z, places = self._by_head(mapped), self._places(A)
        alpha = self.dropout(self._coefficients(Z, places))
        H = (places.with_values(alpha) @ Z.flatten(0, 1)).unflatten(0, Z.shape[:2])  # Σ_j α_ij z_j: [K, N, F]
        H = H.transpose(0, 1).flatten(1) if self.concat else H.mean(dim=0)
        return H if self.bias is None else H + self.bias

    def carried(self, mapped: Tensor) -> Tensor:
        """z as wide as the result: heads side by side, or their mean."""
        return mapped if self.concat else self._by_head(mapped).mean(dim=0)

    def attention(
        self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        r"""The edges ``[2, E]`` attended to, self-loops among them, and their :math:`\alpha` ``[E, heads]``."""
        x, A = read(x, edge_index, edge_weight)
        alpha = self._coefficients(self._by_head(self.mapped(x)), self._places(A))
        return self._attended(A).edge_index, alpha.unflatten(0, (self.heads, -1)).T

    def _attended(self, A: Operator) -> Operator:
        return with_every_loop(A) if self.self_loops else A

    def _by_head(self, mapped: Tensor) -> Tensor:
        """Z, head by head ``[K, N, F]``."""
        return mapped.unflatten(1, (self.heads, self.out_channels)).transpose(0, 1)

    def _places(self, A: Operator) -> Operator:
        """The graph along the diagonal, once for each head."""
        return repeated(self._attended(A), self.heads)

    def _coefficients(self, Z: Tensor, places: Operator) -> Tensor:
        """α, head by head ``[K E]``."""
        both = torch.stack([self.target, self.source]).permute(2, 1, 0)  # [K, F, 2]
        t, s = (Z @ both).unbind(dim=2)  # each [K, N]
        if self.score_bias is not None:
            t = t + self.score_bias.unsqueeze(1)
        scores = edge_scores(places, t.flatten(), s.flatten())
        return edge_softmax(places, F.leaky_relu(scores, self.negative_slope))  # softmax_j(e_ij)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, heads={self.heads}, concat={self.concat}"
