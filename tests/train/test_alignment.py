from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.train.alignment import aligned, fills_of

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_features_without_names_are_counted():
    assert aligned(X, None, 3, None) is X
    assert aligned(X, ["a", "b", "c"], 3, None) is X
    with pytest.raises(InputError, match=r"^Got 3 features; the model was trained on 1,433\. Give data"):
        aligned(X, None, 1433, ["a"] * 1433)


def test_the_same_names_leave_features_as_they_are():
    assert aligned(X, ["a", "b", "c"], 3, ("a", "b", "c")) is X


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_csr])
@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_columns_in_another_order_are_put_in_place(layout):
    x = X if layout == torch.strided else X.to_sparse_csr()
    moved = aligned(x, ["a", "b", "c"], 3, ["c", "a", "b"])
    assert moved.layout == layout
    assert moved.to_dense().tolist() == [[3, 1, 2], [6, 4, 5]]


def test_a_category_that_does_not_occur_is_zero():
    wanted = ["size", "colour=blue", "colour=red", "size is missing"]
    assert aligned(X, ["colour=red", "size", "size is missing"], 4, wanted).tolist() == [
        [2, 0, 1, 3],
        [5, 0, 4, 6],
    ]
    assert aligned(X[:, :2], ["colour=red", "size"], 4, wanted).tolist() == [[2, 0, 1, 0], [5, 0, 4, 0]]


@pytest.mark.parametrize("lost", ["height", "shape=round", "height is missing"])
def test_a_column_that_is_not_there_is_told(lost):
    with pytest.raises(InputError, match=f"lacks features that the model was trained on: '{lost}'"):
        aligned(X, ["a", "b", "c"], 4, ["a", "b", "c", lost])


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_csr])
@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_missing_numbers_are_filled_as_in_training(layout):
    names = ["age", "age is missing", "colour=red", "colour is missing"]
    old = torch.tensor([[50.0, 0, 1, 0], [40.0, 1, 0, 1], [30.0, 0, 1, 0], [40.0, 1, 0, 0]]).to_sparse_csr()
    old = old if layout == torch.sparse_csr else old.to_dense()
    fills = fills_of(old, names)
    assert fills == {"age": 40.0}
    new = torch.tensor([[90.0, 0, 1, 0], [95.0, 1, 0, 0]])
    for order in ([0, 1, 2, 3], [2, 1, 3, 0]):
        found = aligned(new[:, order], [names[place] for place in order], 4, names, fills)
        assert found.tolist() == [[90, 0, 1, 0], [40, 1, 0, 0]]
    assert new[1, 0] == 95  # what came is as it was
    assert aligned(old, names, 4, names, fills).to_dense().tolist() == old.to_dense().tolist()


def test_columns_that_only_look_like_gaps_are_left_alone():
    x = torch.tensor([[1.0, 1.0], [2.0, 1.0], [3.0, 0.0]])  # two values stand where one is said to be missing
    assert fills_of(x, ["age", "age is missing"]) == {}
    assert fills_of(x, None) == {}
    assert aligned(x, ["age", "age is missing"], 2, ["age", "age is missing"], {}) is x


def test_a_gap_where_the_training_had_none_is_told():
    cure = r"Load the data with encodings=trained\.encodings"
    with pytest.raises(
        InputError, match=rf"^Values are missing where the training had them all: 'size'\. {cure}"
    ):
        aligned(X, ["size", "size is missing", "colour=red"], 2, ["size", "colour=red"])


def test_a_value_that_the_training_never_saw_is_told():
    with pytest.raises(InputError, match="not trained on: 'colour=green'"):
        aligned(X, ["size", "colour=red", "colour=green"], 2, ["size", "colour=red"])
