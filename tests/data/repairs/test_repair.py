from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from allpass.data import load
from allpass.data.draft import Draft, splits_of_masks
from allpass.data.repairs.repair import checked
from allpass.errors import DataError, InputError
from allpass.metrics import profile

PATH = np.array([[0, 1], [1, 2]])


def codes(draft: Draft, **options: str) -> dict[str, int]:
    return {note.code: note.count for note in checked(draft, name="g", source="s", **options).account}


def test_a_clean_graph_passes_unchanged() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], dtype=np.float32)
    both = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = checked(Draft(3, both, x=x, y=np.array([0, 1, 0])), name="clean", source="test")
    np.testing.assert_array_equal(data.x, x)
    np.testing.assert_array_equal(data.edge_index, both)
    assert data.y.tolist() == [0, 1, 0]
    assert "class_names" not in data
    assert {note.code for note in data.account} == {"undirected", "one-node-classes"}


def test_an_empty_graph_is_refused_and_one_without_edges_is_not() -> None:
    with pytest.raises(DataError, match="empty"):
        checked(Draft(0, np.zeros((2, 0), dtype=int)), name="g", source="s")
    assert codes(Draft(2, np.zeros((2, 0), dtype=int)))["no-edges"] == 2


def test_every_finding_has_a_sentence() -> None:
    draft = Draft(
        6,
        np.array([[0, 0, 1, 2, 2], [1, 1, 2, 2, 3]]),
        x=np.array([[1, 0]] * 6),
        y=np.array([5, 5, 5, 5, 9, -1]),
        splits={"stored": splits_of_masks({"train": np.ones(6), "test": np.ones(6)}, 6)},
    )
    data = checked(draft, name="g", source="s")
    notes = {note.code: note for note in data.account}
    assert {code: note.count for code, note in notes.items()} == {
        "duplicate-edges": 1,
        "stored-once": 3,
        "self-loops": 1,
        "isolated-nodes": 2,
        "constant-features": 2,
        "renumbered-labels": 2,
        "missing-labels": 1,
        "one-node-classes": 1,
        "overlapping-splits": 6,
    }
    assert all(note.what.endswith(".") for note in notes.values())
    assert "'9'" in notes["one-node-classes"].what
    assert data.class_names == ["5", "9"]
    assert data.y.tolist() == [0, 0, 0, 0, 1, -1]


def test_regression_keeps_numbers() -> None:
    data = checked(Draft(3, PATH, y=np.array([0.5, np.nan, 2])), name="g", source="s", task="regression")
    assert data.y.dtype == torch.float32
    assert {note.code: note.count for note in data.account}["missing-labels"] == 1
    with pytest.raises(DataError, match="task='regression'"):
        checked(Draft(3, PATH, y=np.array([0.5, 1, 2])), name="g", source="s")
    with pytest.raises(InputError, match="task='clustering'"):
        checked(Draft(3, PATH), name="g", source="s", task="clustering")


def test_labels_that_look_wrong_are_noted() -> None:
    empty = np.zeros((2, 0), dtype=int)
    assert codes(Draft(3, PATH, y=np.zeros(3)))["one-class"] == 1
    assert codes(Draft(60, empty, y=np.arange(60)))["many-classes"] == 60
    assert codes(Draft(3, PATH))["no-labels"] == 3


def test_leaks_are_named_once_by_their_column() -> None:
    y = np.arange(40) % 2
    x = np.stack([y, 1 - y, np.random.default_rng(0).normal(size=40)], axis=1)
    names = ["colour=a", "colour=b", "age"]
    draft = Draft(
        40,
        PATH,
        x=x,
        y=y,
        feature_names=names,
        origins=["colour", "colour", "age"],
        categories={"colour": y},
    )
    data = checked(draft, name="g", source="s")
    (note,) = [note for note in data.account if note.code == "label-leaks"]
    assert note.count == 1
    assert "'colour'" in note.what
    assert "features=" in note.cure


def test_lengths_must_agree() -> None:
    with pytest.raises(DataError, match="2 labels for 3 nodes"):
        checked(Draft(3, PATH, y=np.array([0, 1])), name="g", source="s")
    with pytest.raises(DataError, match="1 feature name for 2 features"):
        checked(Draft(3, PATH, x=np.ones((3, 2)), feature_names=["a"]), name="g", source="s")
    with pytest.raises(DataError, match="no features"):
        checked(Draft(3, PATH, feature_names=["a"]), name="g", source="s")
    with pytest.raises(DataError, match="2 rows of features for 3 nodes"):
        checked(Draft(3, PATH, x=np.ones((2, 2))), name="g", source="s")
    with pytest.raises(DataError, match="20,000,000 nodes but only 2 edges"):
        checked(Draft(20_000_000, PATH), name="g", source="s")


@pytest.mark.parametrize("absent", [1, 2])
def test_one_hot_rows_say_how_many_classes_there_are(absent: int) -> None:
    """Two of three classes have nodes: class homophily is half of what it is of two classes."""
    edges = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
    y = torch.tensor([0, 0, 3 - absent, 3 - absent])
    data = load(Data(edge_index=edges, y=torch.eye(3)[y], x=torch.eye(4)))
    assert (data.y.tolist(), data.class_names) == (y.tolist(), ["0", "1", "2"])
    assert "renumbered-labels" not in data.account
    assert profile(data)["class_homophily"] == 0.5


def test_a_gap_between_class_numbers_is_told_with_its_cure() -> None:
    data = load(Data(edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([0, 2]), x=torch.eye(2)))
    note = next(note for note in data.account if note.code == "renumbered-labels")
    assert "name all classes in class_names" in note.cure
