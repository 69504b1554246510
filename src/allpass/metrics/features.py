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


def features_as_map(x: Tensor, row_normalize: bool = False) -> FeatureMap:
    """Features in float64, rows divided by the sum of their absolute values on demand (zero rows stay zero)."""
    X = row_normalized(x) if row_normalize else x.double()
    if X.layout == torch.strided:
        return FeatureMap(X)
    op = Operator.from_sparse(X)
    return FeatureMap(op.values, op)


def row_normalized(x: Tensor) -> Tensor:
    """Features in float64, each row divided by the sum of its absolute values; rows of zeros stay.

    Example:
        >>> row_normalized(torch.tensor([[1.0, -3.0], [0.0, 0.0]]))
        tensor([[ 0.2500, -0.7500],
                [ 0.0000,  0.0000]], dtype=torch.float64)
    """
    X = x.double()
    if X.layout == torch.strided:
        sizes = X.abs().sum(1, keepdim=True)
        return X / torch.where(sizes > 0, sizes, 1)
    op = Operator.from_sparse(X)
    sizes = Operator(op.pattern, op.values.abs()).row_sums
    return op.scale_rows(1 / torch.where(sizes > 0, sizes, 1)).to_sparse()
