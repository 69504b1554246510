from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from allpass.data.draft import Draft
from allpass.data.readers.linkx import read_deezer_mat, read_facebook100, read_genius, read_linkx_splits
from allpass.errors import DataError

A = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 1]])
INFO = np.array(
    [[1, 2, 7, 0, 4, 2005, 9], [2, 0, 7, 3, 4, 2006, 9], [1, 1, 8, 0, 0, 2005, 9]], dtype=np.uint16
)


def saved(folder: Path, name: str = "data.mat", **values: object) -> dict[str, Path]:
    savemat(folder / name, values)
    return {path.name: path for path in folder.iterdir()}


class TestFacebook100:
    def test_gender_is_the_label_and_the_rest_one_hot(self, tmp_path):
        draft = read_facebook100(saved(tmp_path, A=sp.csc_array(A), local_info=INFO))
        assert draft.y is not None
        assert draft.y.tolist() == [1, -1, 0]
        rest = np.delete(INFO, 1, axis=1)
        expected = np.hstack([(column[:, None] == np.unique(column)) for column in rest.T]).astype(np.float32)
        assert sp.issparse(draft.x)
        np.testing.assert_array_equal(draft.x.toarray(), expected)
        assert draft.feature_names is not None
        assert draft.feature_names[:4] == ["status 1", "status 2", "major 7", "major 8"]
        assert draft.edge_index.T.tolist() == np.argwhere(A).tolist()

    @pytest.mark.parametrize(
        "changes",
        [{"local_info": INFO[:2]}, {"local_info": INFO[:, :5]}, {"A": A}, {"A": sp.csc_array(A[:2])}],
    )
    def test_parts_that_do_not_fit_together(self, tmp_path, changes):
        with pytest.raises(DataError):
            read_facebook100(saved(tmp_path, **({"A": sp.csc_array(A), "local_info": INFO} | changes)))


def test_genius_keeps_direction(tmp_path):
    values = {
        "edge_index": np.array([[0, 1, 1], [1, 2, 2]]),
        "node_feat": np.eye(3),
        "label": np.array([0, 1, 0]),
    }
    draft = read_genius(saved(tmp_path, **values))
    assert draft.edge_index.tolist() == [[0, 1], [1, 2]]
    assert draft.x.tolist() == np.eye(3).tolist()
    assert draft.y is not None
    assert draft.y.tolist() == [0, 1, 0]
    with pytest.raises(DataError):
        read_genius(saved(tmp_path, **(values | {"node_feat": np.eye(2)})))


def test_deezer(tmp_path):
    features = sp.csc_array(np.array([[1, 0], [0, 0], [0, 1]]))
    paths = saved(
        tmp_path,
        "deezer-europe.mat",
        A=sp.csc_array(np.triu(A)),
        label=np.array([[1, 0, 1]]),
        features=features,
    )
    draft = read_deezer_mat(paths)
    assert draft.edge_index.T.tolist() == np.argwhere(A).tolist()
    assert draft.x.tolist() == features.toarray().tolist()
    assert draft.y is not None
    assert draft.y.tolist() == [1, 0, 1]


class TestSplits:
    def test_lists_of_nodes_become_masks(self, tmp_path):
        stored = [{"train": np.array([0]), "valid": np.array([2]), "test": np.array([1, 3])}] * 2
        np.save(tmp_path / "x-splits.npy", np.array(stored, dtype=object), allow_pickle=True)
        draft = Draft(4, np.empty((2, 0), np.int64))
        splits = read_linkx_splits({"x-splits.npy": tmp_path / "x-splits.npy"}, 4, draft, "linkx")["linkx"]
        assert [split.name for split in splits] == ["linkx/0", "linkx/1"]
        assert splits[1].val.tolist() == [False, False, True, False]
        assert len(draft.account) == 0

    def test_no_file_no_splits(self):
        assert read_linkx_splits({}, 4, Draft(4, np.empty((2, 0), np.int64)), "linkx") == {}

    @pytest.mark.parametrize(
        "split",
        [{"train": np.array([9])}, {"train": np.array([-1])}, {"train": np.array([0.5])}, {}, 3, [print]],
    )
    def test_a_file_that_cannot_be_used_is_left_out_with_a_note(self, tmp_path, split):
        whole = split
        if isinstance(split, dict) and split:
            whole = {"train": np.array([0]), "valid": np.array([1]), "test": np.array([2])} | split
        np.save(tmp_path / "x-splits.npy", np.array([whole], dtype=object), allow_pickle=True)
        draft = Draft(4, np.empty((2, 0), np.int64))
        assert read_linkx_splits({"x-splits.npy": tmp_path / "x-splits.npy"}, 4, draft, "linkx") == {}
        assert "splits-left-out" in draft.account
