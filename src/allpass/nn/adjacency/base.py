"""Step 1 of an adjacency learner: an embedding of the nodes, and heads that compare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.graph.operator import Operator
from allpass.nn.dropout import Dropout
from allpass.nn.gcn import GCNConv
from allpass.nn.inputs import Features, dense
from allpass.nn.linear import Linear


class MLPBase(nn.Module):
    """Two linear layers with ReLU between them: positions that know nothing of the graph.

    Args:
        in_channels: Number of features.
        out_channels: Width of the embedding.
        hidden_channels: Width of the hidden layer.
        dropout: Probability of dropout before each layer.
    """

    def __init__(
        self, in_channels: int, out_channels: int, hidden_channels: int = 64, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.out_channels = out_channels
        self.first, self.last = Linear(in_channels, hidden_channels), Linear(hidden_channels, out_channels)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in range(2))

    def forward(self, x: Features, A: Operator) -> Tensor:  # noqa: ARG002 - as every base is called
        before, between = self.dropouts
        result: Tensor = self.last(between(self.first(before(x)).relu()))
        return result


class GCNBase(nn.Module):
    """Two graph convolutions on the given graph, with ReLU between them.

    Args:
        in_channels: Number of features.
        out_channels: Width of the embedding.
        hidden_channels: Width of the hidden layer.
        dropout: Probability of dropout before each layer.
    """

    def __init__(
        self, in_channels: int, out_channels: int, hidden_channels: int = 64, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.out_channels = out_channels
        self.first, self.last = GCNConv(in_channels, hidden_channels), GCNConv(hidden_channels, out_channels)
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in range(2))

    def forward(self, x: Features, A: Operator) -> Tensor:
        before, between = self.dropouts
        result: Tensor = self.last(between(self.first(before(x), A).relu()), A)
        return result


class FeatureBase(nn.Module):
    """The features as they are.

    Args:
        in_channels: Number of features, which is the width of the embedding.
    """

    def __init__(self, in_channels: int, *_: object) -> None:
        super().__init__()
        self.out_channels = in_channels

    def forward(self, x: Features, A: Operator) -> Tensor:  # noqa: ARG002 - as every base is called
        return dense(x)


BASES: Mapping[str, Callable[[int, int, int, float], nn.Module]] = {
    "mlp": MLPBase,
    "gcn": GCNBase,
    "features": FeatureBase,
}
"""Bases by name: ``base(in_channels, out_channels, hidden_channels, dropout)`` gives a module that is called as
``module(x, A)`` and has ``out_channels``."""


def build_base(
    base: str | nn.Module, in_channels: int, out_channels: int, hidden_channels: int, dropout: float
) -> nn.Module:
    """A base by name, or a module of yours that is called as ``module(x, A)`` and has ``out_channels``."""
    if isinstance(base, nn.Module):
        if not isinstance(getattr(base, "out_channels", None), int):
            raise InputError(
                f"Got a base {type(base).__name__} without out_channels.", "Set the width it gives."
            )
        return base
    if base not in BASES:
        raise UnknownNameError(f"There is no base {base!r}.", did_you_mean(str(base), BASES))
    return BASES[base](in_channels, out_channels, hidden_channels, dropout)


class Heads(nn.Module):
    r"""Positions whose inner product is the mean weighted cosine of several heads.

    .. math::
        s_{ij} = \frac{1}{K} \sum_{k=1}^K \cos(w_k \odot h_i, \; w_k \odot h_j)

    Args:
        width: Columns of h.
        heads: K.

    Shapes:
        h ``[N, width]`` to ``[N, K width]``, with rows of length 1 (0 where h is 0).
    """

    def __init__(self, width: int, heads: int = 2) -> None:
        super().__init__()
        if heads < 1:
            raise InputError(f"Got heads = {heads}.", "Expected 1 or more.")
        self.weight = nn.Parameter(torch.empty(heads, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights around 1."""
        nn.init.uniform_(self.weight, 0.5, 1.5)

    def forward(self, h: Tensor) -> Tensor:
        return self.normalised((h.unsqueeze(1) * self.weight).flatten(1))

    def normalised(self, z: Tensor) -> Tensor:
        """Each head of ``[N, K width]`` with length :math:`K^{-1/2}`, so that an inner product is their mean cosine."""
        heads = F.normalize(z.unflatten(1, self.weight.shape), dim=2)  # [N, K, width]
        return heads.flatten(1) * self.weight.shape[0] ** -0.5
