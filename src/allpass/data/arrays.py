"""Graphs given as arrays: an edge index or an adjacency matrix, features and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.draft import Draft
from allpass.data.repairs.repair import checked
from allpass.errors import DataError


def from_arrays(
    edge_index: Any,
    x: Any = None,
    y: Any = None,
    *,
    edge_weight: Any = None,
    nan: str | None = None,
    task: str | None = None,
    name: str = "arrays",
) -> Data:
    """From an edge index, as PyG has it: the edge from node u to node v is a column with u above v.

    Args:
        edge_index: Integers ``[2, E]``: NumPy, a tensor or lists. Nodes are numbered 0, 1, 2, ...
        x: Features ``[N, F]``: NumPy, SciPy sparse, a tensor or lists.
        y: Labels ``[N]``: numbers or text.
        edge_weight: A number for each edge ``[E]``.
        nan: NaN features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"`` or ``"regression"``; by default what the labels suggest.
        name: The graph's name.

    Example:
        >>> data = from_arrays([[0, 1], [1, 2]], y=["red", "blue", "red"])
        >>> data.num_nodes, data.class_names, data.y.tolist()
        (3, ['blue', 'red'], [1, 0, 1])
    """
    edges, features, labels = as_array(edge_index), as_array(x), as_array(y)
    if sp.issparse(edges) or edges.ndim != 2 or edges.shape[0] != 2:
        raise DataError(
            f"Got an edge_index of shape {list(edges.shape)}.",
            "Expected [2, E], sources above targets (transpose [E, 2]); or a SciPy adjacency matrix.",
        )
    if edges.size and edges.dtype.kind not in "iu":
        raise DataError(
            f"Got an edge_index of {edges.dtype}.",
            "Expected whole numbers, the positions of nodes; a table of edges takes ids of any kind.",
        )
    counts = [rows.shape[0] for rows in (features, labels) if rows is not None and rows.ndim]
    num_nodes = counts[0] if counts else int(edges.max(initial=-1)) + 1
    weight = None if edge_weight is None else np.asarray(as_array(edge_weight))
    draft = Draft(num_nodes, edges, weight, x=features, y=labels)
    return checked(draft, name=name, source="arrays", nan=nan, task=task)


def from_scipy(
    matrix: Any,
    x: Any = None,
    y: Any = None,
    *,
    weighted: bool | None = None,
    nan: str | None = None,
    task: str | None = None,
    name: str = "matrix",
) -> Data:
    """From an adjacency matrix: an entry in row u and column v is an edge from u to v.

    Args:
        matrix: SciPy sparse matrix or array ``[N, N]``; stored zeros are no edges.
        x: Features ``[N, F]``: NumPy, SciPy sparse or a tensor.
        y: Labels ``[N]``.
        weighted: Keep the entries as weights; by default only when they are not all 1.
        nan: NaN features: ``"error"`` (the default), ``"zero"`` or ``"mean"``.
        task: ``"classification"`` or ``"regression"``; by default what the labels suggest.
        name: The graph's name.
    """
    if not sp.issparse(matrix) or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = list(getattr(matrix, "shape", []))
        raise DataError(
            f"Got {type(matrix).__name__} of shape {shape} as an adjacency matrix.",
            "Expected a square SciPy sparse matrix.",
        )
    entries = sp.coo_array(matrix)
    stored = entries.data != 0
    weight = entries.data[stored]
    edge_index = np.stack([entries.row[stored], entries.col[stored]]).astype(np.int64)
    keep = bool((weight != 1).any()) if weighted is None else weighted
    draft = Draft(matrix.shape[0], edge_index, weight if keep else None, x=as_array(x), y=as_array(y))
    return checked(draft, name=name, source="SciPy", nan=nan, task=task)


def as_array(value: Any) -> Any:
    """A tensor (dense or sparse), a matrix or a list as NumPy or SciPy CSR."""
    if value is None or sp.issparse(value):
        return value
    if not isinstance(value, Tensor):
        return np.asarray(value)
    value = value.detach().cpu()
    if value.layout == torch.strided:
        return value.float().numpy() if value.dtype in (torch.bfloat16, torch.float16) else value.numpy()
    csr = value.coalesce().to_sparse_csr() if value.layout == torch.sparse_coo else value.to_sparse_csr()
    parts = csr.values().numpy(), csr.col_indices().numpy(), csr.crow_indices().numpy()
    return sp.csr_array(parts, shape=tuple(csr.shape))
