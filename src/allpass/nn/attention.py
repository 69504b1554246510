r"""Attention over the edges of a graph: a score for every entry of a matrix, and the softmax over each row.

Scores stand in the order of ``A.pattern``: the rows in turn, each entry being the message from its column to its row.
Several heads are one matrix, the graph repeated along the diagonal, so everything here is about one list of scores.
All of it runs under ``torch.func``, forward and gradient.
"""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.operator import Operator


def edge_scores(A: Operator, targets: Tensor, sources: Tensor) -> Tensor:
    r"""The sum :math:`t_i + s_j` of a number of the target and a number of the source, for every entry (i, j).

    Args:
        A: Where the entries are; its values are not looked at.
        targets: :math:`t`, ``[M]``.
        sources: :math:`s`, ``[N]``.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> edge_scores(A, torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]))
        tensor([21., 12.])
    """
    for given, size, what in ((targets, A.shape[0], "targets"), (sources, A.shape[1], "sources")):
        if given.shape != (size,):
            raise InputError(
                f"Got {what} of shape {list(given.shape)} for a matrix of shape {list(A.shape)}.",
                f"Expected [{size}]: one number for each node.",
            )
    # gather, not indexing: its gradient is a scatter, which stays quick when replicas are batched
    return targets.gather(0, A.pattern.row) + sources.gather(0, _columns(A))


def edge_softmax(A: Operator, scores: Tensor) -> Tensor:
    r"""Scores turned into weights that are positive and add up to 1 over the entries of every row.

    .. math::
        \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k} \exp(e_{ik})}

    Args:
        A: Where the entries are; its values are not looked at.
        scores: :math:`e`, ``[E]``.

    Returns:
        :math:`\alpha`, ``[E]``, ready for ``A.with_values``.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1, 1], [2, 2, 0]]))
        >>> edge_softmax(A, torch.tensor([7.0, 3.0, 3.0]))
        tensor([1.0000, 0.5000, 0.5000])
    """
    if scores.shape != (A.nnz,):
        raise InputError(
            f"Got scores of shape {list(scores.shape)} for {A.nnz} entries.", f"Expected [{A.nnz}]."
        )
    row, fixed = A.pattern.row, scores.detach()
    # The largest of a row only keeps exp from overflowing: it cancels, so no gradient has to pass through it.
    largest = fixed.new_full((A.shape[0],), -torch.inf).scatter_reduce(0, row, fixed, "amax")
    powers = (scores - largest.gather(0, row)).exp()
    sums = powers.new_zeros(A.shape[0]).scatter_add(0, row, powers)
    return powers / sums.gather(0, row)


def with_every_loop(A: Operator) -> Operator:
    """The places of A and of the whole diagonal, all of weight 1: each node attends to itself once."""

    def compute() -> Operator:
        plain = Operator(A.pattern, torch.ones(A.nnz, dtype=A.dtype, device=A.device))
        places = plain.plus_diagonal(torch.ones(A.shape[0], dtype=A.dtype, device=A.device))
        return Operator(places.pattern, torch.ones_like(places.values))

    return A.derived("every loop", compute)


def repeated(A: Operator, copies: int) -> Operator:
    """A ``copies`` times along the diagonal: one map for as many heads, nodes and entries head by head."""
    if copies == 1:
        return A
    return A.derived(
        f"{copies} times", lambda: Operator(A.pattern.block_diagonal(copies), A.values.repeat(copies))
    )


def _columns(A: Operator) -> Tensor:
    return A.derived("columns", lambda: A.pattern.col.long())
