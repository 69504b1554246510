from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from allpass.data.readers.geom_gcn import EDGES, NODES, read_geom_gcn, read_geom_gcn_splits
from allpass.errors import DataError


def written(folder: Path, nodes: list[str], edges: list[str]) -> dict[str, Path]:
    (folder / NODES).write_text("\n".join(["node_id\tfeature\tlabel", *nodes]) + "\n")
    (folder / EDGES).write_text("\n".join(["node_id\tnode_id", *edges]) + "\n")
    return {path.name: path for path in folder.iterdir()}


def test_values_for_every_feature(tmp_path):
    paths = written(tmp_path, ["1\t0,1,0\t2", "0\t1,0,5\t0", "2\t0,0,0\t1"], ["0\t1", "1\t1", "0\t1", "2\t0"])
    draft = read_geom_gcn(paths)
    assert draft.x.tolist() == [[1, 0, 5], [0, 1, 0], [0, 0, 0]]
    assert draft.y is not None
    assert draft.y.tolist() == [0, 2, 1]
    assert draft.edge_index.tolist() == [[0, 1, 2], [1, 1, 0]]
    assert [(note.code, note.count) for note in draft.account] == [("duplicate-edges", 1)]
    assert draft.splits == {}


def test_numbers_of_the_features_that_are_set(tmp_path):
    draft = read_geom_gcn(written(tmp_path, ["1\t3\t0", "0\t0,2\t1"], ["0\t1"]), feature_numbers=True)
    assert draft.x.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("nodes", "edges", "numbers"),
    [
        (["0\t1,0\t0", "2\t0,1\t1"], [], False),
        (["0\t1,0\t0", "0\t0,1\t1"], [], False),
        (["0\t1,0\t0", "1\t0\t1"], [], False),
        (["0\t1,0", "1\t0,1\t1"], [], False),
        (["0\t1,a\t0"], [], False),
        (["0\t1,0\tred"], [], False),
        (["0\t1,-2\t0"], [], True),
        (["0\t1,0\t0"], ["0\t3"], False),
        (["0\t1,0\t0"], ["0"], False),
        (["0\t1,0\t0"], ["0\tx"], False),
    ],
)
def test_damaged_tables(tmp_path, nodes, edges, numbers):
    with pytest.raises(DataError):
        read_geom_gcn(written(tmp_path, nodes, edges), feature_numbers=numbers)


def test_a_file_that_is_no_text(tmp_path):
    paths = written(tmp_path, ["0\t1\t0"], [])
    paths[NODES].write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(DataError, match="is not text"):
        read_geom_gcn(paths)


def test_splits_keep_the_order_of_their_files(tmp_path):
    for k in range(10):
        masks = {
            f"{part}_mask": (np.arange(12) % 12 == k + i).astype(np.uint8)
            for i, part in enumerate(("train", "val", "test"))
        }
        np.savez(tmp_path / f"toy_split_0.6_0.2_{k}.npz", **masks)
    paths = {path.name: path for path in tmp_path.iterdir()}
    splits = read_geom_gcn_splits(paths, 12)["geom-gcn"]
    assert [int(split.train.nonzero()) for split in splits] == list(range(10))
    assert [split.name for split in splits] == [f"geom-gcn/{k}" for k in range(10)]
    with pytest.raises(DataError):
        read_geom_gcn_splits(paths, 11)
