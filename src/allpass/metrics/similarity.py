r"""Mean similarity of each node to each class after filtering, without the N x N matrix.

.. math:: S(H, X) = H X (H X)^\top, \qquad S Z = H (X (X^\top (H^\top Z)))

S is never formed: its sums over classes cost O((E + N F) C) time and O((N + F) C) memory, exactly, and sparse
features stay sparse.

**Ties.** Exact ties are common, and rounding would decide them. A comparison therefore has a tolerance: ``rtol`` times
the same sums with every number replaced by its absolute value, which is what their rounding errors scale with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Unpack

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Combination, LinearMap, Operator, matrix
from allpass.graph.linear import identity_like
from allpass.metrics.base import Measurement
from allpass.metrics.features import FeatureMap, features_as_map
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph, check_choice

RTOL = 1e-12
Comparison = Literal["mean", "argmax"]
ZeroOverZero = Literal["pass", "fail"]


@dataclass(frozen=True)
class ClassSimilarity:
    """Similarity of each labelled node to each class, with the size of its rounding errors.

    Args:
        sums: Over the nodes of every class, ``[L, C]``.
        scales: The same sums with every number in them replaced by its absolute value, ``[L, C]``.
        labels: Class of each node, ``[L]``.
        sizes: Nodes of each class, ``[C]``.
    """

    sums: Tensor
    scales: Tensor
    labels: Tensor
    sizes: Tensor

    @property
    def means(self) -> Tensor:
        """Mean similarity to every class, ``[L, C]``."""
        return self.sums / self.sizes

    @cached_property
    def own(self) -> Tensor:
        """Mean similarity to the own class, the node itself included, ``[L]``."""
        return self._own(self.sums)

    @cached_property
    def other(self) -> Tensor:
        """Mean similarity to all labelled nodes of other classes together, ``[L]``."""
        return self._other(self.sums)

    @cached_property
    def own_scale(self) -> Tensor:
        """Mean of the absolute terms behind ``own``, ``[L]``."""
        return self.own if self.scales is self.sums else self._own(self.scales)

    @cached_property
    def other_scale(self) -> Tensor:
        """Mean of the absolute terms behind ``other``, ``[L]``."""
        return self.other if self.scales is self.sums else self._other(self.scales)

    def _own(self, by_class: Tensor) -> Tensor:
        return by_class.gather(1, self.labels.unsqueeze(1)).squeeze(1) / self.sizes[self.labels]

    def _other(self, by_class: Tensor) -> Tensor:
        # Added up without the own class: subtracting it from the whole would leave its rounding errors behind.
        others = by_class.scatter(1, self.labels.unsqueeze(1), 0.0).sum(1)
        return others / (self.sizes.sum() - self.sizes)[self.labels]

    def aggregates(
        self, comparison: Comparison = "mean", zero_over_zero: ZeroOverZero = "pass", rtol: float = RTOL
    ) -> Tensor:
        """Which nodes fulfil the condition of S_agg, bool ``[L]``."""
        check_choice("comparison", comparison, Comparison)
        check_choice("zero_over_zero", zero_over_zero, ZeroOverZero)
        if comparison == "mean":
            passed = self.own >= self.other - rtol * torch.maximum(self.own_scale, self.other_scale)
        else:
            slack = rtol * torch.maximum(self.own_scale.unsqueeze(1), self.scales / self.sizes)
            passed = (self.own.unsqueeze(1) >= self.means - slack).all(1)
        if zero_over_zero == "fail":
            nothing = (self.own.abs() <= rtol * self.own_scale) & (
                self.other.abs() <= rtol * self.other_scale
            )
            passed = passed & ~nothing
        return passed

    def diversifies(self, strict: bool = False, rtol: float = RTOL) -> Tensor:
        """Which nodes fulfil both conditions of DD, bool ``[L]``."""
        slack = rtol * self.own_scale
        first = self.own > slack if strict else self.own >= -slack
        return first & (self.other <= rtol * self.other_scale)


def aggregation_map(A: Operator, normalization: str | None) -> LinearMap:
    """Â by name, applied around A rather than stored; ``"I"`` and nothing are the identity and A itself."""
    if normalization is None:
        return A
    return identity_like(A) if normalization == "I" else matrix(A, normalization, stored=False)


def node_similarity(
    edge_index: Graph,
    x: Tensor,
    nodes: Tensor,
    *,
    normalization: str | None = "A_hat_rw",
    high_pass: bool = False,
    row_normalize: bool = False,
    **options: Unpack[GraphOptions],
) -> Tensor:
    r"""Rows of the similarity matrix :math:`S(\hat A, X) = \hat A X (\hat A X)^\top` after aggregation.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        x: Features ``[N, F]``, dense or sparse.
        nodes: Which rows, numbers of nodes ``[k]``.
        normalization: Name of the aggregation matrix Â; ``"I"`` for the features alone.
        high_pass: Take S(I - Â, X) instead.
        row_normalize: Divide each feature row by the sum of its absolute values first.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.

    Returns:
        ``[k, N]``, float64. All rows would be N x N numbers; ask for as many as fit.

    Example:
        >>> edge_index = torch.tensor([[0, 1], [1, 0]])
        >>> node_similarity(edge_index, torch.eye(2), torch.tensor([0]), high_pass=True)
        tensor([[ 0.5000, -0.5000]], dtype=torch.float64)
    """
    graph = LabelledGraph.build(edge_index, None, x, **options)
    chosen = torch.as_tensor(nodes)
    _check_nodes(chosen, graph.num_nodes)
    low = aggregation_map(graph.adjacency, normalization)
    picked = torch.zeros(graph.num_nodes, len(chosen), dtype=torch.float64, device=graph.adjacency.device)
    picked[chosen, torch.arange(len(chosen))] = 1
    X = features_as_map(graph.features, row_normalize)
    return _similarity_sums(low.complement() if high_pass else low, X, picked).mT  # S is symmetric


def _check_nodes(nodes: Tensor, num_nodes: int) -> None:
    whole = not (nodes.is_floating_point() or nodes.is_complex() or nodes.dtype == torch.bool)
    if nodes.dim() != 1 or not whole or bool(((nodes < 0) | (nodes >= num_nodes)).any()):
        raise InputError(
            f"Got nodes of shape {list(nodes.shape)} and {nodes.dtype}.",
            f"Expected numbers of nodes [k], from 0 to {num_nodes - 1}.",
        )


def label_similarity(graph: LabelledGraph, normalization: str | None = "A_hat_rw") -> ClassSimilarity:
    """Sums of S(Â, Z) over classes, from one product with the labels."""
    return graph.once(("label similarity", normalization), lambda: _label_similarity(graph, normalization))


def _label_similarity(graph: LabelledGraph, normalization: str | None) -> ClassSimilarity:
    if normalization == "A_hat_rw":  # the product A Z is shared with every other label metric
        M = (graph.neighbour_classes("keep") + graph.Z).div_(graph.degrees.unsqueeze(1) + 1)
        return _by_class(graph, M @ (M.mT @ graph.Z))  # S Z = M M^T Z
    H = aggregation_map(graph.adjacency, normalization)
    M = H @ graph.Z
    R = _magnitude(H) @ graph.Z if _subtracts(H) else None
    return _by_class(graph, M @ (M.mT @ graph.Z), None if R is None else R @ (R.mT @ graph.Z))


def feature_similarity(
    graph: LabelledGraph,
    normalization: str | None = "A_hat_rw",
    *,
    high_pass: bool = False,
    row_normalize: bool = False,
) -> ClassSimilarity:
    """Sums of S(Â, X), or of S(I - Â, X), over classes."""
    key = ("feature similarity", normalization, high_pass, row_normalize)
    return graph.once(key, lambda: _feature_similarity(graph, normalization, high_pass, row_normalize))


def _feature_similarity(
    graph: LabelledGraph, normalization: str | None, high_pass: bool, row_normalize: bool
) -> ClassSimilarity:
    low = aggregation_map(graph.adjacency, normalization)
    H = low.complement() if high_pass else low
    X = features_as_map(graph.features, row_normalize)
    sums = _similarity_sums(H, X, graph.Z)
    if not _subtracts(H) and not X.has_negative:
        return _by_class(graph, sums)
    return _by_class(graph, sums, _similarity_sums(_magnitude(H), X.magnitude(), graph.Z))


def _similarity_sums(H: LinearMap, X: FeatureMap, Z: Tensor) -> Tensor:
    """S(H, X) Z = H X X^T H^T Z, ``[N, C]``, from the right to the left."""
    return H @ X.times(X.transposed_times(H.T @ Z))


def _subtracts(H: LinearMap) -> bool:
    """Whether H is a difference such as I - Â. Edge weights are 0 or more, so nothing else in it is negative."""
    return isinstance(H, Combination) and any(weight < 0 or _subtracts(term) for weight, term in H.terms)


def _magnitude(H: LinearMap) -> LinearMap:
    """H with every difference in it made a sum."""
    if not isinstance(H, Combination):
        return H
    return Combination(tuple((abs(weight), _magnitude(term)) for weight, term in H.terms))


def _by_class(graph: LabelledGraph, sums: Tensor, scales: Tensor | None = None) -> ClassSimilarity:
    chosen = graph.labelled(sums)
    return ClassSimilarity(
        chosen,
        chosen if scales is None else graph.labelled(scales),
        graph.labelled(graph.labels),
        graph.class_sizes,
    )


def share_of_nodes(fulfilled: Tensor) -> Measurement:
    """The share of labelled nodes that fulfil a comparison between classes."""
    return Measurement(float(fulfilled.double().mean()))


def incomparable(graph: LabelledGraph) -> str:
    """Why there is nothing to compare, or nothing."""
    return "fewer than two classes: there is no other class to compare with" if graph.num_classes < 2 else ""
