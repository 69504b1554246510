from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.repairs.labels import (
    class_labels,
    classes_of_columns,
    merged_by_rounding,
    regression_targets,
)
from allpass.errors import DataError


@given(st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=1))
def test_text_is_numbered_alphabetically(values: list[str | None]) -> None:
    labels = class_labels(np.array(values, dtype=object))
    names = sorted({value for value in values if value})
    if names:
        assert labels.names == names
    assert labels.y.tolist() == [names.index(value) if value else -1 for value in values]


@given(st.lists(st.integers(-3, 30), min_size=1))
def test_whole_numbers_become_contiguous_and_keep_their_order(values: list[int]) -> None:
    labels = class_labels(np.array(values))
    found = sorted({value for value in values if value >= 0})
    assert labels.y.tolist() == [found.index(value) if value >= 0 else -1 for value in values]
    assert labels.names == (None if found == list(range(len(found))) else [str(value) for value in found])


def test_numbers_stored_as_floats_with_missing_ones() -> None:
    labels = class_labels(np.array([2.0, np.nan, 0.0, 1.0]))
    assert labels.y.tolist() == [2, -1, 0, 1]
    assert labels.names is None


def test_objects_that_are_numbers_sort_as_numbers() -> None:
    labels = class_labels(np.array([10, None, 2], dtype=object))
    assert labels.y.tolist() == [1, -1, 0]
    assert labels.names == ["2", "10"]


def test_booleans_and_bytes() -> None:
    assert class_labels(np.array([True, False])).names == ["False", "True"]
    assert class_labels(np.array([True, None, False], dtype=object)).y.tolist() == [1, -1, 0]
    assert class_labels(np.array([b"x", b"w"])).names == ["w", "x"]


def test_minus_one_is_missing_unless_signs_are_meant() -> None:
    values = np.array([-1, 1, 1])
    assert class_labels(values).y.tolist() == [-1, 0, 0]
    assert class_labels(values, signs=True).y.tolist() == [0, 1, 1]
    assert class_labels(values, signs=True).names == ["-1", "1"]
    assert class_labels(np.array([-1, 0, 1]), signs=True).y.tolist() == [-1, 0, 1]


def test_stated_class_names_keep_the_numbers() -> None:
    labels = class_labels(np.array([2, 0]), ["a", "b", "c"])
    assert labels.y.tolist() == [2, 0]
    assert labels.names == ["a", "b", "c"]
    with pytest.raises(DataError, match="2 class names"):
        class_labels(np.array([2, 0]), ["a", "b"])


def test_columns_and_one_hot_rows() -> None:
    assert class_labels(np.array([[1], [0]])).y.tolist() == [1, 0]
    assert class_labels(np.array([[0, 1], [1, 0], [0, 0]])).y.tolist() == [1, 0, -1]
    with pytest.raises(DataError, match="not one-hot"):
        class_labels(np.array([[1, 1], [1, 0]]))
    with pytest.raises(DataError, match="shape"):
        class_labels(np.zeros((2, 2, 2)))


@pytest.mark.parametrize("bad", [0.5, np.inf])
def test_fractions_are_no_classes(bad: float) -> None:
    with pytest.raises(DataError, match=r"not whole numbers.*task='regression'"):
        class_labels(np.array([0.0, bad]))


def test_regression_targets() -> None:
    targets = regression_targets(np.array([0.5, np.nan, 2]))
    assert targets.dtype == np.float32
    np.testing.assert_array_equal(targets, np.array([0.5, np.nan, 2], dtype=np.float32))
    np.testing.assert_array_equal(regression_targets(np.array([1, None], dtype=object)), [1, np.nan])
    with pytest.raises(DataError, match="not numbers"):
        regression_targets(np.array(["a"], dtype=object))
    with pytest.raises(DataError, match="infinite"):
        regression_targets(np.array([np.inf]))


@pytest.mark.parametrize(
    "values",
    [
        np.array([2**53, 2**53 + 1, 2**53 + 2]),
        np.array([2**63, 2**63 + 1, 2**64 - 1], dtype=np.uint64),
        np.array([2**53, 2**63, 2**70, None], dtype=object)[:3],
        np.array([1e15, 1e19, 1e30]),
    ],
)
def test_large_numbers_stay_apart(values: np.ndarray) -> None:
    labels = class_labels(values)
    assert labels.y.tolist() == [0, 1, 2]
    assert labels.names == [str(int(value)) for value in values.tolist()]


def test_negative_numbers_that_are_missing_are_counted() -> None:
    labels = class_labels(np.array([-1, 0, -1, 2]), signs=True)
    assert (labels.y.tolist(), labels.names, labels.missing) == ([-1, 0, -1, 1], ["0", "2"], {"-1": 2})
    assert class_labels(np.array([-1, -99, 0])).missing == {"-99": 1, "-1": 1}


def test_several_negative_numbers_are_classes_where_signs_mean_something() -> None:
    labels = class_labels(np.array([-2.0, np.nan, 1, -1, 2]), signs=True)
    assert (labels.y.tolist(), labels.names, labels.missing) == ([0, -1, 2, 1, 3], ["-2", "-1", "1", "2"], {})
    kept = class_labels(np.array([-1, 0, 1]), negative=True)
    assert (kept.y.tolist(), kept.names) == ([0, 1, 2], ["-1", "0", "1"])


def test_numbers_that_single_precision_cannot_tell_apart_are_counted() -> None:
    assert merged_by_rounding(np.array([2**24 - 1, 2**24, 2**24 + 2, 5.5, np.nan, np.inf])) == 0
    assert merged_by_rounding(np.array([2**24, 2**24 + 1, 2**24 + 1])) == 1
    assert merged_by_rounding(2**25 + np.arange(5)) == 3  # they become 2**25 and 2**25 + 4
    with pytest.raises(DataError, match="infinite"):
        regression_targets(np.array([1e39]))


def test_an_empty_column_of_one_hot_rows_is_a_class_without_a_node() -> None:
    assert classes_of_columns(np.eye(3)[[0, 2, 2]]) == ["0", "1", "2"]
    assert classes_of_columns(np.eye(3)[[0, 2, 1]]) is None
    assert classes_of_columns(np.array([[0], [0]])) is None
    assert classes_of_columns(np.array([0, 2])) is None
