r"""Mean similarity of each node to each class after filtering, without the N x N matrix.

.. math:: S(H, X) = H X (H X)^\top, \qquad S Z = H (X (X^\top (H^\top Z)))

S is never formed: its sums over classes cost O((E + N F) C) time and O((N + F) C) memory, exactly, and sparse
features stay sparse.

**Ties.** Exact ties are common, and rounding would decide them. A comparison therefore has a tolerance: ``rtol`` times
the same sums with every number replaced by its absolute value, which is what their rounding errors scale with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from allpass.graph import LinearMap, Operator, matrix
from allpass.graph.linear import identity_like
from allpass.metrics.base import Measurement
from allpass.metrics.features import FeatureMap, features_as_map
from allpass.metrics.labelled import LabelledGraph

RTOL = 1e-12
Comparison = Literal["mean", "argmax"]
ZeroOverZero = Literal["pass", "fail"]


@dataclass(frozen=True)
class ClassSimilarity:
    """Mean similarity of each labelled node to its own class and to the others, with the size of its rounding.

    Args:
        means: To every class, ``[L, C]``.
        own: To the own class, the node itself included, ``[L]``.
        other: To all labelled nodes of other classes together, ``[L]``.
        own_scale: Mean of absolute terms behind ``own``, ``[L]``.
        other_scale: Mean of absolute terms behind ``other``, ``[L]``.
    """

    means: Tensor
    own: Tensor
    other: Tensor
    own_scale: Tensor
    other_scale: Tensor

    def aggregates(
        self, comparison: Comparison = "mean", zero_over_zero: ZeroOverZero = "pass", rtol: float = RTOL
    ) -> Tensor:
        """Which nodes fulfil the condition of S_agg, bool ``[L]``."""
        slack = rtol * torch.maximum(self.own_scale, self.other_scale)
        rival = self.other if comparison == "mean" else self.means.amax(1)
        passed = self.own >= rival - slack
        if zero_over_zero == "fail":
            passed &= (self.own_scale > 0) | (self.other_scale > 0)
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


def label_similarity(graph: LabelledGraph, normalization: str | None = "A_hat_rw") -> ClassSimilarity:
    """Class means of S(Â, Z), from one product with the labels."""
    return graph.once(("label similarity", normalization), lambda: _label_similarity(graph, normalization))


def _label_similarity(graph: LabelledGraph, normalization: str | None) -> ClassSimilarity:
    if normalization == "A_hat_rw":  # the product A Z is shared with every other label metric
        degrees = graph.adjacency.row_sums + 1
        M = (graph.neighbour_classes("keep") + graph.Z) / degrees.unsqueeze(1)
    else:
        M = aggregation_map(graph.adjacency, normalization) @ graph.Z
    sums = M @ (M.mT @ graph.Z)  # S Z = M M^T Z
    return _class_means(graph, sums, sums)


def feature_similarity(
    graph: LabelledGraph,
    normalization: str | None = "A_hat_rw",
    *,
    high_pass: bool = False,
    row_normalize: bool = True,
) -> ClassSimilarity:
    """Class means of S(Â, X), or of S(I - Â, X)."""
    key = ("feature similarity", normalization, high_pass, row_normalize)
    return graph.once(key, lambda: _feature_similarity(graph, normalization, high_pass, row_normalize))


def _feature_similarity(
    graph: LabelledGraph, normalization: str | None, high_pass: bool, row_normalize: bool
) -> ClassSimilarity:
    low = aggregation_map(graph.adjacency, normalization)
    H = low.complement() if high_pass else low
    X = features_as_map(graph.features, row_normalize)
    sums = _similarity_sums(H, X, graph.Z)
    if not high_pass and not bool((X.values < 0).any()):
        return _class_means(graph, sums, sums)
    magnitude = identity_like(low) + low if high_pass else low
    return _class_means(graph, sums, _similarity_sums(magnitude, X.with_magnitudes(), graph.Z))


def _similarity_sums(H: LinearMap, X: FeatureMap, Z: Tensor) -> Tensor:
    """S(H, X) Z = H X X^T H^T Z, ``[N, C]``, from the right to the left."""
    return H @ X.times(X.transposed_times(H.T @ Z))


def _class_means(graph: LabelledGraph, sums: Tensor, scales: Tensor) -> ClassSimilarity:
    sizes = graph.class_sizes
    own_count = sizes[graph.labels[graph.known]]
    other_count = sizes.sum() - own_count
    own, own_scale = graph.take_own(sums), graph.take_own(scales)
    return ClassSimilarity(
        means=sums[graph.known] / sizes,
        own=own / own_count,
        other=_rest(sums[graph.known], own, graph) / other_count,
        own_scale=own_scale / own_count,
        other_scale=(scales[graph.known].sum(1) - own_scale).clamp_min(0) / other_count,
    )


def _rest(sums: Tensor, own: Tensor, graph: LabelledGraph) -> Tensor:
    """Sums over all classes but the own one, added up without cancelling the own one out again."""
    others = sums.clone()
    others[torch.arange(len(own)), graph.labels[graph.known]] = 0
    return others.sum(1)


def share_of_nodes(fulfilled: Tensor) -> Measurement:
    """The share of labelled nodes that fulfil a comparison between classes."""
    return Measurement(float(fulfilled.double().mean()))


def incomparable(graph: LabelledGraph) -> str:
    """Why there is nothing to compare, or nothing."""
    return "fewer than two classes: there is no other class to compare with" if graph.num_classes < 2 else ""
