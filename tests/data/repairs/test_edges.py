from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.account import Account
from allpass.data.readers.npz import read_npz
from allpass.data.repairs.edges import (
    checked_edges,
    checked_weights,
    count_directions,
    merge_duplicates,
    note_links,
    note_twins,
    note_weights,
    stored_once,
)
from allpass.errors import DataError

Edges = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=30))


def arrays(edges: Edges) -> np.ndarray:
    return np.array(edges, dtype=np.int64).reshape(-1, 2).T


@given(graphs())
def test_merging_keeps_first_places_and_adds_weights(graph: tuple[int, Edges]) -> None:
    n, edges = graph
    account = Account()
    weight = np.arange(1, len(edges) + 1, dtype=np.float32)
    merged, total = merge_duplicates(arrays(edges), weight, n, account)
    assert [tuple(pair) for pair in merged.T.tolist()] == list(dict.fromkeys(edges))
    sums: Counter[tuple[int, int]] = Counter()
    for edge, w in zip(edges, weight.tolist(), strict=True):
        sums[edge] += w
    assert total is not None
    assert total.tolist() == [sums[edge] for edge in dict.fromkeys(edges)]
    extra = len(edges) - len(set(edges))
    assert [note.count for note in account] == ([extra] if extra else [])
    assert merge_duplicates(arrays(edges), None, n, Account())[0].tolist() == merged.tolist()


@given(graphs())
def test_notes_count_what_is_there(graph: tuple[int, Edges]) -> None:
    n, edges = graph
    edges = list(dict.fromkeys(edges))
    account = Account()
    links = note_links(arrays(edges), None, n, account)
    counts = {note.code: note.count for note in account}
    both = {*edges, *((v, u) for u, v in edges)}
    assert {divmod(key, n) for key in links.keys.tolist()} == both
    one_way = sum((v, u) not in edges for u, v in edges)
    back = sum((v, u) in edges for u, v in edges if u != v)
    code = "directed" if back else "stored-once"  # at this size a single edge back is more than a few
    assert {counts.get("directed", 0), counts.get("stored-once", 0)} == {0, one_way}
    assert counts.get(code, 0) == one_way
    assert count_directions(arrays(edges), n) == (one_way, back // 2)
    assert counts.get("self-loops", 0) == sum(u == v for u, v in edges)
    joined = {node for u, v in edges if u != v for node in (u, v)}
    assert counts.get("isolated-nodes", 0) == (n - len(joined) if edges else 0)
    assert ("no-edges" in counts) == (not edges)
    assert ("undirected" in counts) == (bool(edges) and both == set(edges))


def test_an_edge_list_stored_once_is_not_called_directed() -> None:
    """Not even when a few of its edges are written both ways; a real direction goes both ways more often."""
    path = np.stack([np.arange(999), np.arange(1, 1000)])
    for back, code in ((0, "stored-once"), (5, "stored-once"), (100, "directed")):
        account = Account()
        note_links(np.concatenate([path, path[::-1, :back]], axis=1), None, 1000, account)
        (note,) = account
        assert (note.code, note.count) == (code, 999 - back)
    assert stored_once(1, 0)
    assert not stored_once(0, 0)
    assert not stored_once(0, 10)


@given(graphs(), st.integers(0, 1000))
def test_twins_share_label_and_two_or_more_neighbours(graph: tuple[int, Edges], seed: int) -> None:
    n, edges = graph
    edges = list(dict.fromkeys(edges))
    y = np.random.default_rng(seed).integers(-1, 2, n)
    near = {
        node: frozenset([v for u, v in edges if u == node] + [u for u, v in edges if v == node])
        for node in range(n)
    }
    kinds = Counter((near[node], int(y[node])) for node in range(n) if len(near[node]) > 1 and y[node] >= 0)
    account = Account()
    note_twins(note_links(arrays(edges), None, n, Account()), y, account)
    assert sum(note.count for note in account) == sum(count for count in kinds.values() if count > 1)


# Counted by brute force over sets of neighbours.
@pytest.mark.parametrize(("name", "twins"), [("chameleon", 1211), ("squirrel", 2463)])
def test_twins_of_chameleon_and_squirrel(data_dir: Path, name: str, twins: int) -> None:
    arrays = read_npz(data_dir / "heterophilous_npz" / f"{name}_directed.npz")
    account = Account()
    links = note_links(arrays["edges"].T.astype(np.int64), None, arrays["node_labels"].size, Account())
    note_twins(links, arrays["node_labels"], account)
    assert [note.count for note in account] == [twins]


def test_weights_that_differ_on_the_way_back_make_it_directed() -> None:
    edges = np.array([[0, 1], [1, 0]])
    for weight, code in (([1, 1], "undirected"), ([1, 2], "directed")):
        account = Account()
        note_links(edges, np.array(weight, dtype=np.float32), 2, account)
        assert code in account


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (np.zeros((3, 4), dtype=int), r"shape \[3, 4\]"),
        (np.array([[0.5], [1]]), "float"),
        (np.array([["a"], ["b"]]), "Expected whole numbers"),
        (np.array([[0, 9, 7], [1, 1, -1]]), r"3 unknown nodes: -1, 7, 9; there are 3 nodes"),
    ],
)
def test_wrong_edges(edges: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        checked_edges(edges, 3, None)


def test_edges_of_other_types_are_read() -> None:
    assert checked_edges(np.array([[0.0], [2.0]]), 3, None).dtype == np.int64
    assert checked_edges(np.array([[0], [2]], dtype=np.uint8), 3, None).tolist() == [[0], [2]]
    with pytest.raises(DataError, match="2 node ids for 3 nodes"):
        checked_edges(np.array([[0], [2]]), 3, ["a", "b"])


@pytest.mark.parametrize(
    ("weight", "zeros"), [([1, 2], ""), ([0, 2], "1 edge has"), ([0, 0], "2 edges have")]
)
def test_weights_are_noted_and_so_are_zeros(weight: list[int], zeros: str) -> None:
    account = Account()
    note_weights(np.array(weight, dtype=np.float32), account)
    notes = {note.code: note for note in account}
    assert notes["weighted"].count == 2
    assert "the larger counts" in notes["weighted"].what
    assert ("zero-weights" in notes) == bool(zeros)
    if zeros:
        assert notes["zero-weights"].what.startswith(f"{zeros} weight 0")
        assert notes["zero-weights"].count == weight.count(0)


def test_a_graph_without_weights_has_no_note_about_them() -> None:
    account = Account()
    note_weights(None, account)
    assert not len(account)


def test_weights() -> None:
    account = Account()
    weight = checked_weights(np.array([[1], [-2]]), 2, account)
    assert weight is not None
    assert weight.dtype == np.float32
    assert weight.tolist() == [1, -2]
    assert [note.what for note in account] == ["1 edge has a negative weight; the first is edge 2. Kept."]
    assert checked_weights(None, 2, account) is None
    none = checked_weights(np.zeros(0), 0, account)
    assert none is not None
    assert none.shape == (0,)
    for bad, message in (
        (np.ones(3), r"\[3\]"),
        (np.array(["a", "b"]), "type"),
        (
            np.array([1, np.nan]),
            r"1 edge weight is missing or infinite; the first is that of edge 2\. .*weight=False",
        ),
    ):
        with pytest.raises(DataError, match=message):
            checked_weights(bad, 2, account)


def test_weights_that_single_precision_cannot_hold() -> None:
    account = Account()
    for bad in (1e39, 1e-60):
        with pytest.raises(DataError, match="1 edge weight is too large or too small for single precision"):
            checked_weights(np.array([1.0, bad]), 2, account)
    assert len(account) == 0
    checked_weights(np.array([2**25 + 1, 2**25 + 4, 2**25 + 3]), 3, account)
    assert [(note.code, note.count) for note in account] == [("rounded-weights", 1)]
