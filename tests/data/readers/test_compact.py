from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.readers.compact import read_compact
from allpass.errors import DataError


@pytest.fixture
def paths(tmp_path):
    x = sp.csr_array(np.array([[0, 1], [3, 0], [0, 0]], dtype=np.uint8))

    def write(**changes):
        arrays = {
            "x_data": x.data,
            "x_indices": x.indices,
            "x_indptr": x.indptr,
            "x_shape": np.array(x.shape),
            "edge_index": np.array([[0, 1, 2], [1, 0, 2]], dtype=np.int32),
            "y": np.array([1, 0, 1], dtype=np.int8),
            **{
                f"{part}_mask": np.arange(3)[:, None] == [i, (i + 1) % 3]
                for i, part in enumerate(("train", "val", "test"))
            },
        }
        np.savez(tmp_path / "toy.npz", **(arrays | changes))
        return {"toy.npz": tmp_path / "toy.npz"}

    return write


def test_reads_all_parts(paths):
    draft = read_compact(paths(), split="deezer")
    assert draft.x.tolist() == [[0, 1], [3, 0], [0, 0]]
    assert draft.edge_index.tolist() == [[0, 1, 2], [1, 0, 2]]
    assert draft.y is not None
    assert draft.y.tolist() == [1, 0, 1]
    assert [split.train.nonzero().flatten().tolist() for split in draft.splits["deezer"]] == [[0], [1]]


def test_masks_are_read_only_on_request(paths):
    assert read_compact(paths()).splits == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"y": np.array([1, 0], dtype=np.int8)},
        {"x_indices": np.array([5, 0], dtype=np.int32)},
        {"edge_index": np.array([[0, 4], [1, 1]])},
        {"train_mask": np.ones((2, 2), bool)},
    ],
)
def test_parts_that_do_not_fit_together(paths, changes):
    with pytest.raises(DataError):
        read_compact(paths(**changes), split="deezer")
