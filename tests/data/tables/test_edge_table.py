from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from allpass.data.account import Account
from allpass.data.tables.edge_table import Edges, id_texts, read_edges
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError


def read(
    columns: dict[str, list[object]], account: Account | None = None, **names: str | bool | None
) -> Edges:
    options = {"source": None, "target": None, "weight": None} | names
    table = Table(pd.DataFrame(columns), "edge table")
    return read_edges(table, **options, account=account if account is not None else Account())


def pairs(edges: Edges) -> list[tuple[str, str]]:
    return [(edges.ids[u], edges.ids[v]) for u, v in edges.ends.T]


@pytest.mark.parametrize(
    "columns",
    [
        ("source", "target"),
        ("Source", "TARGET"),
        ("src", "dst"),
        ("from", "to"),
        ("u", "v"),
        ("head", "tail"),
    ],
)
def test_columns_are_found_by_name_or_come_first(columns: tuple[str, str]) -> None:
    edges = read({columns[0]: ["a", "b"], columns[1]: ["b", "c"], "note": [1, 2]})
    assert pairs(edges) == [("a", "b"), ("b", "c")]
    assert edges.weight is None


def test_names_win_over_order() -> None:
    assert pairs(read({"note": [1], "target": ["b"], "source": ["a"]})) == [("a", "b")]
    assert pairs(read({"Unnamed: 0": [0], "p": ["a"], "q": ["b"]})) == [("a", "b")]


def test_columns_by_hand() -> None:
    table: dict[str, list[object]] = {"p": ["a"], "q": ["b"], "r": ["c"]}
    assert pairs(read(table, source="q", target="r")) == [("b", "c")]
    assert pairs(read(table, source="q")) == [("b", "a")]
    assert pairs(read(table, target="p")) == [("b", "a")]
    assert pairs(read(table, target="r")) == [("a", "c")]
    with pytest.raises(InputError, match="same column 'p'"):
        read(table, source="p", target="p")
    with pytest.raises(DataError, match="no column 'z'"):
        read(table, source="z")


def test_weights_are_found_named_or_refused() -> None:
    table: dict[str, list[object]] = {"u": [1], "v": [2], "weight": [0.5], "cost": [3], "word": ["x"]}
    for weight, value in ((None, [0.5]), ("cost", [3]), (False, None)):
        found = read(table, weight=weight).weight
        assert (None if found is None else found.tolist()) == value
    with pytest.raises(DataError, match="'word' of the edge table holds text"):
        read(table, weight="word")


def test_other_columns_are_said_to_be_ignored() -> None:
    account = Account()
    read({"u": [1], "v": [2], "weight": [1], "kind": ["x"]}, account)
    (note,) = account
    assert (note.code, note.count) == ("ignored-edge-columns", 1)
    assert "'kind'" in note.what


def test_one_column_is_not_enough() -> None:
    with pytest.raises(DataError, match="Got 1 column in the edge table: 'u'"):
        read({"u": [1]})


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([3, 1, 3], ["3", "1", "3"]),
        ([3.0, 1.0, 3.0], ["3", "1", "3"]),
        ([1.5, 1.0, 2.0], ["1.5", "1", "2"]),
        (["a ", "007", "a"], ["a", "007", "a"]),
        ([True, False, True], ["True", "False", "True"]),
        ([2**60, 1, 2], [str(2**60), "1", "2"]),
    ],
)
def test_the_same_id_has_the_same_text(values: list[object], texts: list[str]) -> None:
    for column in (pd.Series(values, name="id"), pd.Series(values, name="id").astype(object)):
        codes, found = id_texts(column, "the table")
        assert [found[code] for code in codes] == texts


def test_missing_ids_are_refused() -> None:
    with pytest.raises(
        DataError, match=r"2 rows have no value in the column 'v' of the edge table; the first is row 2"
    ):
        read({"u": [1, 2, 3], "v": ["a", None, np.nan]})


def test_every_column_of_an_edge_table_has_a_role() -> None:
    frame = pd.DataFrame({"when": [1, 2], "u": ["a", "b"], "v": ["b", "c"], "weight": [1.0, 2.0]})
    roles = read_edges(Table(frame, "edge table"), None, None, None, Account()).roles
    assert [(role.column, role.role, role.table) for role in roles] == [
        ("when", "left out", "edges"),
        ("u", "source", "edges"),
        ("v", "target", "edges"),
        ("weight", "weight", "edges"),
    ]


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}])
def test_ids_that_are_lists_are_refused(value: object) -> None:
    with pytest.raises(
        DataError, match=f"ids in the column 'source' of the table are {type(value).__name__}s"
    ):
        id_texts(pd.Series([value, value], name="source"), "the table")
