"""Partially absorbing random walks: how near every node is to the labelled nodes of each class."""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.operator import Operator


def absorption(A: Operator, sources: Tensor, *, alpha: float = 1e-6, tolerance: float = 1e-10) -> Tensor:
    r"""The ParWalks scores of every node (Wu et al., NIPS 2012; Li, Han, Wu, AAAI 2018).

    .. math::
        P = (L + \alpha I)^{-1} Y, \qquad L = D - A

    A walker that starts at node i is absorbed at each node it visits, with a chance that grows with :math:`\alpha`
    and falls with the degree; :math:`\alpha P_{ic}` is the chance that this happens at a source of class c.

    Args:
        A: The adjacency; a one-way edge counts as two-way.
        sources: :math:`Y`, ``[N, C]``: 1 where a node is a labelled one of class c, else 0.
        alpha: How readily a walker is absorbed. Where it is as small as the default, the scores of a class rank the
            nodes by their distance to it, and those of two classes compare the sizes of the classes alone.
        tolerance: The residual at which the solver ends, as a share of the sources.

    Shapes:
        ``[N, C]`` in float64; 0 exactly where no source is in reach.

    Notes:
        Solved by preconditioned conjugate gradients, all columns at once, in memory linear in the graph; the inverse
        that the authors' code takes is never built.

    Example:
        >>> path = Operator.from_edge_index(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> absorption(path, torch.tensor([[1.0], [0.0], [0.0]]), alpha=1.0).T
        tensor([[0.6250, 0.2500, 0.1250]], dtype=torch.float64)
    """
    if not alpha > 0:
        raise InputError(f"Got alpha = {alpha}.", "Expected a number above 0, such as 1e-6.")
    W = A.to(torch.float64).symmetrized()
    if sources.dim() != 2 or sources.shape[0] != W.shape[0]:
        raise InputError(
            f"Got sources of shape {list(sources.shape)} for {W.shape[0]} nodes.",
            "Expected [N, C]: one row for each node, one column for each class.",
        )
    degree = W.row_sums.unsqueeze(1)
    diagonal = degree - W.diagonal.unsqueeze(1) + alpha  # of L + alpha I: a loop leads nowhere and cancels
    residual = sources.to(torch.float64)
    P = torch.zeros_like(residual)
    goal = tolerance * residual.norm(dim=0)
    direction = residual / diagonal
    energy = (residual * direction).sum(0)
    for _ in range(10 * W.shape[0]):
        if bool((residual.norm(dim=0) <= goal).all()):
            break
        image = (degree + alpha) * direction - W @ direction
        step = _ratio(energy, (direction * image).sum(0))
        P += step * direction
        residual = residual - step * image
        scaled = residual / diagonal
        before, energy = energy, (residual * scaled).sum(0)
        direction = scaled + _ratio(energy, before) * direction
    return P


def _ratio(a: Tensor, b: Tensor) -> Tensor:
    """a / b, and 0 where b is: a column without sources is solved from the start."""
    return torch.where(b == 0, 0, a / torch.where(b == 0, 1, b))
