"""The catalogue against its contract, PyTorch Geometric's readers and published figures."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import pooch
import pytest
import torch
from torch_geometric import datasets
from torch_geometric.data import Data
from torch_geometric.utils import contains_self_loops, remove_self_loops

from allpass.data.account import Account
from allpass.data.fingerprint import fingerprint
from allpass.data.named.catalog import DATASETS, dataset_table, load_named
from allpass.data.named.dataset import Dataset
from allpass.errors import DownloadError, InputError, UnknownNameError

LARGE = {"tolokers", "cornell5", "github", "amazon-computers", "coauthor-physics", "deezer-europe"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ALLPASS_DATA", raising=False)


def check_entry(entry: Dataset) -> None:
    """What must be known of a dataset before a single file is read."""
    assert entry.title
    assert entry.citation
    assert entry.licence
    assert entry.counts.nodes > 0
    assert entry.counts.edges > 0
    assert entry.counts.classes > 1
    assert entry.embedded or any(source.downloadable for source in entry.sources)
    assert not entry.class_names or len(entry.class_names) == entry.counts.classes
    assert all(note.endswith(".") for note in entry.notes)


def check_dataset(entry: Dataset, data: Data) -> None:
    """The standard form, the published counts, and splits that are splits."""
    counts, N = entry.counts, data.num_nodes
    assert (data.name, N) == (entry.name, counts.nodes)
    edges = data.edge_index
    assert (edges.dtype, edges.shape) == (torch.int64, (2, counts.edges))
    assert 0 <= edges.min() <= edges.max() < N
    key = edges[0] * N + edges[1]
    assert (key.diff() > 0).all(), "sorted and distinct"
    assert (data.y.dtype, data.y.shape) == (torch.int64, (N,))
    assert set(data.y.unique().tolist()) - {-1} == set(range(counts.classes))
    if "x" in data:
        assert (data.x.dtype, data.x.shape) == (torch.float32, (N, counts.features or data.x.shape[1]))
        assert data.x.layout in (torch.strided, torch.sparse_csr)
        values = data.x.values() if data.x.layout == torch.sparse_csr else data.x
        assert values.isfinite().all()
    else:
        assert counts.features == 0
    assert isinstance(data.account, Account)
    assert data.fingerprint == fingerprint(data)
    assert set(data.stored_splits) <= set(entry.splits)
    for name, splits in data.stored_splits.items():
        for k, split in enumerate(splits):
            masks = torch.stack([split.train, split.val, split.test])
            assert (masks.dtype, masks.shape) == (torch.bool, (3, N))
            assert masks.any(dim=1).all()
            assert masks.sum(dim=0).max() == 1, "a node in two sets"
            assert (data.y[masks.any(dim=0)] >= 0).all(), "a node without a label"
            assert split.name == f"{name}/{k}"


@pytest.mark.parametrize("entry", DATASETS, ids=lambda entry: entry.name)
def test_every_entry_says_what_it_is(entry):
    check_entry(entry)


@pytest.mark.parametrize("entry", DATASETS, ids=lambda entry: entry.name)
def test_every_set_at_hand_keeps_the_contract(entry, request):
    folder = (
        None if all(not source.files for source in entry.sources) else request.getfixturevalue("data_dir")
    )
    if not entry.available(folder):
        pytest.skip("its files are not in the data folder")
    data = load_named(entry.name, data_dir=folder)
    check_dataset(entry, data)
    if entry.name not in LARGE:
        assert load_named(entry.name, data_dir=folder).fingerprint == data.fingerprint


def test_the_sets_that_must_be_there():
    wanted = """cora citeseer pubmed cornell cornell-legacy texas texas-4 wisconsin film actor chameleon squirrel
    chameleon-filtered squirrel-filtered chameleon-filtered-directed squirrel-filtered-directed deezer-europe
    minesweeper tolokers roman-empire amazon-ratings questions penn94 cornell5 amherst41 johnshopkins55 reed98 genius
    twitch-gamer amazon-computers amazon-photo coauthor-cs coauthor-physics github karate
    example-bipartite example-high-pass example-limitation"""
    assert [name for name in wanted.split() if name not in DATASETS] == []


def test_a_typo_gets_a_hint():
    with pytest.raises(UnknownNameError, match="Did you mean 'squirrel'"):
        load_named("squirel")


def test_the_table_touches_no_file(monkeypatch):
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("a file was opened"))
    rows = {row["name"]: row for row in dataset_table()}
    assert len(rows) == len(DATASETS)
    assert rows["film"]["features"] == 932
    assert rows["karate"]["embedded"] is True
    assert rows["squirrel"]["splits"] == "geom-gcn"


def test_a_download_that_cannot_be_had_is_one_clear_error(monkeypatch):
    def offline(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(pooch, "retrieve", offline)
    with pytest.raises(
        DownloadError, match=r"roman_empire.npz.*raw.githubusercontent.com.*cdn.jsdelivr.net"
    ) as error:
        load_named("roman-empire")
    assert "HeterophilousGraphDataset/roman_empire/raw/roman_empire.npz" in error.value.cure


def pyg(kind: str, raw: Path, folder: Path, name: str = "") -> Data:
    """The set as PyTorch Geometric reads it from ``raw``; what it writes goes to ``folder``."""
    root = folder / raw.parent.name
    root.mkdir(parents=True)
    (root / "raw").symlink_to(raw, target_is_directory=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(datasets, kind)(*((str(folder), name) if name else (str(root),)))[0]


@pytest.mark.parametrize(
    ("name", "kind", "folder", "pyg_name"),
    [
        ("cora-planetoid", "Planetoid", "Planetoid/Cora", "Cora"),
        ("citeseer", "Planetoid", "Planetoid/CiteSeer", "CiteSeer"),
        ("pubmed", "Planetoid", "Planetoid/PubMed", "PubMed"),
        ("cornell", "WebKB", "WebKB/cornell", "Cornell"),
        ("cornell-legacy", "WebKB", "WebKB_geomgcn_legacy/cornell", "Cornell"),
        ("texas", "WebKB", "WebKB/texas", "Texas"),
        ("wisconsin", "WebKB", "WebKB/wisconsin", "Wisconsin"),
        ("film", "Actor", "Actor", ""),
        ("minesweeper", "HeterophilousGraphDataset", "HeterophilousGraphDataset/minesweeper", "Minesweeper"),
        ("amazon-photo", "Amazon", "Amazon/Photo", "Photo"),
    ],
)
def test_the_same_graph_as_in_pytorch_geometric(name, kind, folder, pyg_name, tmp_path, data_dir):
    reference = pyg(kind, data_dir / folder / "raw", tmp_path / "pyg", pyg_name)
    data = load_named(name, data_dir=data_dir, unlabelled="zero")
    assert torch.equal(data.x, reference.x)
    assert torch.equal(data.y, reference.y)
    edges = data.edge_index
    if not contains_self_loops(reference.edge_index):  # its readers of Planetoid and Amazon remove them
        edges, _ = remove_self_loops(edges)
    assert torch.equal(edges, reference.coalesce().edge_index)
    if "train_mask" in reference:
        splits = data.stored_splits[DATASETS[name].splits[0]]
        for part in ("train", "val", "test"):
            ours = torch.stack([getattr(split, part) for split in splits], dim=1)
            assert torch.equal(ours, reference[f"{part}_mask"].reshape(data.num_nodes, -1))


@pytest.mark.slow
def test_facebook100_as_in_pytorch_geometric(tmp_path, data_dir):
    reference = pyg("LINKXDataset", data_dir / "LINKXDataset/cornell5/raw", tmp_path / "pyg", "cornell5")
    data = load_named("cornell5", data_dir=data_dir)
    assert torch.equal(data.x.to_dense(), reference.x.float())
    assert torch.equal(data.y, reference.y)
    assert torch.equal(data.edge_index, reference.coalesce().edge_index)


# Train, validation and test sizes of the stored splits, and how many there are.
SPLIT_SIZES = {
    ("cornell", "geom-gcn"): (10, 87, 59, 37),
    ("cornell-legacy", "geom-gcn"): (10, 87, 59, 37),
    ("texas", "geom-gcn"): (10, 87, 59, 37),
    ("wisconsin", "geom-gcn"): (10, 120, 80, 51),
    ("film", "geom-gcn"): (10, 3648, 2432, 1520),
    ("chameleon", "geom-gcn"): (10, 1092, 729, 456),
    ("squirrel", "geom-gcn"): (10, 2496, 1664, 1041),
    ("cora-planetoid", "geom-gcn"): (10, 1192, 796, 497),
    ("citeseer", "geom-gcn"): (10, 1596, 1065, 666),
    ("pubmed", "geom-gcn"): (10, 9463, 6310, 3944),
    ("cora-planetoid", "public"): (1, 140, 500, 1000),
    ("citeseer", "public"): (1, 120, 500, 1000),
    ("pubmed", "public"): (1, 60, 500, 1000),
    ("chameleon-filtered", "platonov"): (10, 409, 287, 194),
    ("squirrel-filtered", "platonov"): (10, 1053, 718, 452),
    ("texas-4", "platonov"): (10, 87, 58, 37),
    ("minesweeper", "platonov"): (10, 5000, 2500, 2500),
    ("deezer-europe", "deezer"): (5, 14140, 7070, 7071),
}
CLASS_COUNTS = {
    "cornell": [38, 16, 30, 82, 17],
    "cornell-legacy": [33, 1, 18, 101, 30],
    "texas": [33, 1, 18, 101, 30],
    "texas-4": [33, 18, 101, 30],
    "wisconsin": [10, 70, 118, 32, 21],
    "film": [853, 1337, 1630, 1815, 1965],
    "chameleon": [456, 460, 453, 521, 387],
    "squirrel": [1042, 1040, 1039, 1040, 1040],
    "cora": [351, 217, 418, 818, 426, 298, 180],
    "citeseer": [249, 590, 668, 701, 596, 508],
    "pubmed": [4103, 7739, 7875],
}


@pytest.mark.parametrize(("name", "split"), SPLIT_SIZES)
def test_published_split_sizes(name, split, data_dir):
    splits = load_named(name, data_dir=data_dir, unlabelled="zero").stored_splits[split]
    sizes = tuple(int(getattr(splits[0], part).sum()) for part in ("train", "val", "test"))
    assert (len(splits), *sizes) == SPLIT_SIZES[name, split]


@pytest.mark.parametrize("name", CLASS_COUNTS)
def test_published_class_counts(name, data_dir):
    y = load_named(name, data_dir=data_dir).y
    assert y[y >= 0].bincount().tolist() == CLASS_COUNTS[name]


def edge_homophily(data: Data) -> float:
    source, target = data.edge_index
    return float((data.y[source] == data.y[target]).float().mean())


@pytest.mark.parametrize(
    ("name", "published"),
    [("cornell", 0.1309), ("cornell-legacy", 0.3054), ("texas", 0.1077), ("wisconsin", 0.1961), ("film", 0.2188),
     ("chameleon", 0.2350), ("squirrel", 0.2239), ("squirrel-filtered", 0.2072), ("pubmed", 0.8024)],
)  # fmt: skip
def test_edge_homophily_as_stored(name, published, data_dir):
    data = load_named(name, data_dir=data_dir)
    if name == "pubmed":
        data.edge_index, _ = remove_self_loops(data.edge_index)
    assert edge_homophily(data) == pytest.approx(published, abs=5e-5)


class TestCiteSeer:
    def test_missing(self, data_dir):
        data = load_named("citeseer", data_dir=data_dir)
        lost = data.y < 0
        assert int(lost.sum()) == 15
        assert (data.x[lost] == 0).all()
        assert {note.code: note.count for note in data.account}["zero-feature-rows"] == 15
        assert not any((split.train & lost).any() for split in data.stored_splits["geom-gcn"])

    def test_zero(self, data_dir):
        data = load_named("citeseer", data_dir=data_dir, unlabelled="zero")
        assert data.y.bincount().tolist() == [264, 590, 668, 701, 596, 508]

    def test_drop(self, data_dir):
        data = load_named("citeseer", data_dir=data_dir, unlabelled="drop")
        assert (data.num_nodes, data.x.shape, int(data.y.min())) == (3312, (3312, 3703), 0)
        (public,) = data.stored_splits["public"]
        assert public.train.nonzero().flatten().tolist() == list(range(120))
        assert public.val.nonzero().flatten().tolist() == list(range(120, 620))
        assert public.test.nonzero().flatten().tolist() == list(range(2312, 3312))

    def test_another_rule(self, data_dir):
        with pytest.raises(InputError, match="no rule 'remove'"):
            load_named("citeseer", data_dir=data_dir, unlabelled="remove")


class TestCora:
    def test_planetoid_where_its_files_are(self, data_dir):
        data = load_named("cora", data_dir=data_dir)
        assert data.source == "data folder"
        assert set(data.stored_splits) == {"public", "geom-gcn"}

    def test_embedded_elsewhere(self):
        data = load_named("cora")
        check_dataset(DATASETS["cora"], data)
        assert (data.source, data.stored_splits) == ("embedded", {})
        assert edge_homophily(data) == pytest.approx(0.8100, abs=5e-5)

    def test_both_are_the_same_graph_in_another_order(self, data_dir):
        ours, theirs = load_named("cora"), load_named("cora-planetoid", data_dir=data_dir)
        assert ours.fingerprint != theirs.fingerprint
        assert edge_homophily(ours) == edge_homophily(theirs)
        assert signature(ours) == signature(theirs)


def signature(data: Data) -> Counter[tuple[int, ...]]:
    """How many nodes have each label, number of words, degree and number of neighbours in each class."""
    degree = torch.bincount(data.edge_index[0], minlength=data.num_nodes)
    near = torch.zeros(data.num_nodes, 7, dtype=torch.int64)
    near.index_put_((data.edge_index[0], data.y[data.edge_index[1]]), torch.tensor(1), accumulate=True)
    table = torch.cat([data.y[:, None], data.x.sum(dim=1, keepdim=True).long(), degree[:, None], near], dim=1)
    return Counter(map(tuple, table.tolist()))


def test_deezer_features_stay_sparse(data_dir):
    data = load_named("deezer-europe", data_dir=data_dir)
    assert data.x.layout == torch.sparse_csr
    assert data.x.values().numel() == 958475


def test_duplicates_of_chameleon_are_told(data_dir):
    data = load_named("chameleon", data_dir=data_dir)
    notes = {note.code: note for note in data.account}
    near: list[set[int]] = [set() for _ in range(data.num_nodes)]
    for source, target in data.edge_index.T.tolist():
        near[source].add(target)
        near[target].add(source)
    groups = Counter(zip(map(frozenset, near), data.y.tolist(), strict=True))
    twins = sum(size for (around, _), size in groups.items() if size > 1 and len(around) > 1)
    assert notes["duplicate-nodes"].count == twins == 1211
    assert notes["zero-feature-rows"].count == 233
    assert "chameleon-filtered" in notes["known"].what
