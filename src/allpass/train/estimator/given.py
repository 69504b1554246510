"""What an estimator is given, read as a graph with labels: a graph, rows of features, or numbers of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data, Dataset
from torch_geometric.data.data import BaseData

from allpass.data.draft import splits_of_masks
from allpass.data.load import load
from allpass.data.splits import Split
from allpass.errors import InputError

Array = NDArray[Any]


@dataclass(frozen=True)
class Nodes:
    """Nodes to learn from or to judge.

    Args:
        graph: The graph.
        labels: The label of every node as the user writes it, ``[N]``.
        known: Whether a label is known, bool ``[N]``.
        split: The nodes that train, validate and test, where they are named.
        codes: The number of every node's class in the graph; None where labels came without a graph.
        weight: How much each node counts, ``[N]``; None for 1.
    """

    graph: Data
    labels: Array
    known: NDArray[np.bool_]
    split: Split | None = None
    codes: Tensor | None = None
    weight: Array | None = None


def is_graph(given: Any) -> bool:
    """Whether something is a graph, and not rows of features."""
    return isinstance(given, (str, Path, BaseData, Dataset, nx.Graph))


def of_rows(x: Any, edge_index: Any, names: Array | None) -> Data:
    """Rows of features and the edges between them, checked like every graph.

    Args:
        x: Features ``[N, F]``.
        edge_index: Edges ``[2, E]``, or None.
        names: The names of the features, or None.
    """
    data = Data(x=x, num_nodes=x.shape[0])
    none = torch.empty((2, 0), dtype=torch.int64)
    data.edge_index = none if edge_index is None else torch.as_tensor(edge_index)
    if names is not None:
        data.feature_names = names.tolist()
    return load(data)


def places_of(given: Any, graph: Data) -> NDArray[np.int64]:
    """Numbers of nodes, ``[n]`` or ``[n, 1]``, checked against a graph.

    Args:
        given: The numbers.
        graph: The graph.
    """
    found = np.asarray(given)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found):
        raise InputError(
            f"Got X of shape {found.shape} and type {found.dtype} beside graph=.",
            "Pass the numbers of the nodes, such as np.arange(graph.num_nodes).",
        )
    if found.min() < 0 or found.max() >= graph.num_nodes:
        raise InputError(
            f"Got node {found.min() if found.min() < 0 else found.max()} of a graph with {graph.num_nodes:,} nodes.",
            f"Pass numbers from 0 to {graph.num_nodes - 1:,}.",
        )
    if len(np.unique(found)) < len(found):
        raise InputError("Got a node twice.", "Pass each number once.")
    return found.astype(np.int64)


def spread(values: Array, places: NDArray[np.int64], count: int, fill: Any) -> Array:
    """Values of some nodes among all, the rest filled.

    Example:
        >>> spread(np.array([5, 6]), np.array([2, 0]), 4, -1)
        array([ 6, -1,  5, -1])
    """
    found = np.full((count, *values.shape[1:]), fill, dtype=values.dtype)
    found[places] = values
    return found


def stored_split(given: Any, graph: Data) -> Split | None:
    """The split that the masks of a graph say, if any.

    Args:
        given: What the user passed; masks of PyG's ``Data`` may be newer than those that were read with it.
        graph: The graph as read.
    """
    names = {part: f"{part}_mask" for part in ("train", "val", "test")} if isinstance(given, Data) else {}
    masks = {part: given[name].cpu().numpy() for part, name in names.items() if name in given}
    stored = (graph.get("stored_splits") or {}).get("stored", [])
    found = splits_of_masks(masks, len(graph.y)) if masks else stored
    if len(found) > 1:
        raise InputError(
            f"The masks of the graph are {len(found)} splits.", 'Pass one: split=splits(data, "stored")[0].'
        )
    return found[0] if found else None
