from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from allpass.data.tables.from_tables import from_tables
from allpass.errors import DataError


def edges_of(
    folder: Path, text: str, nodes: pd.DataFrame | None = None, name: str = "e.txt"
) -> tuple[list[str], str]:
    """The edges as words, and the note on the first row."""
    (folder / name).write_text(text)
    data = from_tables(folder / name, nodes, **({} if nodes is None else {"label": False}))
    edges = [f"{data.node_ids[u]}>{data.node_ids[v]}" for u, v in data.edge_index.T.tolist()]
    return edges, next((note.what for note in data.account if note.code in ("header", "no-header")), "")


def test_a_first_row_whose_words_are_nodes_is_an_edge(tmp_path: Path) -> None:
    nodes = pd.DataFrame({"id": list("abcd")})
    for text in ("a b\nc d\n", "a b\nb a\n", "a b\nb c\n"):
        edges, note = edges_of(tmp_path, text, nodes)
        assert edges[0] == "a>b"
        assert (
            note
            == f"The first row of the edge table {str(tmp_path / 'e.txt')!r} was read as data, not as "
            + ("column names: 'a', 'b'.")
        )
    assert edges_of(tmp_path, "a b\nb a\n")[0] == ["a>b", "b>a"]
    with pytest.raises(DataError, match="looks like an edge: its 'b' is an end point"):
        edges_of(tmp_path, "a b\nb c\nc d\n")


def test_a_first_row_that_may_be_a_header_is_one(tmp_path: Path) -> None:
    nodes = pd.DataFrame({"id": list("abcd")})
    edges, note = edges_of(tmp_path, "a links\nb c\n", nodes)
    assert edges == ["b>c"]
    assert "('a', 'links') was read as column names, though 'a' is a node too" in note
    assert edges_of(tmp_path, "page links\nb c\n", nodes) == (["b>c"], "")
    edges, note = edges_of(tmp_path, "page links\nb c\n")
    assert edges == ["b>c"]
    assert note.endswith("('page', 'links') was read as column names.")
    assert edges_of(tmp_path, "page links\n1 2\n") == (["1>2"], "")
    assert edges_of(tmp_path, "1x 2\n1 3\n")[1] != ""
    # Names that everyone gives to the ends of edges are names, also where nodes are called so.
    assert edges_of(tmp_path, "from to\nto from\n") == (["to>from"], "")


def test_numbers_above_other_columns_are_an_edge(tmp_path: Path) -> None:
    assert edges_of(tmp_path, "1,2,friend\n2,3,foe\n", name="e.csv")[0] == ["1>2", "2>3"]
    assert edges_of(tmp_path, "0,1,weight\n5,6,2\n", name="e.csv")[0] == ["5>6"]


def test_a_header_of_numbers_is_no_node(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("0,1,2\n5,x,0.5\n6,y,1.5\n")
    data = from_tables(pd.DataFrame({"u": [5], "v": [6]}), tmp_path / "n.csv", label="1")
    assert data.node_ids == ["5", "6"]
    assert "('0', '1', '2') was read as column names" in next(
        n.what for n in data.account if n.code == "header"
    )
    (tmp_path / "n.csv").write_text("0,1\n1,0\n2,1\n")
    data = from_tables(pd.DataFrame({"u": [0], "v": [2]}), tmp_path / "n.csv", label="column 2")
    assert data.node_ids == ["0", "1", "2"]
    assert data.y.tolist() == [1, 0, 1]
    assert "no-header" in data.account
    (tmp_path / "n.csv").write_text("0,1\n1,0\n0,1\n")
    assert from_tables(pd.DataFrame({"u": [0], "v": [1]}), tmp_path / "n.csv", label="1").node_ids == [
        "1",
        "0",
    ]


@pytest.mark.parametrize("file", [False, True])
def test_an_index_holds_the_ids(tmp_path: Path, file: bool) -> None:
    edges = pd.DataFrame({"u": ["b", "c"], "v": ["a", "b"]})
    nodes = pd.DataFrame({"age": [1, 2, 3], "y": [0, 1, 1]}, index=["c", "a", "b"])
    for name in ("id", "person", None):
        named = nodes.rename_axis(index=name)
        where = tmp_path / "n.parquet"
        named.to_parquet(where)
        data = from_tables(edges, where if file else named)
        assert data.node_ids == ["c", "a", "b"]
        assert data.edge_index.tolist() == [[2, 0], [1, 2]]
        assert data.feature_names == ["age"]


def test_the_index_of_a_sorted_frame_holds_row_names_where_no_column_does() -> None:
    edges = pd.DataFrame({"u": [0, 1], "v": [1, 2]})
    frame = pd.DataFrame({"age": [10.5, 11.5, 12.5], "y": [0, 1, 0]})
    shuffled = frame.iloc[[2, 0, 1]]
    data = from_tables(edges, shuffled)
    assert data.node_ids == ["2", "0", "1"]
    assert data.edge_index.tolist() == [[1, 2], [2, 0]]
    assert from_tables(edges, shuffled.assign(id=[2, 0, 1])).feature_names == ["age"]
    far = from_tables(edges, frame.set_axis([7, 8, 9]))
    assert far.node_ids == ["0", "1", "2"]
    assert "unnamed-index" in far.account


def test_ids_over_several_lines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text('id,y\n"a\nb",x\nc,y\n')
    with pytest.raises(DataError, match=r"column 'id' .* starts in line 2"):
        from_tables(pd.DataFrame({"u": ["c"], "v": ["c"]}), tmp_path / "n.csv")
    (tmp_path / "e.csv").write_text('source,target\na,"b\nc,d"\n')
    with pytest.raises(DataError, match=r"column 'target' .* starts in line 2"):
        from_tables(tmp_path / "e.csv")
