from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import from_scipy_sparse_matrix

from allpass.data.arrays import from_arrays, from_scipy
from allpass.data.convert import from_pyg
from allpass.errors import DataError


@given(st.integers(0, 1000))
def test_arrays_are_read_as_the_data_of_pyg_that_holds_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edge_index, x, y = rng.integers(0, 7, (2, 12)), rng.normal(size=(7, 3)), rng.integers(0, 2, 7)
    weight = rng.random(12)
    as_tensors = [torch.from_numpy(part) for part in (edge_index, x, y, weight)]
    theirs = from_pyg(
        Data(edge_index=as_tensors[0], x=as_tensors[1], y=as_tensors[2], edge_weight=as_tensors[3])
    )
    for edges, features, labels, weights in (
        (edge_index, x, y, weight),
        as_tensors,
        (edge_index.tolist(), pd.DataFrame(x), pd.Series(y), weight.tolist()),
    ):
        assert from_arrays(edges, features, labels, edge_weight=weights).fingerprint == theirs.fingerprint


def test_the_number_of_nodes_is_that_of_the_rows_and_else_that_of_the_edges() -> None:
    assert from_arrays([[0], [1]], y=[0, 1, 1]).num_nodes == 3
    assert from_arrays([[0], [1]], np.zeros((4, 1))).num_nodes == 4
    assert from_arrays([[0], [6]]).num_nodes == 7
    assert from_arrays(np.zeros((2, 0)), y=[0, 1]).num_nodes == 2


@pytest.mark.parametrize(
    ("edge_index", "rows", "message"),
    [
        ([[0, 1, 2]], {}, r"edge_index of shape \[1, 3\]. Expected \[2, E\], sources above targets"),
        ("edges", {}, r"edge_index of shape \[\]"),
        (sp.eye_array(3), {}, r"shape \[3, 3\]"),
        ([["a"], ["b"]], {}, "edge_index of <U1. Expected whole numbers"),
        ([[0.5], [1]], {}, "edge_index of float64"),
        ([[0], [3]], {"y": [0, 1]}, "1 unknown node: 3; there are 2 nodes"),
        ([[0], [1]], {"x": np.zeros((3, 1)), "y": [0, 1]}, "Got 2 labels for 3 nodes"),
        ([[0], [1]], {"edge_weight": [1, 2]}, "weight"),
        ([[], []], {}, "no nodes"),
    ],
)
def test_arrays_that_are_no_graph(edge_index: Any, rows: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_arrays(edge_index, **rows)


@given(st.integers(0, 1000))
def test_scipy_rows_point_to_columns_as_in_pyg(seed: int) -> None:
    matrix = sp.random_array((6, 6), density=0.3, rng=np.random.default_rng(seed), format="csr")
    data = from_scipy(matrix)
    edge_index, weight = from_scipy_sparse_matrix(matrix)
    ours = (
        dict(zip(map(tuple, data.edge_index.T.tolist()), data.edge_weight.tolist(), strict=True))
        if matrix.nnz
        else {}
    )
    theirs = dict(zip(map(tuple, edge_index.T.tolist()), weight.float().tolist(), strict=True))
    assert ours == theirs
    assert data.num_nodes == 6


def test_scipy_with_features_and_labels() -> None:
    matrix = sp.csr_matrix(np.array([[0, 1], [1, 0]]))
    data = from_scipy(matrix, x=sp.eye_array(2), y=["b", "a"])
    assert "edge_weight" not in data
    assert data.x.layout == torch.sparse_csr
    assert data.y.tolist() == [1, 0]
    assert from_scipy(matrix, weighted=True).edge_weight.tolist() == [1, 1]
    stored_zero = sp.csr_array(([0.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert from_scipy(stored_zero).edge_index.tolist() == [[1], [0]]
    assert "no-edges" in from_scipy(sp.csr_array((3, 3))).account
    for bad in (sp.csr_array((2, 3)), np.eye(2)):
        with pytest.raises(DataError, match="square SciPy"):
            from_scipy(bad)
