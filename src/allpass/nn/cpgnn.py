"""Beliefs about classes that travel along edges through a matrix of who links with whom."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, dense, filtered, read
from allpass.nn.label_propagation import one_hot

WITH_HETEROPHILY = "Zhu et al.: Graph Neural Networks with Heterophily, AAAI 2021"
START = 0.1
"""How far H begins from knowing nothing: a little weight on one's own class, which training moves either way."""


class CompatibilityConv(nn.Module):
    r"""Propagation through a compatibility matrix (`Zhu et al., AAAI 2021 <https://arxiv.org/abs/2009.13566>`_).

    .. math::
        \bar B^{(k)} = \bar B^{(0)} + A \bar B^{(k-1)} \bar H, \qquad k = 1, \dots, K

    :math:`\bar B^{(0)}` are beliefs about the C classes of every node, less 1 / C. :math:`\bar H` is learned:
    :math:`H = \bar H + 1/C` holds at (i, j) the share of class j among the neighbours of class i.

    Args:
        channels: C.
        num_layers: K.
        filter: The matrix in the place of A: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.

    Shapes:
        x ``[N, C]``, dense or sparse (made dense); result ``[N, C]``.

    Notes:
        The paper's A is the plain adjacency, which at a hub outweighs what is believed of the node itself;
        ``filter="A_rw"`` counts all neighbours together as one. The authors' code takes self-loops out of the graph
        first; here they stay. Before :func:`estimate_compatibility` has seen labels,
        :math:`\bar H = 0.1 (I - 1/C)`.

    Example:
        >>> conv = CompatibilityConv(2, num_layers=1)
        >>> conv(torch.tensor([[0.5, -0.5], [0.0, 0.0]]), torch.tensor([[0], [1]])).tolist()[0]
        [0.5, -0.5]
    """

    def __init__(
        self,
        channels: int,
        *,
        num_layers: int = 2,
        filter: Filter = "A",  # noqa: A002 - the word of the formula
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        self.num_layers, self.filter = num_layers, checked_filter(filter)
        self.compatibility = nn.Parameter(torch.empty(channels, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Back to knowing nearly nothing."""
        C = self.compatibility.shape[0]
        with torch.no_grad():
            self.compatibility.copy_(START * (torch.eye(C) - 1 / C))

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        B_0 = dense(x)
        A_hat = filtered(A, self.filter)
        B = B_0
        for _ in range(self.num_layers):
            B = B_0 + A_hat @ (B @ self.compatibility)  # B_0 + A B H
        return B

    def extra_repr(self) -> str:
        return f"{self.compatibility.shape[0]}, num_layers={self.num_layers}, filter={self.filter}"


def estimate_compatibility(beliefs: Tensor, A: Operator, labels: Tensor, mask: Tensor) -> Tensor:
    r"""The compatibility matrix that the training labels show, less 1 / C.

    .. math::
        \bar H = \frac{S + S^\top}{2} - \frac{1}{C}, \qquad S = \mathrm{Sinkhorn}(Y^\top A \tilde B)

    Y holds the labels of the training nodes, zero elsewhere; :math:`\tilde B` the same, with beliefs elsewhere. So a
    neighbour without a label counts by what is believed of it. Nothing is indexed by the mask: this runs under
    ``torch.func.vmap`` over masks and beliefs.

    Args:
        beliefs: Probabilities ``[N, C]``.
        A: The adjacency.
        labels: Whole numbers ``[N]``.
        mask: The training nodes ``[N]``.

    Notes:
        The symmetric part is taken as the authors' code does. That code averages the neighbours of each node first,
        then the nodes of each class; the paper's formula, which this is, counts edges.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> y, everyone = torch.tensor([0, 1]), torch.tensor([True, True])
        >>> estimate_compatibility(torch.full((2, 2), 0.5), A, y, everyone).round(decimals=3)
        tensor([[-0.5000,  0.5000],
                [ 0.5000, -0.5000]])
    """
    C = beliefs.shape[1]
    Y = one_hot(labels, mask, C, beliefs.dtype)
    known = torch.where(mask.unsqueeze(1), Y, beliefs)
    S = sinkhorn(Y.T @ (A @ known))
    return (S + S.T) / 2 - 1 / C


def sinkhorn(M: Tensor, steps: int = 100) -> Tensor:
    """M >= 0 ``[C, C]`` with rows and columns scaled in turn until all sum to 1 (Sinkhorn and Knopp, 1967).

    Zeros, for which there may be no such scaling, count as a millionth of the mean entry; a zero matrix as all ones.
    """
    M = M + 1e-6 * M.mean() + torch.finfo(M.dtype).tiny
    for _ in range(steps):
        M = M / M.sum(dim=1, keepdim=True)
        M = M / M.sum(dim=0, keepdim=True)
    return M
