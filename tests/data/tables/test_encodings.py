from __future__ import annotations

import json

import pytest

from allpass.data.tables.encodings import Encoding


@pytest.mark.parametrize(
    "encoding",
    [
        Encoding("age", "number"),
        Encoding("when", "date", "%d/%m/%Y"),
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
    ],
)
def test_a_damaged_one_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="encoding of the column 'a' is damaged"):
        Encoding.from_dict(content)
