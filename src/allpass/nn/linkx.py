"""The adjacency as a feature of its own: a row of it and a row of features meet in perceptrons."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import Linear, check_nodes

LIM = "Lim et al.: Large Scale Learning on Non-Homophilous Graphs, NeurIPS 2021"


class LINKXConv(nn.Module):
    r"""The joint embedding of LINKX (`Lim et al., NeurIPS 2021 <https://arxiv.org/abs/2110.14446>`_).

    .. math::
        H_A = \mathrm{MLP}_A(A), \quad H_X = \mathrm{MLP}_X(X), \quad
        H = \mathrm{ReLU}([H_A, H_X] W + b + H_A + H_X)

    The first map of :math:`\mathrm{MLP}_A` has a row for each node: A W, a sparse product. Nothing is averaged, so
    neighbours need not be alike; it is enough that linked-to nodes tell.

    Args:
        in_channels: Columns of X.
        out_channels: Columns F of the embeddings and of the result.
        num_nodes: Number of nodes of the graph.
        num_edge_layers: Linear maps of :math:`\mathrm{MLP}_A`, 1 or more.
        num_node_layers: Linear maps of :math:`\mathrm{MLP}_X`, 1 or more.
        features: Read X; without it :math:`H_X = 0`, and the adjacency speaks alone.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Notes:
        Between two maps stand ReLU, then batch norm, as in the authors' code. PyG writes W as two maps with a bias
        each; here it is one with one bias. Row v of A holds the edges into v, as in PyG; the authors' code takes
        those out of v. On undirected graphs these are the same.

    Example:
        >>> LINKXConv(3, 4, num_nodes=2)(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        num_nodes: int,
        *,
        num_edge_layers: int = 1,
        num_node_layers: int = 1,
        features: bool = True,
    ) -> None:
        super().__init__()
        for what, depth in (("num_edge_layers", num_edge_layers), ("num_node_layers", num_node_layers)):
            if depth < 1:
                raise InputError(f"Got {what} = {depth}.", "Expected 1 or more.")
        self.num_nodes = num_nodes
        self.edges = perceptron([num_nodes, *[out_channels] * num_edge_layers])
        self.nodes = perceptron([in_channels, *[out_channels] * num_node_layers]) if features else None
        self.joint = Linear((1 + features) * out_channels, out_channels)

    def reset_parameters(self) -> None:
        """Draw new weights."""
        for part in self.modules():
            if isinstance(part, (Linear, nn.BatchNorm1d)):
                part.reset_parameters()

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        check_nodes(A, self.num_nodes)
        H_A = self.edges(A)
        if self.nodes is None:
            return torch.relu(self.joint(H_A) + H_A)
        H_X = self.nodes(x)
        return torch.relu(self.joint(torch.cat([H_A, H_X], dim=1)) + H_A + H_X)


def perceptron(widths: list[int], dropout: float | None = None) -> nn.Sequential:
    """Linear maps from width to width; between them ReLU, batch norm, and dropout unless it is None."""
    parts: list[nn.Module] = []
    for number, (i, o) in enumerate(pairwise(widths), start=1):
        parts.append(Linear(i, o))
        if number < len(widths) - 1:
            parts += [nn.ReLU(), nn.BatchNorm1d(o), *([] if dropout is None else [Dropout(dropout)])]
    return nn.Sequential(*parts)
