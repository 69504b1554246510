from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder

from allpass.data.account import Account
from allpass.data.tables.columns import Encoder, Features
from allpass.errors import DataError, InputError


def encode(
    frame: pd.DataFrame,
    account: Account | None = None,
    *,
    nan: str = "median",
    cap: int = 50,
    asked: bool = False,
) -> Features:
    encoder = Encoder(account if account is not None else Account(), nan=nan, max_categories=cap, asked=asked)
    return encoder.encode(frame, list(frame.columns))


def test_numbers_and_booleans_stay_one_column() -> None:
    features = encode(pd.DataFrame({"a": [1, 2], "b": [0.5, -1], "c": [True, False]}))
    assert features.names == features.origins == ["a", "b", "c"]
    assert features.matrix().tolist() == [[1, 0.5, 1], [2, -1, 0]]
    assert features.categories == {}


def test_text_becomes_one_column_a_value_as_scikit_learn_does() -> None:
    values = ["red", "blue", "red", "green", "blue"]
    for column in (values, pd.Categorical(values)):
        features = encode(pd.DataFrame({"colour": column}))
        expected = OneHotEncoder(sparse_output=False).fit_transform(np.array(values)[:, None])
        np.testing.assert_array_equal(features.matrix(), expected)
        assert features.names == ["colour=blue", "colour=green", "colour=red"]
        assert features.origins == ["colour"] * 3
        assert features.categories["colour"].tolist() == [2, 0, 2, 1, 0]


def test_missing_numbers_get_the_median_and_a_mark() -> None:
    account = Account()
    for column in ([1.0, np.nan, 3.0, 10.0], pd.array([1, None, 3, 10], dtype="Int64")):
        features = encode(pd.DataFrame({"a": column}), account)
        assert features.names == ["a", "a is missing"]
        assert features.matrix().tolist() == [[1, 0], [3, 1], [3, 0], [10, 0]]
    assert [(note.code, note.count) for note in account] == [("missing-features", 1)] * 2
    kept = encode(pd.DataFrame({"a": [1.0, np.nan]}), nan="zero").matrix()
    assert np.isnan(kept).tolist() == [[False], [True]]


def test_missing_categories_are_a_category() -> None:
    features = encode(pd.DataFrame({"c": ["x", None, "y"], "b": [True, None, False]}))
    assert features.names == ["c=x", "c=y", "c is missing", "b=False", "b=True", "b is missing"]
    assert features.matrix().tolist() == [[1, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 1], [0, 1, 0, 1, 0, 0]]


def test_what_cannot_be_a_feature_is_left_out_and_named() -> None:
    n = 30
    frame = pd.DataFrame(
        {
            "name": [f"person {k}" for k in range(n)],
            "many": [f"v{k % 12}" for k in range(n)],
            "empty": [None] * n,
            "when": pd.date_range("2020-01-01", periods=n),
            "fine": ["a", "b"] * 15,
        }
    )
    account = Account()
    features = encode(frame, account, cap=10)
    assert features.names == ["fine=a", "fine=b"]
    notes = {note.code: note.what for note in account}
    assert set(notes) == {"spread-text", "left-out-text", "left-out-empty", "left-out-dates"}
    assert "'name', 'many'" in notes["left-out-text"]
    assert len(encode(frame[["many"]], cap=10, asked=True).names) == 12
    assert encode(frame[["empty"]]).matrix() is None


def test_numbers_with_a_few_words_among_them() -> None:
    values = [str(k / 7) for k in range(60)] + ["?"]
    account = Account()
    features = encode(pd.DataFrame({"a": values}), account)
    assert features.names == ["a", "a is missing"]
    assert features.matrix()[:, 1].sum() == 1
    (note,) = (note for note in account if note.code == "words-among-numbers")
    assert note.what == "'a' has 1 value that is no number ('?', row 61), so that is missing."


def test_a_column_of_numbers_that_a_word_turns_to_text_is_pointed_out() -> None:
    ages = [str(20 + k % 40) for k in range(60)]
    ages[3] = "forty"
    account = Account()
    frame = pd.DataFrame({"Age": ages}, index=[f"person {k}" for k in range(60)])
    assert len(encode(frame, account).names) == 41
    pointed, spread = account
    assert (
        pointed.what
        == "'Age' has 1 value that is no number ('forty', row 4), so it was read as text: 41 columns."
    )
    assert pointed.cure.startswith("Correct it in the table, or leave the cell empty")
    assert spread.what == "1 text column became 0/1 columns, one a value: 'Age' (41 columns)."


def test_a_column_of_numbers_that_looks_like_ids_for_its_words_is_pointed_out() -> None:
    values = [f"{k}.5" for k in range(28)] + ["none", "?"]
    account = Account()
    assert encode(pd.DataFrame({"size": values}), account).names == []
    whats = {note.code: note.what for note in account}
    assert set(whats) == {"words-among-numbers", "left-out-text"}
    assert (
        "2 values that are no number ('none', row 29), so it was read as text and left out"
        in (whats["words-among-numbers"])
    )


def test_every_text_column_that_was_spread_is_listed() -> None:
    account = Account()
    encode(pd.DataFrame({f"c{k}": ["x", "y"] for k in range(9)}), account)
    (note,) = account
    assert note.count == 9
    assert "'c0' (2 columns), 'c1'" in note.what
    assert note.what.endswith("'c7' (2 columns) and 1 more.")


def test_an_unknown_way_to_fill_is_refused() -> None:
    with pytest.raises(InputError, match=r"nan='drop'.*'median', 'zero', 'mean' or 'error'"):
        encode(pd.DataFrame({"a": [1.0]}), nan="drop")


def test_infinite_numbers_are_refused_unless_a_way_is_chosen() -> None:
    frame = pd.DataFrame({"a": [1.0, np.inf, -np.inf]})
    with pytest.raises(DataError, match=r"column 'a' holds 2 infinite values; the first is in row 2"):
        encode(frame)
    assert np.isinf(encode(frame, nan="zero").matrix()).sum() == 2


def test_a_matrix_that_cannot_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allpass.data.tables.columns._LARGEST", 100)
    with pytest.raises(DataError, match="30 different values: too many"):
        encode(pd.DataFrame({"a": [f"v{k}" for k in range(30)]}), asked=True)
