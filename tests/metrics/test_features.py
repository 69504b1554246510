"""Features as linear maps: dense and sparse ones are the same matrix."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.cases import Case, cases

from allpass.metrics.features import features_as_map

SPARSE = (torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc)


@given(case=cases(), row_normalize=st.booleans(), kind=st.integers(0, 2))
def test_dense_and_sparse_features_are_one_matrix(case: Case, row_normalize: bool, kind: int) -> None:
    X = case.x.numpy()
    if row_normalize:
        sizes = np.abs(X).sum(1, keepdims=True)
        X = X / np.where(sizes, sizes, 1)
    right, left = torch.randn(case.num_features, 2).double(), torch.randn(case.num_nodes, 2).double()
    for x in (case.x, SPARSE[kind](case.x), case.x.float()):
        features = features_as_map(x, row_normalize)
        np.testing.assert_allclose(features.times(right), X @ right.numpy(), atol=1e-12)
        np.testing.assert_allclose(features.transposed_times(left), X.T @ left.numpy(), atol=1e-12)
        np.testing.assert_allclose(features.magnitude().times(right), np.abs(X) @ right.numpy(), atol=1e-12)
        assert features.has_negative == (X < 0).any()
        assert (features.sparse is None) == (x.layout == torch.strided)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float16])
def test_any_numbers_will_do(dtype: torch.dtype) -> None:
    x = torch.tensor([[1, 0], [1, 1]], dtype=dtype)
    expected = torch.tensor([1, 1], dtype=torch.float64)
    for form in (x, x.to_sparse(), x.to_sparse_csr()):
        assert torch.equal(
            features_as_map(form, row_normalize=True).times(torch.ones(2, dtype=torch.float64)), expected
        )
