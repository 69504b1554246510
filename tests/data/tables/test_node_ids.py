"""Tables in which the ids of the nodes are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from allpass.data.tables.from_tables import from_tables
from allpass.errors import DataError

N = 40
EDGES = pd.DataFrame({"from": np.arange(N), "to": (np.arange(N) * 7 + 3) % N})
TWITCH = pd.DataFrame(
    {
        "id": np.arange(N) * 977 + 73_045_350,
        "views": np.arange(N) % 9,
        "new_id": np.random.default_rng(0).permutation(N),
        "label": np.arange(N) % 2,
    }
)


def test_the_column_that_meets_the_edges_is_named() -> None:
    for options in ({}, {"id_column": "id"}, {"unknown_nodes": "drop"}):
        with pytest.raises(DataError, match=r"by the column 'id' .*Did you mean id_column='new_id'\?"):
            from_tables(EDGES, TWITCH, **options)
    data = from_tables(EDGES, TWITCH, id_column="new_id")
    assert data.node_ids == [str(value) for value in TWITCH["new_id"]]
    assert data.feature_names == ["views"]  # the other ids are no feature
    assert {role.column: role.role for role in data.roles} == {
        "from": "source",
        "to": "target",
        "id": "id",
        "views": "number",
        "new_id": "id",
        "label": "label",
    }


def test_it_is_named_too_where_only_some_ids_are_unknown() -> None:
    partly = TWITCH.assign(id=np.where(np.arange(N) < 30, np.arange(N), 1000 + np.arange(N)))
    with pytest.raises(
        DataError, match=r"lead to 10 nodes .*Did you mean id_column='new_id'\? Add the nodes"
    ):
        from_tables(EDGES, partly)
    for way in ("drop", "add"):
        account = from_tables(EDGES, partly, unknown_nodes=way).account
        (note,) = (note for note in account if note.code == "unknown-nodes")
        assert note.cure == "Did you mean id_column='new_id'?"
    whole = from_tables(EDGES, TWITCH, id_column="new_id").account
    assert not any("Did you mean" in note.cure for note in whole)


def test_row_numbers_are_named_where_they_meet_the_edges() -> None:
    rows = TWITCH.drop(columns="new_id")
    with pytest.raises(DataError, match=r"Did you mean id_column=False \(row numbers\)\?"):
        from_tables(EDGES, rows)
    data = from_tables(EDGES, rows, id_column=False)
    assert data.node_ids == [str(k) for k in range(N)]
    assert "views" in data.feature_names
    assert data.edge_index.tolist() == EDGES.to_numpy().T.tolist()


def test_a_rank_is_taken_as_ids_with_a_note_and_a_cure() -> None:
    ranks = np.random.default_rng(1).permutation(N) + 1
    nodes = pd.DataFrame({"rank": ranks, "size": np.linspace(0, 1, N), "label": np.arange(N) % 2})
    inside = EDGES[(EDGES > 0).all(axis=1)]  # these could be ranks, or row numbers
    data = from_tables(inside, nodes)
    (note,) = (note for note in data.account if note.code == "guessed-ids")
    assert note.what == (
        "The numbers in the column 'rank' were taken as the node ids: it holds 39 of the 39 ids of the edges."
    )
    assert "id_column=False" in note.cure
    meant = from_tables(inside, nodes, id_column=False)
    assert meant.feature_names == ["rank", "size"]
    assert meant.node_ids == [str(k) for k in range(N)]


def test_row_numbers_win_where_they_meet_more_edges_than_the_first_column() -> None:
    ranks = np.random.default_rng(1).permutation(N) + 1
    nodes = pd.DataFrame({"rank": ranks, "size": np.linspace(0, 1, N), "label": np.arange(N) % 2})
    data = from_tables(EDGES, nodes)  # one edge leads to 0, which is no rank
    assert data.node_ids == [str(k) for k in range(N)]
    assert data.feature_names == ["rank", "size"]
    assert "row-numbers" in data.account


def test_names_need_no_note() -> None:
    names = [f"n{k}" for k in range(N)]
    edges = pd.DataFrame({"u": names[:-1], "v": names[1:]})
    nodes = pd.DataFrame({"person": names, "size": np.linspace(0, 1, N), "label": np.arange(N) % 2})
    assert "guessed-ids" not in from_tables(edges, nodes).account
