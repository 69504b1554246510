"""The graph of a training as tensors of a checkpoint, and back: features, edges, labels and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.fingerprint import fingerprint
from allpass.data.tables.encodings import Encoding

LARGEST = 2**30
"""Bytes of a graph up to which ``allpass train`` keeps it without being asked."""

_ROWS, _COLUMNS, _VALUES, _DENSE = "x/rows", "x/columns", "x/values", "x/dense"
_THIN = 1 / 3  # the share of nonzero features up to which CSR is smaller


def graph_tensors(data: Data) -> dict[str, Tensor]:
    """Features as they are, or as CSR where that is smaller; edges in 32 bits if they fit; ids as a JSON text."""
    small = torch.int32 if data.num_nodes < 2**31 else torch.int64
    found = {"edge_index": data.edge_index.to(small)}
    x = data.get("x")
    dense = x is not None and x.layout == torch.strided
    if x is not None and dense and int(x.count_nonzero()) > _THIN * x.numel():
        found["x"] = x
    elif x is not None:
        csr = x.to_sparse_csr()
        if dense:
            found[_DENSE] = torch.tensor(1, dtype=torch.uint8)
        found |= {_ROWS: csr.crow_indices(), _COLUMNS: csr.col_indices().to(small), _VALUES: csr.values()}
    for key in ("edge_weight", "y"):
        if data.get(key) is not None:
            found[key] = data[key]
    if data.get("node_ids") is not None:
        text = json.dumps([str(node) for node in data.node_ids])
        found["node_ids"] = torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)
    return {name: value.contiguous() for name, value in found.items()}


def size_of(data: Data) -> int:
    """How many bytes the tensors take."""
    return sum(value.nbytes for value in graph_tensors(data).values())


def graph_of_tensors(
    tensors: Mapping[str, Tensor],
    *,
    num_nodes: int,
    in_channels: int,
    feature_names: Sequence[str] | None,
    class_names: Sequence[str] | None,
    encodings: Sequence[Encoding],
    name: str,
) -> Data:
    """The graph that :func:`graph_tensors` took apart.

    Raises:
        ValueError: The tensors are not those of a graph of such a size.
    """
    edge_index = tensors["edge_index"].long()
    _check(edge_index.ndim == 2 and len(edge_index) == 2, "its edges have no two ends")
    _check(_within(edge_index, num_nodes), "an edge leads to a node that it does not have")
    data = Data(edge_index=edge_index, num_nodes=num_nodes)
    x = tensors.get("x")
    if _ROWS in tensors:
        rows, columns, values = (tensors[key] for key in (_ROWS, _COLUMNS, _VALUES))
        sound = (
            rows.shape == (num_nodes + 1,) and columns.shape == values.shape and _within(columns, in_channels)
        )
        sound = (
            sound and bool((rows.diff() >= 0).all()) and int(rows[0]) == 0 and int(rows[-1]) == len(columns)
        )
        _check(sound, "its sparse features do not fit together")
        x = torch.sparse_csr_tensor(
            rows, columns.long(), values, size=(num_nodes, in_channels), check_invariants=False
        )
        x = x.to_dense() if _DENSE in tensors else x
    if x is not None:
        _check(x.shape == (num_nodes, in_channels), "its features have another shape")
        data.x = x
    for key in ("edge_weight", "y"):
        if key in tensors:
            wanted = edge_index.shape[1] if key == "edge_weight" else num_nodes
            _check(len(tensors[key]) == wanted, f"its {key} has another length")
            data[key] = tensors[key]
    if "node_ids" in tensors:
        data.node_ids = json.loads(np.asarray(tensors["node_ids"]).tobytes())
        _check(len(set(data.node_ids)) == num_nodes, "its ids are not those of its nodes")
    for key, names in (("feature_names", feature_names), ("class_names", class_names)):
        if names is not None:
            data[key] = list(names)
    data.name, data.source, data.encodings = name, "checkpoint", tuple(encodings)
    data.account, data.stored_splits = Account(), {}
    data.fingerprint = fingerprint(data)
    return data


def _within(numbers: Tensor, size: int) -> bool:
    return not numbers.numel() or (int(numbers.min()) >= 0 and int(numbers.max()) < size)


def _check(sound: bool, problem: str) -> None:
    if not sound:
        raise ValueError(problem)
