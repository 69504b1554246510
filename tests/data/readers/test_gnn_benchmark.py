from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.readers.gnn_benchmark import read_gnn_benchmark
from allpass.errors import DataError


def stored(prefix: str, dense: list[list[int]]) -> dict[str, np.ndarray]:
    matrix = sp.csr_array(np.array(dense, dtype=np.float32))
    arrays = {f"{prefix}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
    return arrays | {f"{prefix}_shape": np.array(matrix.shape)}


@pytest.fixture
def paths(tmp_path):
    def write(**changes):
        arrays = {
            **stored("adj", [[0, 1, 0], [1, 0, 1], [0, 0, 1]]),
            **stored("attr", [[2, 0], [0, 0], [1, 1]]),
            "labels": np.array([0, 1, 1]),
            "class_names": np.array([{"pickled": True}], dtype=object),
        }
        np.savez(tmp_path / "toy.npz", **(arrays | changes))
        return {"toy.npz": tmp_path / "toy.npz"}

    return write


def test_both_directions_are_written_and_pickled_text_is_not_read(paths):
    draft = read_gnn_benchmark(paths())
    assert draft.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [2, 2]]
    assert draft.x.tolist() == [[2, 0], [0, 0], [1, 1]]
    assert draft.y is not None
    assert draft.y.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "changes", [{"labels": np.array([0, 1])}, stored("attr", [[1, 0]]), {"adj_shape": np.array([2, 2])}]
)
def test_parts_that_do_not_fit_together(paths, changes):
    with pytest.raises(DataError):
        read_gnn_benchmark(paths(**changes))
