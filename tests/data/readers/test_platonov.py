from __future__ import annotations

import numpy as np
import pytest

from allpass.data.readers.platonov import read_platonov, read_texas_4
from allpass.errors import DataError


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    return {
        "node_features": np.arange(8, dtype=np.float32).reshape(4, 2),
        "node_labels": np.array([0, 2, 1, 2]),
        "edges": np.array([[0, 1], [1, 1], [3, 2]]),
        **{f"{part}_masks": np.arange(4)[None] == i for i, part in enumerate(("train", "val", "test"))},
    }


@pytest.fixture
def paths(tmp_path, arrays):
    def write(**changes):
        np.savez(tmp_path / "toy.npz", **(arrays | changes))
        return {"toy.npz": tmp_path / "toy.npz"}

    return write


def test_an_undirected_edge_is_stored_once_and_written_twice(paths, arrays):
    draft = read_platonov(paths())
    assert draft.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 1], [2, 3], [3, 2]]
    np.testing.assert_array_equal(draft.x, arrays["node_features"])
    np.testing.assert_array_equal(draft.y, arrays["node_labels"])


def test_a_directed_one_stays_as_it_is(paths):
    draft = read_platonov(paths(), directed=True, split="geom-gcn")
    assert draft.edge_index.T.tolist() == [[0, 1], [1, 1], [3, 2]]
    (split,) = draft.splits["geom-gcn"]
    assert (split.train.tolist(), split.name) == ([True, False, False, False], "geom-gcn/0")


def test_texas_4_hides_the_class_of_one_node_and_renumbers(paths):
    draft = read_texas_4(paths(node_labels=np.array([2, 2, 1, 2])))
    assert draft.y is not None
    assert draft.y.tolist() == [0, 0, -1, 0]


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], [0, 1, 2, 2]])
def test_texas_4_needs_one_class_of_one_node(paths, labels):
    with pytest.raises(DataError, match="class of a single node"):
        read_texas_4(paths(node_labels=np.array(labels)))


@pytest.mark.parametrize(
    "changes",
    [
        {"node_features": np.ones((3, 2), np.float32)},
        {"edges": np.array([[0, 9]])},
        {"edges": np.ones((2, 3), int)},
        {"train_masks": np.ones((1, 3), bool)},
        {"val_masks": np.ones((2, 4), bool)},
        {"node_labels": np.array([0.5, 1, 1, 1])},
    ],
)
def test_parts_that_do_not_fit_together(paths, changes):
    with pytest.raises(DataError):
        read_platonov(paths(**changes))
