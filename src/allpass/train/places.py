"""Which nodes of a graph are those that a model was trained on: by id, or by their place in the same graph."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence

import torch
from torch import Tensor
from torch_geometric.data import Data


def ids_of(data: Data) -> list[str]:
    """The id of every node as text; its number where the data names none."""
    ids = data.get("node_ids")
    return [str(node) for node in (range(int(data.num_nodes)) if ids is None else ids)]


def hash_of_ids(data: Data) -> str:
    """The sha256 of the node ids in their order; empty where there are none."""
    ids = data.get("node_ids")
    if ids is None:
        return ""
    return hashlib.sha256("\0".join(map(str, ids)).encode("utf-8", "replace")).hexdigest()


def places_by_id(ids: Sequence[str], known: Sequence[str]) -> Tensor:
    """For each id its number among those that are known, -1 for one that is new, ``[N]``.

    Example:
        >>> places_by_id(["b", "x", "a"], ["a", "b"])
        tensor([ 1, -1,  0])
    """
    number = {name: place for place, name in enumerate(known)}
    return torch.tensor([number.get(name, -1) for name in ids], dtype=torch.int64)


def taken(values: Tensor, places: Tensor, missing: float) -> Tensor:
    """``values[places]``, and ``missing`` where there is no place."""
    found = values[places.clamp(min=0)]
    unknown = (places < 0).reshape(-1, *[1] * (values.ndim - 1))
    return torch.where(unknown, torch.tensor(missing, dtype=values.dtype), found)


def reordered(data: Data, order: Tensor, x: Tensor | None) -> Data:
    """The same graph with node ``order[i]`` as node ``i``.

    Args:
        data: The graph.
        order: The numbers of all nodes, ``[N]``.
        x: Its features in the new order, if it has some.
    """
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order))
    made = copy.copy(data)
    made.x, made.edge_index = x, place[data.edge_index]
    ids = ids_of(data)
    made.node_ids = [ids[node] for node in order.tolist()]
    if data.get("y") is not None:
        made.y = data.y[order]
    return made
