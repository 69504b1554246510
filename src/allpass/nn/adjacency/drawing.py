"""Rows of candidates: drawn at random, compared, and freed of what stands in them twice."""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.graph.operator import Operator
from allpass.nn.adjacency.search import joined

_BLOCK = 2**22  # numbers of positions gathered at once


def random_nodes(given: Operator, k: int, generator: torch.Generator) -> Tensor:
    """k different nodes of the complement for each node at random, ``[N, k]``, -1 where there are too few.

    Example:
        >>> pair = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
        >>> random_nodes(pair, 1, torch.Generator().manual_seed(0)).flatten()[:2].tolist()
        [2, 2]
    """
    N, few = given.shape[0], 8 * k
    if N > few:  # of twice as many as are needed, hardly ever too few are different and no neighbours
        drawn = torch.randint(N, (N, 2 * k + 8), generator=generator)
    else:
        drawn = torch.rand(N, N, generator=generator).argsort(dim=1)
    drawn = drawn.to(given.device)
    own = torch.arange(N, device=given.device).unsqueeze(1)
    refused = (drawn == own) | joined(own, drawn, given)
    return first_different(drawn.masked_fill(refused, -1), k)


def first_different(rows: Tensor, k: int) -> Tensor:
    """The first k different nodes of each row ``[N, m]``, -1 where there are fewer.

    Example:
        >>> first_different(torch.tensor([[3, -1, 3, 1, 2]]), 2)
        tensor([[3, 1]])
    """
    values, order = rows.sort(dim=1, stable=True)
    fresh = torch.ones_like(values, dtype=torch.bool)
    fresh[:, 1:] = values[:, 1:] != values[:, :-1]
    fresh &= values >= 0
    kept = torch.empty_like(fresh).scatter_(1, order, fresh)
    front = kept.to(torch.int8).argsort(dim=1, descending=True, stable=True)[:, :k]
    found = torch.where(kept.gather(1, front), rows.gather(1, front), -1)
    return torch.cat([found, found.new_full((len(found), k - found.shape[1]), -1)], dim=1)


def similarities(z: Tensor, rows: Tensor) -> Tensor:
    """``<z_i, z_j>`` for the nodes j of each row i ``[N, m]``; minus infinity where there is none."""
    step = max(1, _BLOCK // max(rows.shape[1] * z.shape[1], 1))
    parts = [
        torch.einsum("nw,nmw->nm", z[first : first + step], z[rows[first : first + step].clamp(min=0)])
        for first in range(0, len(z), step)
    ]
    return torch.cat(parts).masked_fill(rows < 0, -torch.inf) if parts else z.new_empty(rows.shape)
