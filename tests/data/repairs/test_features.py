from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.account import Account
from allpass.data.repairs.features import checked_features, column_name
from allpass.errors import DataError, InputError

HOLES = np.array([[1.0, np.nan], [3.0, 2.0], [0.0, 4.0]])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("nan", "value"), [("zero", 0.0), ("mean", 3.0)])
def test_holes_are_filled_and_noted(kind: type, nan: str, value: float) -> None:
    account = Account()
    given = kind(HOLES)
    x = checked_features(given, 3, ["p", "q"], nan, account)
    x = x.toarray() if sp.issparse(x) else x
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, [[1, value], [3, 2], [0, 4]])
    (note,) = account
    assert (note.code, note.count) == ("nan-features", 1)
    assert "'q'" in note.what
    kept = given.toarray() if sp.issparse(given) else given
    np.testing.assert_array_equal(kept, HOLES)  # the reader's own array is untouched


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_holes_are_refused_by_default(kind: type, bad: float) -> None:
    values = np.ones((4, 3))
    values[2, 1] = bad
    with pytest.raises(
        DataError, match=r"1 feature value is NaN or infinite, in 'column 1'; the first is at node 2"
    ):
        checked_features(kind(values), 4, None, "error", Account())


def test_the_mean_of_a_column_without_any_value_is_zero() -> None:
    x = checked_features(np.array([[np.nan], [np.nan]]), 2, None, "mean", Account())
    assert x.tolist() == [[0], [0]]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_constant_columns_are_noted(kind: type) -> None:
    account = Account()
    checked_features(kind(np.array([[2, 0, 1, 0], [2, 0, 0, 3]])), 2, list("abcd"), "error", account)
    (note,) = account
    assert (note.code, note.count) == ("constant-features", 2)
    assert "'a', 'b'" in note.what


def test_no_features_is_said() -> None:
    account = Account()
    assert checked_features(None, 7, None, "error", account) is None
    assert [(note.code, note.count) for note in account] == [("no-features", 7)]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones((2, 3)), r"shape \[2, 3\]"),
        (np.ones(4), r"shape \[4\]"),
        (np.array([["a"]] * 4), "type"),
        (np.ones((4, 1), dtype=complex), "type complex"),
    ],
)
def test_wrong_features(x: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        checked_features(x, 4, None, "error", Account())


def test_unknown_way_to_fill() -> None:
    with pytest.raises(InputError, match="nan='drop'"):
        checked_features(np.ones((1, 1)), 1, None, "drop", Account())


def test_sparse_entries_stored_twice_are_added() -> None:
    twice = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert checked_features(twice, 2, None, "error", Account()).toarray().tolist() == [[0, 3], [0, 0]]


def test_column_name() -> None:
    assert column_name(["a"], 0) == "a"
    assert column_name(None, 3) == "column 3"
