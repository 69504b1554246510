"""How the entries of the catalogue are built: datasets of one origin share files, reader and citation."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import resources

from allpass.data.draft import Draft
from allpass.data.named.dataset import Counts, Dataset, Paths, Source
from allpass.data.named.fetch import RemoteFile, github
from allpass.data.readers.geom_gcn import EDGES, NODES, read_geom_gcn
from allpass.data.readers.gnn_benchmark import read_gnn_benchmark
from allpass.data.readers.linkx import read_facebook100
from allpass.data.readers.planetoid import PARTS, read_planetoid
from allpass.data.readers.platonov import read_platonov

Urls = Callable[[str], tuple[str, ...]]
Reader = Callable[[Paths], Draft]

PLANETOID = github("kimiyoung/planetoid", "af6abf468a772cc055bec88c52e4d6f51b7c37e3")
GEOM_GCN_OLD = github("graphdml-uiuc-jlu/geom-gcn", "f1fc0d14b3b019c562737240d06ec83b07d16a8f")
GEOM_GCN_NEW = github("graphdml-uiuc-jlu/geom-gcn", "1c4c04f93fa6ada91976cda8d7577eec0e3e5cce")
YANDEX = github("yandex-research/heterophilous-graphs", "a431395582e929d88271309716bea4fe24ce6318")
LINKX = github("CUAI/Non-Homophily-Large-Scale", "82f8f05c5c3ec16bd5b505cc7ad62ab5e09051e6")
SHCHUR = github("shchur/gnn-benchmark", "1e72912a0810cdf27ae54fd589a3b43358a2b161")

NONE_STATED = "none stated"
CITE_PLANETOID = (
    "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016"
)
CITE_GEOM_GCN = "Pei, Wei, Chang, Lei, Yang: Geom-GCN: Geometric Graph Convolutional Networks, ICLR 2020"
CITE_PLATONOV = "Platonov et al.: A Critical Look at the Evaluation of GNNs under Heterophily, ICLR 2023"
CITE_LINKX = "Lim et al.: Large Scale Learning on Non-Homophilous Graphs, NeurIPS 2021"
CITE_SHCHUR = "Shchur, Mumme, Bojchevski, Günnemann: Pitfalls of Graph Neural Network Evaluation, 2018"


@cache
def _published_hashes() -> dict[str, str]:
    """sha256 of published files by their path in a data folder."""
    text = (resources.files("allpass.data") / "embedded" / "SHA256SUMS").read_text(encoding="ascii")
    return {path: sha256 for sha256, path in (line.split("  ") for line in text.splitlines())}


def file(path: str, *urls: str, optional: bool = False) -> RemoteFile:
    """A file by its path in a data folder, with its published hash when there is one."""
    return RemoteFile(path, _published_hashes().get(path), urls, optional)


def embedded(draft: Callable[[], Draft], *notes: str) -> Source:
    """Data that come with allpass."""
    return Source(lambda _: draft(), notes=notes)


def planetoid_source(folder: str, *notes: str, download: bool = True) -> Source:
    """Planetoid's eight files, and the Geom-GCN splits of the same set where they are at hand."""
    prefix, root = folder.lower(), f"Planetoid/{folder}"
    names = [f"ind.{prefix}.{part}" for part in PARTS]
    files = [file(f"{root}/raw/{name}", *PLANETOID(f"data/{name}")) for name in names]
    splits = _ten_splits(f"{root}/geom-gcn/raw", prefix, optional=True)
    return Source(partial(read_planetoid, prefix=prefix), (*files, *splits), download, notes)


def planetoid(
    name: str, title: str, counts: Counts, source: Source, class_names: tuple[str, ...], *notes: str
) -> Dataset:
    """A citation graph of Planetoid."""
    return Dataset(
        name, title, CITE_PLANETOID, "MIT", counts, (source,), ("public", "geom-gcn"), class_names, notes
    )


def geom_gcn(
    name: str,
    title: str,
    folder: str,
    counts: Counts,
    *notes: str,
    prefix: str = "",
    urls: Urls = GEOM_GCN_OLD,
    feature_numbers: bool = False,
    aliases: tuple[str, ...] = (),
) -> Dataset:
    """A graph in Geom-GCN's text files."""
    prefix = prefix or name
    tables = [file(f"{folder}/raw/{table}", *urls(f"new_data/{prefix}/{table}")) for table in (NODES, EDGES)]
    files = (*tables, *_ten_splits(f"{folder}/raw", prefix))
    source = Source(partial(read_geom_gcn, feature_numbers=feature_numbers), files)
    return Dataset(
        name, title, CITE_GEOM_GCN, NONE_STATED, counts, (source,), ("geom-gcn",), (), notes, aliases
    )


def platonov(name: str, title: str, counts: Counts) -> Dataset:
    """One of the five heterophilous sets of Platonov et al."""
    stem = name.replace("-", "_")
    path = f"HeterophilousGraphDataset/{stem}/raw/{stem}.npz"
    source = Source(read_platonov, (file(path, *YANDEX(f"data/{stem}.npz")),))
    return Dataset(name, title, CITE_PLATONOV, "MIT", counts, (source,), ("platonov",))


def platonov_repair(
    name: str, title: str, stem: str, counts: Counts, *notes: str, reader: Reader, split: str = "platonov"
) -> Dataset:
    """An older set as Platonov et al. publish it: as it was, directed, or cleaned."""
    source = Source(reader, (file(f"heterophilous_npz/{stem}.npz", *YANDEX(f"data/{stem}.npz")),))
    return Dataset(name, title, CITE_PLATONOV, "MIT", counts, (source,), (split,), (), notes)


def linkx_source(reader: Reader, folder: str, name: str, upstream: str, splits: str = "") -> Source:
    """A mat file of LINKX, and its stored splits where they exist."""
    root = f"LINKXDataset/{folder}/raw"
    files = [file(f"{root}/{name}", *LINKX(f"data/{upstream}"))]
    if splits:
        files.append(linkx_splits(root, splits))
    return Source(reader, tuple(files))


def linkx_splits(root: str, name: str) -> RemoteFile:
    """The file of LINKX's stored splits."""
    return file(f"{root}/{name}", *LINKX(f"data/splits/{name}"), optional=True)


def facebook100(name: str, university: str, counts: Counts, splits: str = "") -> Dataset:
    """One university of the Facebook100 collection."""
    source = linkx_source(read_facebook100, name, "data.mat", f"facebook100/{university}.mat", splits)
    return Dataset(
        name,
        f"Facebook friends at one university in 2005 ({university})",
        CITE_LINKX,
        "MIT",
        counts,
        (source,),
        ("linkx",) if splits else (),
        notes=("The label is the gender; members who did not state it have none.",),
    )


def shchur(name: str, title: str, folder: str, stem: str, counts: Counts, *notes: str) -> Dataset:
    """A graph of the GNN benchmark of Shchur et al."""
    source = Source(read_gnn_benchmark, (file(f"{folder}/raw/{stem}.npz", *SHCHUR(f"data/npz/{stem}.npz")),))
    return Dataset(name, title, CITE_SHCHUR, "MIT", counts, (source,), (), (), notes)


def _ten_splits(folder: str, prefix: str, *, optional: bool = False) -> list[RemoteFile]:
    names = [f"{prefix}_split_0.6_0.2_{k}.npz" for k in range(10)]
    return [file(f"{folder}/{name}", *GEOM_GCN_OLD(f"splits/{name}"), optional=optional) for name in names]
