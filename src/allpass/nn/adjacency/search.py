"""The most similar nodes that are not neighbours yet: exact in blocks, or approximate for large graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from allpass.errors import InputError, MissingExtraError
from allpass.graph.operator import Operator

Search = Literal["auto", "exact", "approximate"]
SEARCHES: tuple[str, ...] = get_args(Search)

LARGE = 30_000
"""Nodes from which ``"auto"`` searches approximately: exact search grows with their square."""

_BLOCK = 2**23  # similarities held at once
_GROUP = 32
_LIST = 200  # points of an inverted list
_PROBES = 24
_MORE = 12  # results asked for beyond k, as some are neighbours already

Bonus = Callable[[Tensor, Tensor], Tensor]
"""``bonus(nodes [B], similarity [B, N])``: what the rows of a block are ranked by."""


def most_similar(z: Tensor, given: Operator, k: int, search: Search = "auto") -> Tensor:
    """For each node the k most similar ones of the complement of the graph, best first, ``[N, k]``.

    Args:
        z: Positions ``[N, W]``; similarity is their inner product.
        given: The graph; its edges and self-loops are left out.
        k: How many.
        search: ``"exact"``, ``"approximate"`` (needs the extra ``ann``), or ``"auto"``: exact up to ``LARGE`` nodes.

    Returns:
        Indices, -1 where the complement has fewer than k nodes.

    Example:
        >>> z = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
        >>> most_similar(z, Operator.from_edge_index(torch.tensor([[0], [1]]), num_nodes=3), 1).tolist()
        [[1], [2], [1]]
    """
    if search not in SEARCHES:
        raise InputError(f"Got search = {search!r}.", f"Expected one of {', '.join(SEARCHES)}.")
    if search == "exact" or (search == "auto" and len(z) <= LARGE):
        return exact(z, given, k)
    return approximate(z, given, k)


def exact(
    z: Tensor, given: Operator, k: int, bonus: Bonus | None = None, nodes: Tensor | None = None
) -> Tensor:
    """The same from all similarities, a block of rows at a time.

    Args:
        z: Positions ``[N, W]``.
        given: The graph.
        k: How many.
        bonus: What the rows of a block are ranked by, in place of their similarities.
        nodes: For which nodes; by default for all, ``[B, k]``.
    """
    N, device = len(z), z.device
    rows = torch.arange(N, device=device) if nodes is None else nodes
    size = max(1, _BLOCK // max(N, 1))
    crow, col = given.pattern.crow.long(), given.pattern.col.long()
    found = [torch.empty(0, k, dtype=torch.int64, device=device)]
    for own in rows.split(size):
        scores = z[own] @ z.T
        if bonus is not None:
            scores = bonus(own, scores)
        place = torch.arange(len(own), device=device)
        counts = crow[own + 1] - crow[own]
        line = place.repeat_interleave(counts)
        entry = torch.arange(len(line), device=device) - (counts.cumsum(0) - counts - crow[own])[line]
        scores[line, col[entry]] = -torch.inf
        scores[place, own] = -torch.inf
        best, index = largest(scores, k)
        found.append(torch.where(best > -torch.inf, index, -1))
    return torch.cat(found)


def largest(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """``scores.topk(k)`` of rows ``[B, N]``, filled up with minus infinity where N < k.

    Long rows are cut into groups first: the k largest lie in the k groups of the largest maxima.
    """
    B, N = scores.shape
    if k > N:
        scores = torch.cat([scores, scores.new_full((B, k - N), -torch.inf)], dim=1)
    elif N >= 4 * _GROUP * k:
        whole = N // _GROUP * _GROUP
        groups = scores[:, :whole].unflatten(1, (-1, _GROUP))
        chosen = groups.amax(dim=2).topk(k, dim=1).indices
        members = (chosen.unsqueeze(2) * _GROUP + torch.arange(_GROUP, device=scores.device)).flatten(1)
        rest = torch.arange(whole, N, device=scores.device).expand(B, -1)
        members = torch.cat([members, rest], dim=1)
        best, place = scores.gather(1, members).topk(k, dim=1)
        return best, members.gather(1, place)
    return torch.topk(scores, k, dim=1)


def approximate(z: Tensor, given: Operator, k: int) -> Tensor:
    """The same by an inverted file of faiss: nodes are compared within the lists nearest to them.

    The number of comparisons of a node does not grow with the graph, so time is linear in the nodes.
    """
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError("faiss", "Approximate search for candidates", "ann") from error
    N, W = z.shape
    points = z.detach().cpu().float().contiguous().numpy()
    lists = max(1, N // _LIST)
    coarse = faiss.IndexHNSWFlat(W, 16, faiss.METRIC_INNER_PRODUCT)
    index = faiss.IndexIVFFlat(coarse, W, lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.niter, index.cp.seed, index.cp.max_points_per_centroid = 4, 1, 40
    index.cp.min_points_per_centroid = 1
    index.train(points)
    index.add(points)
    index.nprobe = min(_PROBES, lists)
    order = np.argsort(
        coarse.search(points, 1)[1][:, 0], kind="stable"
    )  # those of one list find it in the cache
    near = np.empty((N, min(N, k + _MORE)), np.int64)
    near[order] = index.search(points[order], near.shape[1])[1]
    return _first_allowed(torch.from_numpy(near).to(z.device), given, k)


def _first_allowed(near: Tensor, given: Operator, k: int) -> Tensor:
    """The first k of each row ``[N, m]`` that are neither neighbours nor the node itself."""
    own = torch.arange(len(near), device=near.device).unsqueeze(1)
    allowed = (near >= 0) & (near != own) & ~joined(own, near.clamp(min=0), given)
    order = allowed.to(torch.int8).argsort(dim=1, descending=True, stable=True)[:, :k]
    found = torch.where(allowed.gather(1, order), near.gather(1, order), -1)
    missing = found.new_full((len(near), k - found.shape[1]), -1)
    return torch.cat([found, missing], dim=1)


def joined(rows: Tensor, columns: Tensor, given: Operator) -> Tensor:
    """Whether the graph has an entry at these rows and columns, which are broadcast."""
    N = given.shape[1]
    places = given.derived("places in order", lambda: given.pattern.row * N + given.pattern.col)
    if not len(places):
        return torch.zeros(
            torch.broadcast_shapes(rows.shape, columns.shape), dtype=torch.bool, device=rows.device
        )
    wanted = rows * N + columns
    at = torch.searchsorted(places, wanted).clamp(max=len(places) - 1)
    return places[at] == wanted
