from __future__ import annotations

import pickle
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.readers import planetoid
from allpass.data.readers.planetoid import read_planetoid
from allpass.errors import DataError, UnsafeFileError

NODES, FEATURES, CLASSES, TRAIN, ALL = 9, 4, 3, 2, 5
TEST = [8, 5, 7]  # node 6 has neither features nor a label, like CiteSeer's fifteen


@pytest.fixture
def x() -> np.ndarray:
    x = np.random.default_rng(0).integers(0, 3, (NODES, FEATURES)).astype(np.float32)
    x[6] = 0
    return x


@pytest.fixture
def paths(tmp_path, x, monkeypatch) -> dict[str, Path]:
    """A graph of nine nodes in Planetoid's eight files."""
    monkeypatch.setattr(planetoid, "VALIDATION", 3)
    one_hot = np.eye(CLASSES, dtype=np.int32)[np.arange(NODES) % CLASSES]
    values = {
        "x": sp.csr_matrix(x[:TRAIN]),
        "tx": sp.csr_matrix(x[TEST]),
        "allx": sp.csr_matrix(x[:ALL]),
        "y": one_hot[:TRAIN],
        "ty": one_hot[TEST],
        "ally": one_hot[:ALL],
        "graph": defaultdict(list, {0: [1, 1, 3], 1: [0], 3: [0, 3], 8: [2], 2: [8]}),
    }
    for part, value in values.items():
        (tmp_path / f"ind.toy.{part}").write_bytes(pickle.dumps(value, protocol=3))
    (tmp_path / "ind.toy.test.index").write_text("".join(f"{node}\n" for node in TEST))
    return {path.name: path for path in tmp_path.iterdir()}


def test_every_row_stands_at_its_node(paths, x):
    draft = read_planetoid(paths, "toy")
    assert draft.num_nodes == NODES
    np.testing.assert_array_equal(draft.x, x)
    assert draft.y is not None
    assert draft.y.tolist() == [0, 1, 2, 0, 1, 2, -1, 1, 2]


def test_edges_are_distinct_and_self_loops_stay(paths):
    draft = read_planetoid(paths, "toy")
    edges = sorted([(0, 1), (1, 0), (0, 3), (3, 0), (3, 3), (2, 8), (8, 2)])
    assert list(map(tuple, draft.edge_index.T.tolist())) == edges
    assert [(note.code, note.count) for note in draft.account] == [("duplicate-edges", 1)]


def test_the_public_split(paths):
    (split,) = read_planetoid(paths, "toy").splits["public"]
    assert split.train.nonzero().flatten().tolist() == [0, 1]
    assert split.val.nonzero().flatten().tolist() == [2, 3, 4]
    assert split.test.nonzero().flatten().tolist() == [5, 7, 8]
    assert split.name == "public/0"


def test_geom_gcn_splits_come_when_all_ten_are_there(paths, tmp_path):
    for k in range(10):
        masks = {
            f"{part}_mask": (np.arange(NODES) % 3 == i).astype(np.uint8)
            for i, part in enumerate(("train", "val", "test"))
        }
        np.savez(tmp_path / f"toy_split_0.6_0.2_{k}.npz", **masks)
    found = {path.name: path for path in tmp_path.iterdir()}
    assert len(read_planetoid(found, "toy").splits["geom-gcn"]) == 10
    del found["toy_split_0.6_0.2_7.npz"]
    assert set(read_planetoid(found, "toy").splits) == {"public"}


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("test.index", b"8\n5\nseven\n"),
        ("test.index", b""),
        ("test.index", b"8\n5\n2\n"),
        ("test.index", b"8\n5\n5\n"),
        ("test.index", b"8\n5\n"),
        ("graph", pickle.dumps([1, 2])),
        ("graph", pickle.dumps({0: ["a"]})),
        ("graph", pickle.dumps({0: [99]})),
        ("ally", pickle.dumps(3)),
        ("ally", pickle.dumps(np.ones((4, 3), np.int32), protocol=3)),
        ("tx", pickle.dumps([1])),
        ("allx", b"\x80\x03"),
    ],
)
def test_damaged_files(paths, part, content):
    paths[f"ind.toy.{part}"].write_bytes(content)
    with pytest.raises(DataError):
        read_planetoid(paths, "toy")


def test_a_pickle_with_code_in_it_is_named(paths):
    paths["ind.toy.graph"].write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(UnsafeFileError, match=r"ind.toy.graph asks for os.system"):
        read_planetoid(paths, "toy")
