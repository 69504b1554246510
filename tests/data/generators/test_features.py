"""Borrowed features: from the right class, used up before repeated, sparse where the base is."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from allpass.data.generators import borrowed_features
from allpass.data.generators.features import gaussian
from allpass.errors import InputError

# Row i of the base holds the number i, so that every borrowed row tells where it came from.
BASE_Y = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 0, -1])
BASE = Data(x=torch.arange(1.0, 11.0).unsqueeze(1) * torch.tensor([[1.0, 0.0, 1.0]]), y=BASE_Y)


def origins(x: torch.Tensor) -> torch.Tensor:
    return x[:, 0].long() - 1


def test_each_class_borrows_from_its_own_modulo_the_base():
    y = torch.arange(40) % 5
    rows = origins(borrowed_features(y, BASE, seed=1))
    assert torch.equal(BASE_Y[rows], y % 3)


def test_small_classes_are_used_whole_before_anything_repeats():
    y = torch.tensor([0] * 3 + [1] * 7 + [2] * 2)
    rows = origins(borrowed_features(y, BASE, seed=2))
    assert len(rows[:3].unique()) == 3  # four nodes to choose from
    assert set(rows[3:10].tolist()) == {1, 4, 7}
    assert set(rows[10:].tolist()) == {2, 5}


def test_sparse_stays_sparse_and_holds_the_same():
    y = torch.arange(20) % 4
    dense = borrowed_features(y, BASE, seed=3)
    for layout in (BASE.x.to_sparse_csr(), BASE.x.to_sparse_coo()):
        sparse = borrowed_features(y, Data(x=layout, y=BASE_Y), seed=3)
        assert sparse.layout == torch.sparse_csr
        assert sparse.dtype == torch.float32
        assert torch.equal(sparse.to_dense(), dense)


def test_the_seed_decides():
    y = torch.zeros(3, dtype=torch.long)
    draws = [origins(borrowed_features(y, BASE, seed=seed)).tolist() for seed in (0, 0, 1, 2, 3)]
    assert draws[0] == draws[1]
    assert len(set(map(tuple, draws))) > 1


@pytest.mark.parametrize(
    ("y", "base", "message"),
    [
        (torch.tensor([0, -1]), BASE, "every node needs a class"),
        (torch.rand(3), BASE, "type torch.float32"),
        (torch.zeros(3, 1, dtype=torch.long), BASE, r"shape \[3, 1\]"),
        (torch.tensor([0]), Data(x=BASE.x), "lacks features x or class labels y"),
        (torch.tensor([0]), Data(y=BASE_Y), "lacks features x or class labels y"),
        (torch.tensor([0]), Data(x=BASE.x, y=torch.full((10,), -1)), "no labelled node"),
        (
            torch.tensor([0, 1]),
            Data(x=BASE.x, y=torch.arange(10) % 2 * 2),
            "Class 1 of the base dataset has no node",
        ),
    ],
)
def test_nothing_to_borrow_is_refused(y, base, message):
    with pytest.raises(InputError, match=message):
        borrowed_features(y, base)


def test_gaussian_features_have_their_means_and_scales():
    y = np.repeat([0, 1], 20_000)
    x = gaussian(y, np.array([[0.0, 3.0], [5.0, 1.0]]), np.array([1.0, 4.0]), np.random.default_rng(0))
    assert x.dtype == np.float32
    np.testing.assert_allclose(x[:20_000].mean(axis=0), [0, 3], atol=0.15)
    np.testing.assert_allclose(x[20_000:].mean(axis=0), [5, 1], atol=0.15)
    np.testing.assert_allclose(x[20_000:].std(axis=0), [4, 4], rtol=0.03)
