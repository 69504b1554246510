from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from allpass.data.draft import Draft, assemble, both_ways, many, some, sparse_tensor, splits_of_masks
from allpass.data.fingerprint import fingerprint
from allpass.errors import DataError


def test_words_for_numbers() -> None:
    assert many(1, "edge") == "1 edge"
    assert many(1234, "edge") == "1,234 edges"
    assert many(2, "class", "classes") == "2 classes"
    assert some(["a", "b"]) == "'a', 'b'"
    assert some(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"


def test_assemble_gives_the_standard_form() -> None:
    draft = Draft(
        3,
        np.array([[0, 1], [1, 2]]),
        np.array([1.0, 2.0], dtype=np.float32),
        x=np.ones((3, 2), dtype=np.float32),
        y=np.array([0, 1, -1]),
        class_names=["a", "b"],
        node_ids=["p", "q", "r"],
    )
    data = assemble(draft, name="toy", source="here")
    assert data.edge_index.dtype == data.y.dtype == torch.int64
    assert data.x.dtype == data.edge_weight.dtype == torch.float32
    assert (data.num_nodes, data.name, data.source) == (3, "toy", "here")
    assert data.class_names == ["a", "b"]
    assert data.node_ids == ["p", "q", "r"]
    assert data.fingerprint == fingerprint(data)
    assert data.stored_splits == {}
    assert len(data.account) == 0
    assert "feature_names" not in data


def test_assemble_leaves_out_what_is_absent_and_keeps_isolated_nodes() -> None:
    data = assemble(Draft(5, np.zeros((2, 0), dtype=np.int64)), name="bare", source="here")
    assert data.num_nodes == 5
    assert not {"x", "y", "edge_weight"} & set(data.keys())


def test_assemble_takes_memory_that_may_not_be_written() -> None:
    edges = np.array([[0], [1]])
    edges.flags.writeable = False
    assert assemble(Draft(2, edges), name="n", source="s").edge_index.tolist() == [[0], [1]]


def test_sparse_tensor_equals_the_matrix() -> None:
    matrix = sp.random_array((7, 5), density=0.4, rng=np.random.default_rng(0))
    tensor = sparse_tensor(matrix.tocoo())
    assert tensor.layout == torch.sparse_csr
    np.testing.assert_allclose(tensor.to_dense().numpy(), matrix.toarray().astype(np.float32))


def test_both_ways_turns_every_edge_but_loops() -> None:
    draft = Draft(3, np.array([[0, 1, 2], [1, 2, 2]]), np.array([1.0, 2.0, 3.0]))
    both_ways(draft)
    assert draft.edge_index.tolist() == [[0, 1, 2, 1, 2], [1, 2, 2, 0, 1]]
    assert draft.edge_weight is not None
    assert draft.edge_weight.tolist() == [1, 2, 3, 1, 2]


def test_masks_of_one_and_of_several_splits() -> None:
    one = splits_of_masks({"train": np.array([1, 0, 0]), "test": np.array([0, 1, 1])}, 3)
    assert [split.name for split in one] == ["stored/0"]
    assert one[0].train.tolist() == [True, False, False]
    assert one[0].val.tolist() == [False] * 3
    assert one[0].seed is None
    train = np.array([[True, False], [False, True]])
    two = splits_of_masks({"train": train, "val": ~train, "test": ~train}, 2, "geom-gcn")
    assert [split.name for split in two] == ["geom-gcn/0", "geom-gcn/1"]
    assert two[1].train.tolist() == [False, True]


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({"train": np.zeros(4, dtype=bool)}, "shape"),
        ({"train": np.array([0, 2, 1])}, "other than 0 and 1"),
        ({"train": np.zeros((3, 2)), "test": np.zeros((3, 4))}, "different numbers"),
        ({"train": np.zeros(3, "M8[s]")}, r"of the type datetime64\[s\]"),
        ({"train": np.zeros(3, "V4")}, r"of the type \|V4"),
    ],
)
def test_wrong_masks(masks: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(DataError, match=message):
        splits_of_masks(masks, 3)


def test_masks_of_no_splits_and_of_no_nodes() -> None:
    assert splits_of_masks({"train": np.zeros((3, 0))}, 3) == []
    assert splits_of_masks({"train": np.zeros(0), "test": np.zeros(0)}, 0)[0].train.shape == (0,)
