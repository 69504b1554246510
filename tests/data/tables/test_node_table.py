from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from allpass.data.account import Account
from allpass.data.draft import Draft
from allpass.data.tables.node_table import NoLabelColumnError, read_nodes
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError


def read(columns: dict[str, Any], **options: Any) -> Draft:
    return read_nodes(Table(pd.DataFrame(columns), "node table"), Account(), **options)


@pytest.mark.parametrize("name", ["id", "node", "node_id", "ID"])
def test_the_id_column_is_found_anywhere(name: str) -> None:
    draft = read({"age": [1, 2], name: ["p", "q"], "y": [0, 1]})
    assert draft.node_ids == ["p", "q"]
    assert draft.feature_names == ["age"]


def test_the_first_column_is_the_id_when_it_can_be() -> None:
    assert read({"person": ["p", "q"], "y": [0, 1]}).node_ids == ["p", "q"]
    assert read({"person": [5, 3], "y": [0, 1]}).node_ids == ["5", "3"]
    for first in (["red", "red"], [0.5, 1.5]):
        draft = read({"first": first, "y": [0, 1]})
        assert draft.node_ids == ["0", "1"]
        assert draft.feature_names is not None
        assert "row-numbers" in draft.account
    assert read({"y": [0, 1], "a": [1, 2]}).node_ids == ["0", "1"]
    assert read({"p": [5, 3], "q": [7, 8], "y": [0, 1]}, id_column="q").node_ids == ["7", "8"]


def test_repeated_ids_are_refused() -> None:
    with pytest.raises(DataError, match="1 node id stands in several rows of the node table: 'a'"):
        read({"id": ["a", "b", "a"], "y": [0, 1, 0]})
    with pytest.raises(DataError, match="several rows"):
        read({"id": ["a", " a"], "y": [0, 1]})


@pytest.mark.parametrize("name", ["label", "y", "class", "target", "Label"])
def test_the_label_is_found_by_name(name: str) -> None:
    draft = read({"id": [1, 2], name: ["p", "q"], "a": [1, 2]})
    assert draft.y is not None
    assert draft.y.tolist() == ["p", "q"]
    assert draft.feature_names == ["a"]


def test_a_label_that_nobody_named_is_asked_for() -> None:
    table = {"id": [1, 2], "group": ["p", "q"]}
    with pytest.raises(
        NoLabelColumnError, match=r"No column of the node table is called label.*'group'.*label=False"
    ):
        read(table)
    assert read(table, label="group").feature_names is None
    assert read(table, label=False).y is None
    assert read({"id": [1, 2]}).y is None
    with pytest.raises(DataError, match=r"no column 'gruop'.*Did you mean 'group'"):
        read(table, label="gruop")


def test_a_column_has_one_role() -> None:
    with pytest.raises(InputError, match="both the label and a feature"):
        read({"id": [1], "a": [1]}, label="a", features=["a"])
    with pytest.raises(InputError, match="both the label and the id"):
        read({"id": [1], "a": [1]}, label="id")


def test_chosen_features() -> None:
    table = {"id": [1, 2], "a": [1, 2], "b": [3, 4], "y": [0, 1]}
    for one in (["b"], "b"):
        assert read(table, features=one).feature_names == ["b"]
    assert read(table, features=[]).x is None
    with pytest.raises(DataError, match="no column 'c'"):
        read(table, features=["c"])


@pytest.mark.parametrize(
    "masks",
    [
        {"train": [True, False, False], "val": [False, True, False], "test": [False, False, True]},
        {"train_mask": [1, 0, 0], "val_mask": [0, 1, 0], "test_mask": [0, 0, 1]},
        {"Train": [1, 0, 0], "valid": [0, 1, 0], "Test": [0, 0, 1]},
        {"split": ["train", "validation", "Test"]},
    ],
)
def test_masks(masks: dict[str, Any]) -> None:
    draft = read({"id": [1, 2, 3], "y": [0, 1, 0], **masks})
    (split,) = draft.splits["stored"]
    assert [getattr(split, part).tolist() for part in ("train", "val", "test")] == np.eye(
        3, dtype=bool
    ).tolist()
    assert draft.x is None


def test_columns_that_only_sound_like_masks_are_features() -> None:
    draft = read({"id": [1, 2], "y": [0, 1], "test": [3.5, 2.5], "split": [4, 5]})
    assert draft.splits == {}
    assert draft.feature_names == ["test", "split"]


def test_nodes_in_no_set() -> None:
    (split,) = read({"id": [1, 2], "y": [0, 1], "split": ["train", None]}).splits["stored"]
    assert not (split.train | split.val | split.test)[1]


def test_the_row_number_that_pandas_writes_is_no_feature() -> None:
    draft = read({"Unnamed: 0": [0, 1], "id": ["a", "b"], "y": [0, 1], "age": [3, 4]})
    assert draft.feature_names == ["age"]


def test_row_numbers_with_gaps_are_no_feature_either() -> None:
    draft = read({"id": list("abc"), "Unnamed: 0": [4, 9, 2], "y": [0, 1, 0], "age": [3, 4, 5]})
    assert draft.feature_names == ["age"]
    (note,) = (note for note in draft.account if note.code == "row-index")
    assert (
        note.what
        == "The column 'Unnamed: 0' without a name in the header holds row numbers and was left out."
    )
    kept = read({"id": list("abc"), "Unnamed: 0": [4, 9, 2], "y": [0, 1, 0]}, numbers="Unnamed: 0")
    assert kept.feature_names == ["Unnamed: 0"]


def test_columns_are_dropped_and_read_as_asked() -> None:
    table = {"id": [1, 2], "a": [1, 2], "b": ["x y", "y z"], "c": [3, 4], "y": [0, 1]}
    assert read(table, drop=["a", "c"]).feature_names == ["b=x y", "b=y z"]
    assert read(table, drop="b", categories="c").feature_names == ["a", "c=3", "c=4"]
    words = {**table, "b": ["red cat", "red dog"]}
    assert read(words, features=["a"], text="b").feature_names == ["a", "b: cat", "b: dog", "b: red"]
    for options in (
        {"drop": "a", "text": "a"},
        {"drop": "a", "features": ["a"]},
        {"text": "b", "categories": "b"},
    ):
        with pytest.raises(InputError, match="is named in both"):
            read(table, **options)
    with pytest.raises(InputError, match="both the label and a feature"):
        read(table, label="y", drop="y")
    with pytest.raises(DataError, match="no column 'd'"):
        read(table, drop="d")


def test_every_column_has_a_role_in_the_order_of_the_table() -> None:
    draft = read(
        {
            "Unnamed: 0": [5, 3, 8],
            "node": list("abc"),
            "age": [1.5, 2.5, 1.5],
            "kind": ["u", "v", "u"],
            "when": ["2024-01-01", "2024-01-02", "2024-01-03"],
            "train": [1, 0, 0],
            "test": [0, 1, 1],
            "secret": [1, 2, 3],
            "label": ["p", "q", "p"],
        },
        drop="secret",
    )
    assert [(role.column, role.role, role.features) for role in draft.roles] == [
        ("Unnamed: 0", "id", 0),
        ("node", "id", 0),
        ("age", "number", 1),
        ("kind", "category", 2),
        ("when", "date", 1),
        ("train", "mask", 0),
        ("test", "mask", 0),
        ("secret", "left out", 0),
        ("label", "label", 0),
    ]
    assert all(role.reason for role in draft.roles)
    assert [(encoding.column, encoding.kind) for encoding in draft.encodings] == [
        ("age", "number"),
        ("kind", "category"),
        ("when", "date"),
        ("Unnamed: 0", "left out"),
        ("node", "id"),
        ("train", "left out"),
        ("test", "left out"),
        ("secret", "left out"),
        ("label", "label"),
    ]


def test_words_of_a_category_that_are_read_as_empty_are_named(tmp_path: Path) -> None:
    path, account = tmp_path / "nodes.csv", Account()
    rows = ["id,country,size,y", "a,NA,1,p", "b,DE,NA,q", "c,NA,3,p", "d,,4,q", "e,None,5,p"]
    path.write_text("\n".join(rows))
    draft = read_nodes(Table(path, "node table"), account)
    assert draft.feature_names == ["country=DE", "country is missing", "size", "size is missing"]
    said = next(note for note in account if note.code == "missing-words")
    assert said.count == 3
    assert "'country': 'NA' (2), 'None' (1)." in said.what
    path.write_text("id,country,y\na,DE,p\nb,,q\nc,DE,p")
    account = Account()
    read_nodes(Table(path, "node table"), account)
    assert "missing-words" not in account


def test_labels_keep_their_kind() -> None:
    for values, kind in (([0, 1], "f"), ([True, False], "b"), (["a", None], "O"), ([1.5, None], "f")):
        y = read({"id": [1, 2], "y": values}).y
        assert y is not None
        assert y.dtype.kind == kind


def test_no_rows() -> None:
    with pytest.raises(DataError, match="no rows in the node table"):
        read({"id": [], "y": []})


def test_spaces_around_values_are_noted() -> None:
    columns = {
        "id": [" a", "b", "c"],
        "kind": ["x ", "y", " "],
        "note": [[" 1"], [2], [3]],
        "label": ["p", "p", " q"],
    }
    draft = read(columns, drop="note", categories="kind")
    assert draft.node_ids == ["a", "b", "c"]
    assert draft.feature_names == ["kind=x", "kind=y", "kind is missing"]
    assert list(draft.y) == ["p", "p", "q"]
    note = next(note for note in draft.account if note.code == "trimmed")
    assert note.what == (
        "Spaces around values of the node table were left out: 'id' (1 value, such as ' a'), 'label' (1 value, such as "
        "' q'), 'kind' (2 values, such as 'x ')."
    )
    assert "trimmed" not in read({"id": ["a", "b"], "label": ["p", "q"]}).account
