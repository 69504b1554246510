"""What a layer is called with: features dense or sparse, a graph as an Operator or in PyG's own forms.

Every layer begins with :func:`read`. After it features are a dense tensor or an :class:`Operator` (sparse ones), and
``x @ W`` works for both; the graph is the Operator of its adjacency, built once for as long as the caller's
``edge_index`` lives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from allpass.errors import InputError
from allpass.graph.linear import LinearMap
from allpass.graph.matrices import MATRICES, matrix
from allpass.graph.operator import Operator
from allpass.graph.pattern import outside

Features: TypeAlias = Tensor | Operator
"""``[N, F]``: a dense tensor, a sparse tensor, or an Operator that holds sparse features."""

Graph: TypeAlias = Tensor | Operator
"""What a layer takes as ``edge_index``: edges ``[2, E]``, an Operator (row v collects from its neighbours), or a sparse
matrix ``[N, N]``."""

Filter: TypeAlias = str | Callable[[Operator], LinearMap]
"""A graph filter: the name of a matrix (``allpass.graph.MATRICES``), or a function of the adjacency."""

_BUILT: Any = WeakTensorKeyDictionary()


def read(x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> tuple[Features, Operator]:
    """The features and the adjacency a layer works on.

    Args:
        x: Node features ``[N, F]``.
        edge_index: Edges ``[2, E]``, or an Operator, or a sparse matrix ``[N, N]``.
        edge_weight: Weights ``[E]`` of edges ``[2, E]``.
    """
    features = as_features(x)
    if features.shape[0] == 0 or len(features.shape) != 2:
        raise InputError(
            f"Got features of shape {list(features.shape)}.", "Expected [N, F]: one row for each node."
        )
    A = as_operator(edge_index, edge_weight, features.shape[0], features.dtype)
    if A.shape != (features.shape[0], features.shape[0]):
        raise InputError(
            f"Got features of {features.shape[0]} nodes and a graph of shape {list(A.shape)}.",
            "Expected one row of features for each node.",
        )
    if A.device != features.device:
        raise InputError(
            f"Got features on {features.device} and a graph on {A.device}.", "Move one with .to(device)."
        )
    return features, A


def as_features(x: Features) -> Features:
    """Dense features as they are; sparse ones as an Operator, which is built once for each tensor."""
    if isinstance(x, Operator):
        return x
    if not isinstance(x, Tensor):
        raise InputError(
            f"Got features of type {type(x).__name__}.",
            "Expected a tensor [N, F], dense or sparse, or an Operator.",
        )
    if not x.is_floating_point():
        raise InputError(
            f"Got features of {x.dtype}.", "Expected floating-point numbers: call .float() on them."
        )
    if x.layout == torch.strided:
        return x
    if x.requires_grad:
        raise InputError(
            "Got sparse features that require a gradient, which they would lose.",
            "Pass them dense: x.to_dense().",
        )
    return _from_sparse(x)


def as_operator(
    edge_index: Graph, edge_weight: Tensor | None, num_nodes: int, dtype: torch.dtype
) -> Operator:
    """The adjacency in the precision of the features."""
    if not isinstance(edge_index, Tensor | Operator):
        raise InputError(
            f"Got edge_index of type {type(edge_index).__name__}.",
            "Expected edges [2, E], a sparse adjacency [N, N] or an Operator.",
        )
    if edge_weight is not None and (isinstance(edge_index, Operator) or edge_index.layout != torch.strided):
        kind = "an Operator" if isinstance(edge_index, Operator) else "a sparse adjacency"
        raise InputError(f"Got edge_weight beside {kind}.", "It has its weights already: pass it alone.")
    if isinstance(edge_index, Operator):
        return edge_index.to(dtype)
    if edge_index.layout != torch.strided:
        return _from_sparse(edge_index).to(dtype)
    if edge_weight is not None and edge_weight.device != edge_index.device:
        raise InputError(
            f"Got edge_weight on {edge_weight.device} and edge_index on {edge_index.device}.",
            "Move one with .to(device).",
        )
    if edge_weight is not None and edge_weight.requires_grad:
        A = as_operator(edge_index, None, num_nodes, dtype)
        return A.with_edge_weight(edge_index, edge_weight.to(dtype))
    key = f"{num_nodes} nodes, {dtype}, {_identity(edge_weight)}"
    return _once(
        edge_index,
        key,
        lambda: Operator.from_edge_index(edge_index, edge_weight, num_nodes, dtype=dtype),
        edge_weight,
    )


def dense(x: Features) -> Tensor:
    """The features as a dense tensor, for formulas that need all of them."""
    return x.to_dense() if isinstance(x, Operator) else x


def checked_filter(filter_: Filter, name: str = "filter") -> Filter:
    """The filter itself, when it is one: a typo is told when a layer is made, not at its first call."""
    if isinstance(filter_, str):
        _ = MATRICES[filter_]
    elif not callable(filter_):
        raise InputError(
            f"Got {name} = {filter_!r}.",
            "Expected a name of allpass.graph.MATRICES, or a function of the adjacency.",
        )
    return filter_


def filtered(A: Operator, filter_: Filter) -> LinearMap:
    """The filter of this graph."""
    return matrix(A, filter_) if isinstance(filter_, str) else filter_(A)


def _from_sparse(x: Tensor) -> Operator:
    if x.layout not in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        raise InputError(
            f"Got a tensor of layout {x.layout}.", "Expected COO, CSR or CSC: call .to_sparse_csr()."
        )
    return _once(x, "sparse", lambda: Operator.from_sparse(x))


def _identity(tensor: Tensor | None) -> str:
    return "no weights" if tensor is None else f"weights {id(tensor)} of version {tensor._version}"


def _once(tensor: Tensor, name: str, build: Callable[[], Operator], *beside: Tensor | None) -> Operator:
    """``build()``, kept as long as ``tensor`` lives unchanged (torch counts in-place changes)."""
    if tensor.is_inference() or any(other is not None and other.is_inference() for other in beside):
        return build()  # such tensors carry no count of changes
    version, kept = _BUILT.get(tensor, (None, {}))
    if version != tensor._version:
        version, kept = tensor._version, {}
        _BUILT[tensor] = version, kept
    if name not in kept:
        kept.clear()  # one graph a tensor is enough: weights that change every step must not pile up
        kept[name] = outside(build, tensor.device), beside  # which lives on, so that its id stays its own
    return kept[name][0]
