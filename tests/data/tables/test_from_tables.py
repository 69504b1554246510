from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from allpass.data.tables.from_tables import from_tables
from allpass.errors import DataError, InputError, MissingFileError

EDGES = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"]})
NODES = pd.DataFrame({"id": list("abcd"), "age": [1.0, 2.0, 3.0, 4.0], "label": list("xyxy")})


def test_a_small_graph() -> None:
    data = from_tables(EDGES, NODES)
    assert data.edge_index.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert data.x.tolist() == [[1], [2], [3], [4]]
    assert data.y.tolist() == [0, 1, 0, 1]
    assert data.class_names == ["x", "y"]
    assert data.feature_names == ["age"]
    assert data.node_ids == list("abcd")
    assert data.source == "tables"
    assert "stored-once" in data.account


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_every_kind_of_file_gives_the_same_graph(tmp_path: Path, suffix: str) -> None:
    for name, frame in (("edges", EDGES), ("nodes", NODES)):
        path = tmp_path / f"{name}.{suffix}"
        if suffix == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    data = from_tables(tmp_path / f"edges.{suffix}", str(tmp_path / f"nodes.{suffix}"))
    assert data.fingerprint == from_tables(EDGES, NODES).fingerprint


def test_ids_meet_across_kinds_of_files(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("u,v\n10,20\n20,30\n")
    nodes = pd.DataFrame({"id": [30.0, 20.0, 10.0], "y": [0, 1, 0]})
    assert from_tables(tmp_path / "e.csv", nodes).edge_index.tolist() == [[2, 1], [1, 0]]


def test_edges_alone_name_their_nodes() -> None:
    data = from_tables(pd.DataFrame({"u": [10, 2], "v": [3, 10]}))
    assert data.node_ids == ["2", "3", "10"]
    assert data.edge_index.tolist() == [[2, 0], [1, 2]]
    assert from_tables(EDGES).node_ids == ["a", "b", "c", "d"]
    assert {"no-node-table", "no-labels", "no-features"} <= {note.code for note in data.account}
    with pytest.raises(InputError, match="label='y' but no node table"):
        from_tables(EDGES, label="y")


def test_undirected_rows_are_stored_both_ways() -> None:
    data = from_tables(EDGES, NODES, undirected=True)
    assert data.edge_index.tolist() == [[0, 1, 2, 1, 2, 3], [1, 2, 3, 0, 1, 2]]
    assert "undirected" in data.account


def test_repeated_edges_add_their_weights() -> None:
    edges = pd.DataFrame({"u": list("aab"), "v": list("bbc"), "weight": [1.0, 2.5, 4.0]})
    data = from_tables(edges, NODES)
    assert data.edge_weight.tolist() == [3.5, 4]
    assert "edge_weight" not in from_tables(edges, NODES, weight=False)


def test_weights_are_noted() -> None:
    account = from_tables(EDGES.assign(weight=[1, 0, 2]), NODES).account
    assert {"weighted", "zero-weights"} <= {note.code for note in account}
    assert "weighted" not in from_tables(EDGES, NODES).account


def test_edges_to_unknown_nodes() -> None:
    ids = [f"n{k}" for k in range(7)]
    edges = pd.DataFrame({"u": ["a", *["b"] * 7], "v": ["b", *ids]})
    with pytest.raises(
        DataError, match=r"7 edges lead to 7 nodes .*'n0', 'n1', 'n2', 'n3', 'n4' and 2 more.*'drop'"
    ):
        from_tables(edges, NODES)
    dropped = from_tables(edges, NODES, unknown_nodes="drop")
    assert dropped.edge_index.tolist() == [[0], [1]]
    assert dropped.num_nodes == 4
    masked = NODES.assign(train=[1, 0, 0, 0], test=[0, 1, 1, 1], colour=list("rgrg"), age=[1, None, 3, 4])
    added = from_tables(edges, masked, unknown_nodes="add")
    assert added.num_nodes == 11
    assert added.node_ids == [*"abcd", *ids]
    assert added.y.tolist() == [0, 1, 0, 1] + [-1] * 7
    assert not added.x[4:].any()
    assert added.stored_splits["stored"][0].test.sum() == 3
    assert added.stored_splits["stored"][0].test.shape == (11,)
    assert "unknown-nodes" in added.account
    with pytest.raises(InputError, match="unknown_nodes='ignore'"):
        from_tables(edges, NODES, unknown_nodes="ignore")


@pytest.mark.parametrize("ids", [list("abcd"), ["0", "1", "2", "3"], [1, 2, 3, 4]])
@pytest.mark.parametrize("first", [True, False])
def test_a_repeated_row_does_not_hide_the_id_column(tmp_path: Path, ids: list[object], first: bool) -> None:
    edges = pd.DataFrame({"u": ids[:3], "v": ids[1:]})
    nodes = pd.DataFrame({"person": [*ids, ids[0]], "age": [70, 70, 70, 80, 70], "y": [0, 1, 0, 1, 0]})
    if not first and ids[0] == "a":  # further on, numbers like the row numbers are no ids
        nodes = nodes[["age", "person", "y"]]
    for name, frame in (("e", edges), ("n", nodes)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    for tables in ((edges, nodes), (tmp_path / "e.csv", tmp_path / "n.csv")):
        with pytest.raises(DataError, match=rf"1 node id stands in several rows .*'{ids[0]}'"):
            from_tables(*tables, unknown_nodes="drop")
    assert from_tables(edges, nodes[:4]).node_ids == [str(name) for name in ids]


def test_row_numbers_stay_ids_beside_features_of_small_numbers() -> None:
    edges = pd.DataFrame({"u": [0, 1, 2, 3], "v": [1, 2, 3, 4]})
    nodes = pd.DataFrame({"rank": [3, 2, 2, 1, 9], "words": [[1], [2], [3], [4], [5]], "y": [0, 1, 0, 1, 0]})
    data = from_tables(edges, nodes)
    assert data.edge_index.tolist() == [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert "row-numbers" in data.account


@pytest.mark.parametrize("unknown_nodes", ["error", "drop", "add"])
def test_tables_that_do_not_meet_are_refused(unknown_nodes: str) -> None:
    edges = pd.DataFrame({"u": ["p1", "p2"], "v": ["p2", "p3"]})
    with pytest.raises(
        DataError, match=r"Every edge .* by the column 'id' \(such as 'a'\).*such as 'p1'.*id_column="
    ):
        from_tables(edges, NODES, unknown_nodes=unknown_nodes)
    rows = pd.DataFrame({"age": [7, 7, 7], "y": [0, 1, 0]})
    with pytest.raises(DataError, match=r"by the row number, from 0 \(such as '0'\)"):
        from_tables(edges, rows, unknown_nodes=unknown_nodes)


def test_nodes_at_one_end_of_every_edge_can_be_added() -> None:
    edges = pd.DataFrame({"u": ["a", "b"], "v": ["film", "film"]})
    assert from_tables(edges, NODES, unknown_nodes="add").edge_index.tolist() == [[0, 1], [4, 4]]
    with pytest.raises(DataError, match="Every edge"):
        from_tables(edges, NODES)
    dropped = from_tables(edges, NODES, unknown_nodes="drop")
    assert dropped.num_edges == 0
    assert "unknown-nodes" in dropped.account


def test_missing_labels_and_signs() -> None:
    assert from_tables(EDGES, NODES.assign(label=[1, None, 0, 1])).y.tolist() == [1, -1, 0, 1]
    signed = from_tables(EDGES, NODES.assign(label=[1, -1, -1, 1]))
    assert signed.y.tolist() == [1, 0, 0, 1]
    assert signed.class_names == ["-1", "1"]


def test_labels_that_are_measurements() -> None:
    nodes = NODES.assign(label=[0.5, 1, 2, None])
    with pytest.raises(DataError, match=r"not whole numbers: 0.5 at node 0.*task='regression'"):
        from_tables(EDGES, nodes)
    data = from_tables(EDGES, nodes, task="regression")
    assert data.y.dtype == torch.float32
    assert data.y[:3].tolist() == [0.5, 1, 2]
    assert data.y[3].isnan()


def test_ways_with_missing_features() -> None:
    nodes = NODES.assign(age=[1, None, 3, 8])
    for chosen in ({}, {"nan": "median"}):
        assert from_tables(EDGES, nodes, **chosen).x.tolist() == [[1, 0], [3, 1], [3, 0], [8, 0]]
    assert from_tables(EDGES, nodes, nan="zero").x.tolist() == [[1], [0], [3], [8]]
    assert from_tables(EDGES, nodes, nan="mean").x.tolist() == [[1], [4], [3], [8]]
    with pytest.raises(DataError, match="NaN or infinite, in 'age'"):
        from_tables(EDGES, nodes, nan="error")


def test_a_category_that_gives_the_label_away_is_named() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(["x", "y", "z"], 60)
    nodes = pd.DataFrame(
        {"id": range(60), "code": np.char.add("k", labels), "noise": rng.normal(size=60), "y": labels}
    )
    edges = pd.DataFrame({"u": range(59), "v": range(1, 60)})
    (note,) = [note for note in from_tables(edges, nodes).account if note.code == "label-leaks"]
    assert note.count == 1
    assert "'code'" in note.what
    clean = from_tables(edges, nodes, features=["noise"])
    assert "label-leaks" not in clean.account


@pytest.mark.parametrize(
    ("edges", "nodes", "error", "message"),
    [
        ("absent.csv", None, MissingFileError, "no file 'absent.csv'"),
        (EDGES, "absent.csv", MissingFileError, "node table"),
        (EDGES.iloc[:0], NODES.iloc[:0], DataError, "no rows"),
        (EDGES[["source"]], NODES, DataError, "1 column"),
        (EDGES, NODES.assign(age=[1, np.inf, 2, 3]), DataError, "infinite"),
        (
            EDGES.assign(weight=[1, None, 2]),
            NODES,
            DataError,
            r"1 edge weight is missing .*in row 2\. .*weight=False",
        ),
        (EDGES, pd.concat([NODES, NODES]), DataError, "4 node ids stand in several rows"),
    ],
)
def test_bad_tables(edges: Any, nodes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_tables(edges, nodes)


def test_empty_tables(tmp_path: Path) -> None:
    assert "no-edges" in from_tables(EDGES.iloc[:0], NODES).account
    with pytest.raises(DataError, match="empty"):
        from_tables(EDGES.iloc[:0])
    (tmp_path / "e.csv").write_text("")
    with pytest.raises(DataError, match=r"'e.csv' is empty"):
        from_tables(tmp_path / "e.csv")


ids = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4), min_size=2, max_size=9, unique=True
)


@st.composite
def graphs(draw: st.DrawFn) -> Data:
    names = draw(ids)
    n = len(names)
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), min_size=1, max_size=20, unique=True))
    numbers = st.floats(-1e6, 1e6, width=32)
    width = draw(st.integers(0, 3))
    labels = draw(st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=n, max_size=n))
    found = sorted({label for label in labels if label >= 0})
    data = Data(edge_index=torch.tensor(edges).T.contiguous(), num_nodes=n)
    data.x = torch.tensor(
        draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=n, max_size=n))
    )
    data.y = torch.tensor([found.index(label) if label >= 0 else -1 for label in labels])
    if draw(st.booleans()):
        data.edge_weight = torch.tensor(draw(st.lists(numbers, min_size=len(edges), max_size=len(edges))))
    data.node_ids = names
    return data


@settings(max_examples=60)
@given(graphs(), st.sampled_from(["csv", "parquet"]))
def test_any_graph_survives_its_tables(graph: Data, suffix: str) -> None:
    names = graph.node_ids
    edges = pd.DataFrame({"source": [names[u] for u in graph.edge_index[0]]})
    edges["target"] = [names[v] for v in graph.edge_index[1]]
    if "edge_weight" in graph:
        edges["weight"] = graph.edge_weight.double().numpy()
    labels = pd.Series(graph.y.numpy(), dtype="Int64").where(graph.y.numpy() >= 0)
    nodes = pd.DataFrame({"id": names, "y": labels})
    for k in range(graph.x.shape[1]):
        nodes[f"f{k}"] = graph.x[:, k].double().numpy()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.{suffix}" for name in ("edges", "nodes")]
        for path, frame in zip(paths, (edges, nodes), strict=True):
            if suffix == "csv":
                frame.to_csv(path, index=False)
            else:
                frame.to_parquet(path)
        data = from_tables(*paths)
    assert torch.equal(data.edge_index, graph.edge_index)
    assert torch.equal(data.y, graph.y)
    assert data.node_ids == names
    assert torch.equal(data.x, graph.x) if graph.x.shape[1] else "x" not in data
    if "edge_weight" in graph:
        assert torch.equal(data.edge_weight, graph.edge_weight)
