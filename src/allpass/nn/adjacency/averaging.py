r"""Positions that follow the graph which follows from them.

With :math:`N_i` the k candidates nearest to node i, each node moves to

.. math::
    z_i \leftarrow z_i + \frac{1}{k} \sum_{j \in N_i} z_j ,

and then every head gets its length again. Nodes within a cluster come closer to each other, so the next candidates are
more often of one cluster: graph and embedding improve each other, as in IDGL (Chen et al., 2020, arXiv:2006.13009).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from allpass.graph.spmm import product
from allpass.nn.adjacency.fusion import kept
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.scores import row_divided, similarity


def averaged(
    z: Tensor, graph: CandidateGraph, k: int, times: int, normalised: Callable[[Tensor], Tensor]
) -> Tensor:
    """Positions ``[N, W]`` after so many moves. Which candidates are nearest has no derivative.

    Args:
        z: Positions.
        graph: The candidates; given neighbours are some too.
        k: How many of them are averaged.
        times: How many moves.
        normalised: Gives positions their length.
    """
    for _ in range(times):
        with torch.no_grad():
            scores = similarity(z, graph.pattern).index_fill(0, graph.loops, -torch.inf)
            near = row_divided(kept(scores, graph, k).to(z.dtype), graph.pattern)
        z = normalised(z + product(graph.pattern, near, z))
    return z
