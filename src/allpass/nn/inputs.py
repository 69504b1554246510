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
from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.graph.pattern import outside

Features: TypeAlias = Tensor | Operator
"""``[N, F]``: a dense tensor, a sparse tensor, or an Operator that holds sparse features."""

Graph: TypeAlias = Tensor | Operator
"""An Operator (the adjacency; row v collects from its neighbours), ``edge_index`` ``[2, E]``, or a sparse [N, N]."""

Filter: TypeAlias = str | Callable[[Operator], LinearMap]
"""A graph filter: the name of a matrix (``allpass.graph.MATRICES``), or a function of the adjacency."""

_BUILT: Any = WeakTensorKeyDictionary()


def read(x: Features, graph: Graph, edge_weight: Tensor | None = None) -> tuple[Features, Operator]:
    """The features and the adjacency a layer works on.

    Args:
        x: Node features ``[N, F]``.
        graph: The adjacency, in one of the forms of :data:`Graph`.
        edge_weight: Weights ``[E]`` of an ``edge_index``.
    """
    features = as_features(x)
    if features.shape[0] == 0 or len(features.shape) != 2:
        raise InputError(
            f"Got features of shape {list(features.shape)}.", "Expected [N, F]: one row for each node."
        )
    A = as_operator(graph, edge_weight, features.shape[0], features.dtype)
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
    if isinstance(x, Operator) or x.layout == torch.strided:
        return x
    return _once(x, "features", lambda: Operator.from_sparse(x))


def as_operator(graph: Graph, edge_weight: Tensor | None, num_nodes: int, dtype: torch.dtype) -> Operator:
    """The adjacency in the precision of the features."""
    if isinstance(graph, Operator):
        if edge_weight is not None:
            raise InputError(
                "Got edge_weight beside an Operator.", "An Operator has its weights: pass it alone."
            )
        return graph.to(dtype)
    if graph.layout != torch.strided:
        return _once(graph, "adjacency", lambda: Operator.from_sparse(graph)).to(dtype)
    key = f"{num_nodes} nodes, {dtype}, {_identity(edge_weight)}"
    return _once(
        graph, key, lambda: Operator.from_edge_index(graph, edge_weight, num_nodes, dtype=dtype), edge_weight
    )


def filtered(A: Operator, filter_: Filter) -> LinearMap:
    """The filter of this graph."""
    return matrix(A, filter_) if isinstance(filter_, str) else filter_(A)


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
        kept[name] = (
            outside(build, tensor.device),
            beside,
        )  # what stands beside lives on, so its id stays its own
    return kept[name][0]
