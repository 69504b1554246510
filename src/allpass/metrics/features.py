"""Features, dense or sparse, as linear maps: what similarity and smoothness need of them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.graph import Operator


@dataclass(frozen=True)
class FeatureMap:
    """Features as the two products that similarities need.

    Args:
        values: Dense features ``[N, F]``, or the stored numbers of sparse ones.
        sparse: Sparse features; nothing when they are dense.
    """

    values: Tensor
    sparse: Operator | None = None

    def times(self, y: Tensor) -> Tensor:
        """X y."""
        return self.values @ y if self.sparse is None else self.sparse @ y

    def transposed_times(self, y: Tensor) -> Tensor:
        """X^T y."""
        return self.values.mT @ y if self.sparse is None else self.sparse.T @ y

    @property
    def has_negative(self) -> bool:
        """Whether any number is below 0."""
        return bool((self.values < 0).any())

    def magnitude(self) -> FeatureMap:
        """|X|."""
        sparse = None if self.sparse is None else Operator(self.sparse.pattern, self.values.abs())
        return FeatureMap(self.values.abs(), sparse)


def features_as_map(x: Tensor, row_normalize: bool = True) -> FeatureMap:
    """Features in float64, rows divided by the sum of their absolute values on demand (zero rows stay zero)."""
    if x.layout == torch.strided:
        X = x.double()
        if row_normalize:
            sizes = X.abs().sum(1, keepdim=True)
            X = X / torch.where(sizes > 0, sizes, torch.ones_like(sizes))
        return FeatureMap(X)
    op = Operator.from_sparse(x.double())
    if row_normalize:
        sizes = Operator(op.pattern, op.values.abs()).row_sums
        op = op.scale_rows(1 / torch.where(sizes > 0, sizes, torch.ones_like(sizes)))
    return FeatureMap(op.values, op)
