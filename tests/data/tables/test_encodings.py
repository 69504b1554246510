from __future__ import annotations

import json

import pytest

from allpass.data.tables.encodings import Encoding, completed, described, of_kind


@pytest.mark.parametrize(
    "encoding",
    [
        Encoding("age", "number"),
        Encoding("when", "date", "%d/%m/%Y"),
        Encoding("when", "date", "%d/%m/%Y", fill=0.0, gaps=True, precise=True),
        Encoding("team", "category", values=("a", "b")),
        Encoding("bad", "label", "classification", values=("?",)),
        Encoding("bio", "text", words=("a cat", "ä"), idf=(1.5, 0.1 + 0.2)),
    ],
)
def test_it_goes_through_a_file(encoding: Encoding) -> None:
    assert Encoding.from_dict(json.loads(json.dumps(encoding.to_dict()))) == encoding


@pytest.mark.parametrize(
    "content",
    [
        {"column": "a", "kind": "picture"},
        {"column": "a", "kind": "text"},
        {"column": "a", "kind": "number", "words": ["x"], "idf": [1]},
        {"column": "a", "kind": "text", "words": ["x"], "idf": []},
        {"column": "a", "kind": "number", "values": ["x"]},
        {"column": "a", "kind": "number", "fill": float("nan")},
        {"column": "a", "kind": "number", "format": "1_234"},
        {"column": "a", "kind": "category", "fill": 1},
        {"column": "a", "kind": "category", "values": ["x", "x"]},
    ],
)
def test_a_damaged_one_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="encoding of the column 'a' is damaged"):
        Encoding.from_dict(content)


def test_the_names_of_features_complete_what_older_files_lack() -> None:
    old = [
        Encoding("age", "number"),
        Encoding("team", "category"),
        Encoding("bio", "text", words=("x",), idf=(1.0,)),
    ]
    names = ["age", "age is missing", "team=a", "team=b=c", "bio: x"]
    new = completed(old, names, {"age": 3.0})
    assert [name for encoding in new for name in encoding.features] == names
    assert (new[0].fill, new[1].values) == (3.0, ("a", "b=c"))
    assert completed(new, names, {"age": 4.0}) == new


def test_what_the_checks_of_a_table_found_is_written_down() -> None:
    found = described([Encoding("age", "number"), Encoding("bad", "label")], "regression", precise=True)
    assert found == (Encoding("age", "number", precise=True), Encoding("bad", "label", "regression"))
    assert of_kind(found, "label") == found[1]
    assert of_kind(found, "id") is None
