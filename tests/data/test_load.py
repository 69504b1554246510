from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, Dataset, HeteroData

import allpass.data
from allpass.data import load, save_npz
from allpass.errors import DataError, InputError, MissingFileError, UnknownNameError

EDGES = "source,target\na,b\nb,c\nc,a\n"
NODES = "id,age,y\na,1,0\nb,2,1\nc,3,0\n"


class OneGraph(Dataset):
    """PyG's dataset of the graphs it is given."""

    def __init__(self, *graphs: Any) -> None:
        super().__init__()
        self.graphs = graphs

    def len(self) -> int:
        return len(self.graphs)

    def get(self, place: int) -> Any:
        return self.graphs[place]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "nodes.csv").write_text(NODES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_door_leads_to_the_same_graph(here: Path) -> None:
    first = load(edges="edges.csv", nodes="nodes.csv", label="y")
    matrix = sp.csr_array((np.ones(3), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    x, y = np.array([[1], [2], [3]]), np.array([0, 1, 0])
    scipy.io.savemat("g.mat", {"edge_index": [[0, 1, 2], [1, 2, 0]], "node_feat": x, "label": y})
    save_npz(first, "g.npz")
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    nx.set_node_attributes(graph, {k: {"age": k + 1, "y": k % 2} for k in range(3)})
    nx.write_graphml(graph, "g.graphml")
    raw = Data(edge_index=first.edge_index, x=first.x, y=first.y)
    targets: list[tuple[Any, dict[str, Any]]] = [
        (here, {}),
        (".", {}),
        ("edges.csv", {"nodes": "nodes.csv"}),
        (None, {"edges": pd.read_csv("edges.csv"), "nodes": pd.read_csv("nodes.csv")}),
        ("g.npz", {}),
        (Path("g.mat"), {}),
        ("g.graphml", {}),
        (graph, {}),
        (raw, {}),
        (first, {}),
        (matrix, {"x": x, "y": y}),
        (OneGraph(raw), {}),
        (pd.read_csv("edges.csv"), {"nodes": "nodes.csv"}),
        (None, {"edge_index": first.edge_index.numpy(), "x": x, "y": y}),
        (None, {"edge_index": matrix, "x": x, "y": y}),
        ((x, y, first.edge_index), {}),
        ((x, y, matrix), {}),
    ]
    for target, options in targets:
        data = load(target, **options)
        assert data.fingerprint == first.fingerprint, target
        assert data.num_nodes == 3
        assert "stored-once" in data.account
    assert load(here).name == here.name


def test_a_name() -> None:
    data = load("karate")
    assert (data.num_nodes, data.source) == (34, "embedded")
    assert load("Karate").fingerprint == data.fingerprint


def test_a_dataset_names_its_graph() -> None:
    graph = Data(edge_index=torch.tensor([[0], [1]]))
    dataset = OneGraph(graph)
    assert load(dataset).name == "OneGraph"
    dataset.name = "mine"
    assert load(dataset).name == "mine"
    assert load(dataset, name="yours").name == "yours"


def test_a_name_wins_over_a_file_of_that_name(here: Path) -> None:
    folder = here / "karate"
    folder.mkdir()
    (folder / "edges.csv").write_text(EDGES)
    assert load("karate").num_nodes == 34
    assert load("./karate").num_nodes == 3
    assert load(Path("karate")).num_nodes == 3


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        (
            "coar",
            UnknownNameError,
            r"'coar' is neither a file or folder that exists nor a known dataset.*mean 'cora'",
        ),
        ("qqqqqq", UnknownNameError, r"Known names: .* and \d+ more"),
        ("edgs.csv", MissingFileError, r"neither a file .* nor a known dataset.*mean 'edges.csv'"),
        ("nowhere/cora.npz", MissingFileError, "Check the path"),
        ("readme.md", DataError, "no kind that can be read"),
        ("empty", DataError, r"no table of edges.*edges.csv"),
        ("two", DataError, "several tables of edges: 'edges.csv', 'edges.tsv'"),
        (None, InputError, "nothing to load"),
        (3.5, InputError, "Got float to load"),
        ([1, 2], InputError, r"Got list to load\. Expected a dataset name, .* or \(x, y, edge_index\)\.$"),
        ((1, 2), InputError, "Got tuple to load"),
        (HeteroData(), InputError, r"Got HeteroData to load\. Pass data\.to_homogeneous\(\)"),
        (OneGraph(HeteroData()), InputError, "to_homogeneous"),
        (OneGraph(), InputError, "a dataset of 0 graphs"),
        (OneGraph(Data(), Data()), InputError, r"a dataset of 2 graphs\. Pass one of them: dataset\[0\]"),
        (OneGraph(Data()), DataError, "no edge_index"),
    ],
)
def test_targets_that_lead_nowhere(here: Path, target: Any, error: type[Exception], message: str) -> None:
    (here / "readme.md").write_text("words")
    (here / "empty").mkdir()
    (here / "two").mkdir()
    for suffix in ("csv", "tsv"):
        (here / "two" / f"edges.{suffix}").write_text(EDGES)
    with pytest.raises(error, match=message):
        load(target)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("karate", {"label": "club"}, "'label' does not apply to a named dataset"),
        (nx.path_graph(2), {"data_dir": "x"}, "'data_dir' does not apply to a NetworkX graph"),
        ("karate", {"lable": "club"}, r"no option 'lable'\. Did you mean 'label'"),
        ("karate", {"edges": "edges.csv"}, "both a target"),
        (None, {"nodes": "nodes.csv"}, "no edges"),
        ("karate", {"edge_index": [[0], [1]]}, "both a target and edge_index="),
        (None, {"edge_index": [[0], [1]], "edges": "edges.csv"}, "both edges= and edge_index="),
        (None, {"edge_index": [[0], [1]], "label": "y"}, "'label' does not apply to an edge_index"),
        (([[1], [2]], None, [[0], [1]]), {"edges": "edges.csv"}, "both a target"),
    ],
)
def test_options_are_never_ignored(here: Path, target: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(target, **options)


def test_nothing_is_the_default() -> None:
    assert load("karate", label=None, edges=None, nan=None).num_nodes == 34


def test_options_reach_the_tables(here: Path) -> None:
    (here / "edges.csv").write_text(EDGES + "a,zz\n")
    with pytest.raises(DataError, match="'zz'"):
        load(here)
    data = load(here, unknown_nodes="drop", undirected=True, features=[], name="mine")
    assert data.edge_index.shape == (2, 6)
    assert data.name == "mine"
    assert "x" not in data


def test_nothing_is_written_while_reading(here: Path) -> None:
    before = sorted(here.iterdir())
    load(here)
    with pytest.raises(DataError):
        load(here, label="z")
    assert sorted(here.iterdir()) == before


def test_the_room_names_what_it_offers() -> None:
    for name in allpass.data.__all__:
        assert getattr(allpass.data, name) is not None
    assert torch.is_tensor(allpass.data.load("karate").y)
