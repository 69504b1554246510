from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
import torch
from numpy.lib import format as npy

from allpass.data import load
from allpass.data.files import from_graphml, from_mat, from_npz
from allpass.errors import DataError, InputError, MissingFileError, UnsafeFileError

EDGES = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])
X = np.array([[1.0, 0], [0, 2], [3, 0], [0, 4]], dtype=np.float32)
Y = np.array([0, 1, 0, -1])


def npz(folder: Path, **arrays: Any) -> Path:
    path = folder / "g.npz"
    np.savez(path, **arrays)
    return path


def test_the_documented_layout(tmp_path: Path) -> None:
    train = np.eye(4, dtype=bool)[:, :2]
    data = from_npz(
        npz(
            tmp_path,
            edge_index=EDGES.astype(np.int32),
            x=X,
            y=Y,
            edge_weight=np.arange(1, 5),
            train_mask=train,
            val_mask=~train,
            test_mask=~train,
            class_names=np.array(["p", "q"]),
        )
    )
    assert torch.equal(data.edge_index, torch.from_numpy(EDGES))
    assert torch.equal(data.x, torch.from_numpy(X))
    assert data.y.tolist() == Y.tolist()
    assert data.edge_weight.tolist() == [1, 2, 3, 4]
    assert data.class_names == ["p", "q"]
    assert len(data.stored_splits["stored"]) == 2
    assert (data.name, data.source) == ("g", "npz file")


def test_other_layouts_hold_the_same_graph(tmp_path: Path) -> None:
    csr = sp.csr_array(X)
    parts = {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, "shape": np.array(csr.shape)}
    adjacency = sp.csr_array((np.ones(4), EDGES), shape=(4, 4))
    adj = {"data": adjacency.data, "indices": adjacency.indices, "indptr": adjacency.indptr, "shape": (4, 4)}
    layouts: list[dict[str, Any]] = [
        {"edge_index": EDGES.T, "x": X, "y": Y},
        {"edges": EDGES.T, "node_features": X, "node_labels": Y, "train_masks": np.ones((2, 4), dtype=bool)},
        {"edge_index": EDGES, "y": Y, **{f"x_{key}": value for key, value in parts.items()}},
        {f"adj_{key}": value for key, value in adj.items()}
        | {f"attr_{key}": value for key, value in parts.items()}
        | {"labels": Y},
    ]
    for layout in layouts:
        data = from_npz(npz(tmp_path, **layout))
        assert sorted(data.edge_index.T.tolist()) == sorted(EDGES.T.tolist())
        np.testing.assert_array_equal(data.x.to_dense(), X)
        assert data.y.tolist() == Y.tolist()
        assert "edge_weight" not in data
    assert data.x.layout == torch.sparse_csr


def test_the_number_of_nodes(tmp_path: Path) -> None:
    assert from_npz(npz(tmp_path, edge_index=EDGES)).num_nodes == 4
    assert from_npz(npz(tmp_path, edge_index=EDGES, num_nodes=np.array(9))).num_nodes == 9


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch evil-was-here",)


@pytest.mark.parametrize("key", ["x", "unrelated"])
def test_a_pickle_with_code_is_never_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = npz(tmp_path, edge_index=EDGES, **{key: np.array([Evil()], dtype=object)})
    with pytest.raises(UnsafeFileError, match="Python objects"):
        from_npz(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.npz"]


def test_a_header_that_claims_ten_gigabytes(tmp_path: Path) -> None:
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (10**5, 25_000)})
    with zipfile.ZipFile(tmp_path / "g.npz", "w") as archive:
        archive.writestr("edge_index.npy", header.getvalue() + b"\0" * 64)
    with pytest.raises(UnsafeFileError, match=r"claims 10,000,000,000 bytes"):
        from_npz(tmp_path / "g.npz")


def test_truncated_and_false_npz(tmp_path: Path) -> None:
    path = npz(tmp_path, edge_index=EDGES, x=np.ones((4, 1000)))
    content = path.read_bytes()
    for cut in (0, 10, len(content) // 2, len(content) - 10):
        path.write_bytes(content[:cut])
        with pytest.raises(DataError, match=r"g\.npz"):
            from_npz(path)
    with pytest.raises(MissingFileError):
        from_npz(tmp_path / "absent.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X}, "holds no edges; it has x"),
        ({"edge_index": EDGES, "x": np.where(X == 4, np.nan, X)}, "NaN or infinite.*at node 3"),
        ({"edge_index": EDGES, "y": np.array([0, 1, 0.5, 1])}, "not whole numbers"),
        ({"edge_index": EDGES + 1, "y": Y}, "1 unknown node: 4; there are 4 nodes"),
        ({"edge_index": np.zeros((2, 0), dtype=int)}, "empty"),
        ({"edge_index": EDGES, "y": Y[:3], "x": X}, "3 labels for 4 nodes"),
        ({"edge_index": np.zeros(4, dtype=int), "x": X}, "shape"),
        ({"edge_index": EDGES, "x": X, "train_mask": np.ones(3)}, "mask has the shape"),
        ({"edge_index": EDGES, "x": X, "train_masks": np.ones(3)}, "mask"),
        ({"edge_index": EDGES, "num_nodes": np.array(-1)}, "empty"),
        ({"edge_index": EDGES, "num_nodes": np.array(10**12)}, "1,000,000,000,000 nodes but only 4 edges"),
        ({"edge_index": EDGES, "num_nodes": np.array(10**7)}, "10,000,000 nodes but only 4 edges"),
        (
            {"edge_index": EDGES, "y": Y, "num_nodes": np.array(10**12)},
            "4 labels for 1,000,000,000,000 nodes",
        ),
        ({"edge_index": np.array([[0], [10**12]])}, "only 1 edge"),
        (
            {
                "edge_index": EDGES,
                "x_data": X[:0, 0],
                "x_indices": EDGES[0, :0],
                "x_indptr": np.zeros(5, dtype=int),
            }
            | {"x_shape": np.array([4, 99_999_999])},
            "claim 99,999,999 columns",
        ),
        ({"edge_index": EDGES, "x": X, "y": np.zeros((4, 0))}, r"labels have the shape \[4, 0\]"),
        (
            {"adj_data": np.array(["a", "b"]), "adj_indices": np.array([1, 0]), "adj_indptr": np.arange(3)}
            | {"adj_shape": np.array([2, 2])},
            "'adj' is inconsistent: its numbers are of the type <U1",
        ),
        (
            {"adj_data": np.ones(2), "adj_indices": np.array([1.0, np.nan]), "adj_indptr": np.arange(3)}
            | {"adj_shape": np.array([2, 2])},
            "'adj' is inconsistent: its places are of the type float64",
        ),
        ({"edge_index": np.where(EDGES == 3, np.inf, EDGES), "x": X}, "edge_index holds float64"),
        ({"edge_index": EDGES, "x": X, "train_mask": np.zeros(4, "M8[s]")}, "mask is of the type"),
        ({"edge_index": EDGES, "x": X, "allpass": np.zeros(3, "c16")}, "The text 'allpass' in .* is damaged"),
    ],
)
def test_arrays_that_are_no_graph(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_npz(npz(tmp_path, **arrays))


def mat(folder: Path, **values: Any) -> Path:
    path = folder / "g.mat"
    scipy.io.savemat(path, values)
    return path


@pytest.mark.parametrize("labels", [Y, Y[:, None]])
def test_mat_with_an_edge_index(tmp_path: Path, labels: np.ndarray) -> None:
    data = from_mat(mat(tmp_path, edge_index=EDGES, node_feat=X, label=labels))
    assert torch.equal(data.edge_index, torch.from_numpy(EDGES))
    assert torch.equal(data.x, torch.from_numpy(X))
    assert data.y.tolist() == Y.tolist()
    assert data.source == "mat file"


def test_mat_with_a_matrix_and_sparse_features(tmp_path: Path) -> None:
    matrix = sp.csc_matrix((np.ones(4), EDGES), shape=(4, 4))
    data = from_mat(mat(tmp_path, A=matrix, features=sp.csc_matrix(X), label=Y))
    assert sorted(data.edge_index.T.tolist()) == sorted(EDGES.T.tolist())
    np.testing.assert_array_equal(data.x.to_dense(), X)


def test_nodes_that_take_no_room_are_refused(tmp_path: Path) -> None:
    """Labels of one byte each, packed to 30 kB, took 2.4 GB."""
    path = tmp_path / "g.npz"
    np.savez_compressed(path, edge_index=EDGES, y=np.zeros(12_000_000, "i1"))
    with pytest.raises(UnsafeFileError, match=r"g\.npz has [\d,]+ bytes and claims 12,000,000 nodes"):
        from_npz(path)


def test_mat_that_counts_from_one(tmp_path: Path) -> None:
    data = from_mat(mat(tmp_path, edge_index=EDGES + 1, node_feat=X))
    assert torch.equal(data.edge_index, torch.from_numpy(EDGES))
    assert "counted-from-1" in data.account


def test_facebook_layout(tmp_path: Path) -> None:
    matrix = sp.csc_matrix((np.ones(4), EDGES), shape=(4, 4))
    info = np.array(
        [[1, 0, 1, 0, 9, 9, 1], [1, 1, 1, 0, 9, 9, 1], [2, 2, 1, 0, 9, 9, 1], [1, 2, 5, 0, 9, 9, 1]]
    )
    data = from_mat(mat(tmp_path, A=matrix, local_info=info))
    assert data.y.tolist() == [-1, 0, 1, 1]
    assert "missing-labels" in data.account


def test_cornell5_is_read_by_its_path(data_dir: Path) -> None:
    data = from_mat(data_dir / "LINKXDataset" / "cornell5" / "raw" / "data.mat")
    assert (data.num_nodes, data.edge_index.shape[1], data.x.shape[1]) == (18_660, 1_581_554, 4_735)
    assert int((data.y < 0).sum()) == 1838


@pytest.mark.parametrize("known", [{"node_feat": X}, {}], ids=["features", "edges alone"])
def test_mat_that_counts_from_one_though_the_last_node_has_no_edge(
    tmp_path: Path, known: dict[str, Any]
) -> None:
    edges = np.array([[1, 2], [2, 3]])
    data = from_mat(mat(tmp_path, edge_index=edges, **known))
    assert data.edge_index.tolist() == [[0, 1], [1, 2]]
    assert data.num_nodes == (4 if known else 3)
    note = next(note for note in data.account if note.code == "counted-from-1")
    assert note.what.startswith("Edges name the nodes 1 to 3, never 0") or not known
    assert "index_base = 0" in note.cure or not known
    kept = from_mat(mat(tmp_path, edge_index=edges, index_base=0, **known))
    assert kept.edge_index.tolist() == edges.tolist()


def test_mat_labels_in_cells_are_names(tmp_path: Path) -> None:
    cells = np.empty((4, 1), dtype=object)
    cells[:, 0] = ["b", "a", "a", "b"]
    data = from_mat(mat(tmp_path, edge_index=EDGES, node_feat=X, label=cells))
    assert data.class_names == ["a", "b"]
    assert data.y.tolist() == [1, 0, 0, 1]


def test_mat_labels_of_characters_lose_what_fills_them_up(tmp_path: Path) -> None:
    """MATLAB has no texts of different lengths in one array."""
    data = from_mat(
        mat(tmp_path, edge_index=EDGES, node_feat=X, label=np.array(["blue ", "red  ", "red  ", "blue "]))
    )
    assert data.class_names == ["blue", "red"]


@pytest.mark.parametrize(
    ("value", "told"), [(np.nan, "are no whole"), (1.5, "are no whole"), (1e19, "are beyond")]
)
@pytest.mark.parametrize("column", [1, 4])
def test_mat_metadata_without_a_number(tmp_path: Path, value: float, told: str, column: int) -> None:
    info = np.ones((4, 7))
    info[2, column] = value
    matrix = sp.csc_matrix((np.ones(4), EDGES), shape=(4, 4))
    with pytest.raises(DataError, match=f"Some metadata in local_info {told}"):
        from_mat(mat(tmp_path, A=matrix, local_info=info))


def test_bad_mat(tmp_path: Path) -> None:
    path = mat(tmp_path, node_feat=X)
    with pytest.raises(DataError, match="holds no edges; it has node_feat"):
        from_mat(path)
    content = mat(tmp_path, edge_index=EDGES, node_feat=np.ones((4, 1000))).read_bytes()
    for cut in (0, 100, 200, len(content) // 2):
        path.write_bytes(content[:cut])
        with pytest.raises(DataError, match=r"g\.mat"):
            from_mat(path)
    path.write_bytes(b"not a mat file at all" * 100)
    with pytest.raises(DataError, match=r"g\.mat"):
        from_mat(path)
    with pytest.raises(MissingFileError):
        from_mat(tmp_path / "absent.mat")


def test_a_mat_header_that_claims_ten_gigabytes(tmp_path: Path) -> None:
    path = mat(tmp_path, edge_index=EDGES, node_feat=np.ones((4, 1003)))
    honest, claimed = (np.array(shape, dtype="<i4").tobytes() for shape in ((4, 1003), (10**5, 12_500)))
    assert path.read_bytes().count(honest) == 1
    path.write_bytes(path.read_bytes().replace(honest, claimed))
    with pytest.raises(DataError, match=r"g\.mat"):
        from_mat(path)


def test_graphml(tmp_path: Path) -> None:
    graph = nx.Graph()
    graph.add_node("p", label="x", age=1)
    graph.add_node("q", label="y", age=2)
    graph.add_edge("p", "q", weight=0.5)
    path = tmp_path / "g.graphml"
    nx.write_graphml(graph, path)
    data = from_graphml(path)
    assert data.node_ids == ["p", "q"]
    assert data.class_names == ["x", "y"]
    assert data.edge_index.tolist() == [[0, 1], [1, 0]]
    assert data.edge_weight.tolist() == [0.5, 0.5]
    assert data.name == "g"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("<graphml>", DataError, "not readable GraphML"),
        ("", DataError, "not readable GraphML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><graphml/>', UnsafeFileError, "entities"),
    ],
)
def test_bad_graphml(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "g.graphml"
    path.write_text(text)
    with pytest.raises(error, match=message):
        from_graphml(path)
    with pytest.raises(MissingFileError):
        from_graphml(tmp_path / "absent.graphml")


GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="a"/><node id="b">{inside}</node><edge source="a" target="{end}"/></graph></graphml>"""


def test_graphml_nodes_that_only_edges_name_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    path.write_text(GRAPHML.format(inside="", end="c"))
    data = from_graphml(path)
    assert data.num_nodes == 3
    note = next(note for note in data.account if note.code == "undeclared-nodes")
    assert note.count == 1
    path.write_text(GRAPHML.format(inside="", end="b"))
    assert "undeclared-nodes" not in from_graphml(path).account


def test_graphml_inside_a_node_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    inside = '<graph edgedefault="directed"><node id="c"/><node id="d"/></graph>'
    path.write_text(GRAPHML.format(inside=inside, end="b"))
    data = from_graphml(path)
    assert data.num_nodes == 2
    note = next(note for note in data.account if note.code == "further-graphs")
    assert "1 further graph beside or inside the first; 2 nodes there" in note.what


@pytest.mark.parametrize(
    "repeated",
    [
        '<node id="b"><data key="k">1</data></node><node id="a"><data key="k">9</data></node>',
        '<node id="b"><data key="k">1</data><data key="k">2</data></node>',
    ],
)
def test_graphml_values_that_stand_there_twice_are_noted(tmp_path: Path, repeated: str) -> None:
    key = '<key id="k" for="node" attr.name="size" attr.type="double"/>'
    text = GRAPHML.format(inside="", end="b").replace('<node id="b"></node>', repeated)
    path = tmp_path / "g.graphml"
    path.write_text(text.replace("<graph ", f"{key}<graph ", 1))
    notes = [note for note in from_graphml(path, label=False).account if note.code == "repeated-nodes"]
    assert [note.count for note in notes] == [1]


@pytest.mark.parametrize("lost", [("<node/>", ""), ("", ' target="b"')])
def test_graphml_without_an_id_is_refused(tmp_path: Path, lost: tuple[str, str]) -> None:
    path = tmp_path / "g.graphml"
    path.write_text(
        GRAPHML.format(inside="", end="b").replace("<edge", f"{lost[0]}<edge").replace(lost[1], "")
    )
    with pytest.raises(DataError, match=r"^A node or the end of an edge has no id|not readable GraphML"):
        from_graphml(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_entities_in_other_encodings_are_seen(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "g.graphml"
    path.write_bytes('<!DOCTYPE a [<!ENTITY b "c">]><graphml/>'.encode(encoding))
    with pytest.raises(UnsafeFileError, match="entities"):
        from_graphml(path)


def test_half_precision_weights_of_a_matrix_are_read(tmp_path: Path) -> None:
    parts = {"adj_data": np.array([2, 1], "f2"), "adj_indices": np.array([1, 0]), "adj_indptr": np.arange(3)}
    data = from_npz(npz(tmp_path, **parts, adj_shape=np.array([2, 2])))
    assert data.edge_weight.tolist() == [2, 1]


def test_edges_of_no_number_type_are_no_edges(tmp_path: Path) -> None:
    assert from_npz(npz(tmp_path, edge_index=np.zeros((2, 0), "c16"), x=X)).num_edges == 0


def test_what_is_no_regular_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("g.npz", "g.mat", "g.graphml", "g.csv"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(InputError, match=rf"{name}' is a named pipe, not a regular file"):
            load(tmp_path / name)
        (tmp_path / name).unlink()
        (tmp_path / name).write_text("x")
        with monkeypatch.context() as patch:
            patch.setattr("allpass.files.os.access", lambda path, mode: False)
            with pytest.raises(InputError, match=rf"You may not read the file .*{name}"):
                load(tmp_path / name)
