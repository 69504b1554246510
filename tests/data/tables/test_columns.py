from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder

from allpass.data.account import Account
from allpass.data.tables.columns import Encoder, Features, Wishes
from allpass.errors import DataError, InputError


def encode(
    frame: pd.DataFrame,
    account: Account | None = None,
    *,
    nan: str = "median",
    cap: int = 50,
    asked: bool = False,
    **named: Any,
) -> Features:
    wishes = Wishes(asked=asked, **named)
    account = Account() if account is None else account
    encoder = Encoder(account, nan=nan, max_categories=cap, wishes=wishes)
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
            "page_id": range(1000, 1000 + 7 * n, 7),
            "bio": [f"likes number {k} and tea" for k in range(n)],
            "empty": [None] * n,
            "fine": ["a", "b"] * 15,
        }
    )
    account = Account()
    features = encode(frame, account, cap=10)
    assert features.names == ["fine=a", "fine=b"]
    notes = {note.code: note.what for note in account}
    assert notes.pop("spread-text").startswith("1 text column became")
    assert notes == {
        "left-out-ids": "2 columns look like ids and were left out: 'name' (30 different codes or names, one a row), "
        "'page_id' (its name says id, and all values differ).",
        "left-out-text": "1 column holds free text and was left out: 'bio' (30 different texts of several words).",
        "left-out-categories": "1 column holds too many different values for 0/1 columns and was left out: 'many' "
        "(12 different values are too many for 0/1 columns).",
        "left-out-empty": "1 column holds no value at all and was left out: 'empty'.",
    }
    assert [(role.role, role.features) for role in features.roles] == [
        ("id", 0),
        ("left out", 0),
        ("id", 0),
        ("text", 0),
        ("left out", 0),
        ("category", 2),
    ]
    assert len(encode(frame[["many"]], cap=10, asked=True).names) == 12
    assert encode(frame[["page_id"]], asked=True).matrix().ravel().tolist() == frame["page_id"].tolist()
    assert encode(frame[["empty"]]).matrix() is None


def test_what_was_said_of_a_column_is_done() -> None:
    frame = pd.DataFrame(
        {
            "city_id": [3.0, 7, np.nan, 3],
            "page_id": [10, 20, 30, 40],
            "bio": ["a cat", "a dog", None, "cat dog"],
        }
    )
    features = encode(frame, categories=["city_id"], numbers=["page_id"], text=["bio"])
    assert features.names == [
        "city_id=3",
        "city_id=7",
        "city_id is missing",
        "page_id",
        "bio: cat",
        "bio: dog",
    ]
    assert [role.reason for role in features.roles] == [
        f"named in {o}=" for o in ("categories", "numbers", "text")
    ]
    assert features.matrix()[:, 3].tolist() == [10, 20, 30, 40]
    with pytest.raises(DataError, match="'bio' holds text, not numbers"):
        encode(frame, numbers=["bio"])


def test_text_becomes_the_tfidf_of_scikit_learn() -> None:
    texts = ["a red cat", "a blue dog", "the red dog", None]
    features = encode(pd.DataFrame({"bio": texts}), text=["bio"])
    theirs = TfidfVectorizer()
    expected = theirs.fit_transform([text for text in texts if text]).toarray()
    x = features.matrix()
    x = x.toarray() if sp.issparse(x) else x
    np.testing.assert_allclose(x, [*expected, np.zeros(expected.shape[1])], rtol=1e-6)
    assert features.names == [f"bio: {word}" for word in theirs.get_feature_names_out()]


def test_many_words_are_stored_sparse_beside_numbers() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 500, 8)) for _ in range(400)]
    features = encode(pd.DataFrame({"bio": texts, "age": rng.normal(size=400)}), text=["bio"])
    x = features.matrix()
    assert sp.issparse(x)
    assert x.shape == (400, len(features.names))
    assert features.names[-1] == "age"


def test_dates_become_seconds_that_keep_their_differences() -> None:
    stamps = pd.to_datetime(["2024-03-01 12:00:00", "2024-03-01 12:00:01", "1969-12-31 23:59:59"])
    seconds = [1709294400.0, 1709294401.0, -1.0]
    written = ["%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%d %b %Y %H:%M:%S"]
    for column in (
        stamps,
        stamps.tz_localize("UTC").tz_convert("Asia/Tokyo"),
        *(stamps.strftime(how) for how in written),
    ):
        features = encode(pd.DataFrame({"when": column}))
        assert features.matrix().dtype == np.float64
        assert features.matrix().ravel().tolist() == seconds
        assert [role.role for role in features.roles] == ["date"]
    account = Account()
    odd = encode(pd.DataFrame({"when": ["2024-03-01"] * 20 + [None, "unknown"]}), account)
    assert odd.names == ["when", "when is missing"]
    assert odd.matrix()[:, 1].sum() == 2
    assert "'when' has 1 value that is no date ('unknown', row 22)" in next(iter(account)).what


def test_numbers_written_with_commas_and_signs_are_numbers() -> None:
    frame = pd.DataFrame(
        {"sales": ["1.234,5", "0,25", None], "share": ["5%", "12.5%", "7%"], "n": ["1,200", "3,400", "5,600"]}
    )
    account = Account()
    features = encode(frame, account)
    assert features.names == ["sales", "sales is missing", "share", "n"]
    assert features.matrix().tolist() == [[1234.5, 0, 5, 1200], [0.25, 0, 12.5, 3400], [617.375, 1, 7, 5600]]
    assert [one.format for one in features.encodings] == ["1.234,5", "1,234.5", "1,234.5"]
    said = next(note.what for note in account if note.code == "written-numbers")
    assert "'sales' ('1.234,5' is 1234.5), 'share' ('5%' is 5), 'n' ('1,200' is 1200)" in said
    assert encode(frame, numbers=["n"]).encodings[2].format == "1,234.5"
    assert encode(frame, categories=["share"]).names[2:5] == ["share=12.5%", "share=5%", "share=7%"]


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


def test_numbers_that_all_differ_are_no_ids_for_the_words_among_them() -> None:
    values = [f"{k}.5" for k in range(28)] + ["none", "?"]
    account = Account()
    assert encode(pd.DataFrame({"size": values}), account).names == ["size", "size is missing"]
    whats = {note.code: note.what for note in account}
    assert (
        "2 values that are no number ('none', row 29), so those are missing" in whats["words-among-numbers"]
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
