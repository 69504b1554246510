"""The named datasets, and the function that loads one by its name."""

from __future__ import annotations

import os
from functools import partial

from torch_geometric.data import Data

from allpass.data.named import examples
from allpass.data.named.dataset import Counts, Dataset, Source
from allpass.data.named.families import (
    CITE_LINKX,
    GEOM_GCN_NEW,
    NONE_STATED,
    embedded,
    facebook100,
    file,
    geom_gcn,
    linkx_source,
    linkx_splits,
    planetoid,
    planetoid_source,
    platonov,
    platonov_repair,
    shchur,
)
from allpass.data.named.fetch import github
from allpass.data.readers.compact import read_compact
from allpass.data.readers.embedded import read_embedded_cora
from allpass.data.readers.linkx import read_deezer_mat, read_genius
from allpass.data.readers.platonov import read_platonov, read_texas_4
from allpass.data.readers.snap import read_musae, read_twitch_gamer
from allpass.registry import Registry

DATASETS: Registry[Dataset] = Registry("dataset")


def load_named(
    name: str, *, data_dir: str | os.PathLike[str] | None = None, unlabelled: str = "missing"
) -> Data:
    """Load a dataset of the catalogue by name.

    Args:
        name: A name or an alias of ``DATASETS``.
        data_dir: A folder to look in first.
        unlabelled: What happens to nodes without a label: ``"missing"`` (label -1), ``"zero"`` (class 0) or
            ``"drop"``.

    Example:
        >>> load_named("karate").num_nodes
        34
    """
    return DATASETS[name].load(data_dir, unlabelled)


def dataset_table() -> list[dict[str, str | int | bool | None]]:
    """What the catalogue knows of every dataset, one row each, without touching a file."""
    return [
        {
            "name": entry.name,
            "title": entry.title,
            "nodes": entry.counts.nodes,
            "edges": entry.counts.edges,
            "features": entry.counts.features,
            "classes": entry.counts.classes,
            "splits": ", ".join(entry.splits),
            "licence": entry.licence,
            "embedded": entry.embedded,
        }
        for entry in DATASETS
    ]


CORA = Counts(2708, 10556, 1433, 7)
CORA_CLASSES = (
    "Theory",
    "Reinforcement Learning",
    "Genetic Algorithms",
    "Neural Networks",
    "Probabilistic Methods",
    "Case Based",
    "Rule Learning",
)
CORA_SPLITS = "The Geom-GCN splits cover 2,485 of the 2,708 nodes: the largest component."
OWN_ORDER = "The papers are in another order than Planetoid's, so there are no public and no Geom-GCN splits."
NO_LABEL = "15 test nodes have neither features nor a label; much published code puts them into class 0."
SOME_SPLITS = "Geom-GCN splits 4 and 5 cover 2,120 of the 3,327 nodes, the others all."
LEGACY = (
    "Features and labels are those of Texas: the file was wrong until July 2022, and published results used it.",
    "The corrected data are called cornell.",
)
SINGLE = "One class has a single node; texas-4 is the variant without it."
SINGLE_OUT = (
    "The one node of Texas's smallest class has no label here and is in no split; classes are renumbered."
)
TWINS = "Many nodes are duplicates of others, across the splits too; {}-filtered is the cleaned graph."
WORD_COUNTS = "Features count words; PyTorch Geometric sets every count to 1."
LOOP = "The file holds one self-loop, which PyTorch Geometric removes."
TWITCH = "LINKXDataset/twitch-gamer/raw"
GITHUB_COPY = github("bkamins/JuliaForDataAnalysis", "1b896296980ca30b9d02a0229fb0648df86d8532")
ACM = "Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022"

directed = partial(read_platonov, directed=True)
directed_old = partial(read_platonov, directed=True, split="geom-gcn")

for _entry in (
    Dataset(
        name="cora",
        title="Citations between machine-learning papers",
        citation="Sen et al.: Collective Classification in Network Data, AI Magazine 2008",
        licence="Apache-2.0 (embedded), MIT (Planetoid)",
        counts=CORA,
        sources=(
            planetoid_source("Cora", CORA_SPLITS, download=False),
            embedded(read_embedded_cora, OWN_ORDER),
        ),
        splits=("public", "geom-gcn"),
        class_names=CORA_CLASSES,
    ),
    planetoid(
        "cora-planetoid",
        "Cora in Planetoid's order",
        CORA,
        planetoid_source("Cora", CORA_SPLITS),
        CORA_CLASSES,
    ),
    planetoid(
        "citeseer",
        "Citations between computer-science papers",
        Counts(3327, 9228, 3703, 6),
        planetoid_source("CiteSeer", SOME_SPLITS),
        ("AI", "ML", "IR", "DB", "Agents", "HCI"),
        NO_LABEL,
    ),
    planetoid(
        "pubmed",
        "Citations between papers on diabetes",
        Counts(19717, 88651, 500, 3),
        planetoid_source("PubMed"),
        ("Experimental", "Type 2", "Type 1"),
    ),
    geom_gcn(
        "cornell", "Web pages at Cornell", "WebKB/cornell", Counts(183, 298, 1703, 5), urls=GEOM_GCN_NEW
    ),
    geom_gcn(
        "cornell-legacy",
        "Cornell with the labels of Texas",
        "WebKB_geomgcn_legacy/cornell",
        Counts(183, 298, 1703, 5),
        *LEGACY,
        prefix="cornell",
    ),
    geom_gcn("texas", "Web pages at Texas", "WebKB/texas", Counts(183, 325, 1703, 5), SINGLE),
    platonov_repair(
        "texas-4",
        "Texas without its class of one node",
        "texas_4_classes",
        Counts(183, 558, 1703, 4),
        SINGLE_OUT,
        reader=read_texas_4,
    ),
    geom_gcn("wisconsin", "Web pages at Wisconsin", "WebKB/wisconsin", Counts(251, 515, 1703, 5)),
    geom_gcn(
        "film",
        "Actors named together on Wikipedia pages",
        "Actor",
        Counts(7600, 30019, 932, 5),
        "The file has 932 binary features, where papers print 931.",
        feature_numbers=True,
        aliases=("actor",),
    ),
    platonov_repair(
        "chameleon",
        "Links between Wikipedia pages on chameleons",
        "chameleon_directed",
        Counts(2277, 36101, 2325, 5),
        TWINS.format("chameleon"),
        reader=directed_old,
        split="geom-gcn",
    ),
    platonov_repair(
        "squirrel",
        "Links between Wikipedia pages on squirrels",
        "squirrel_directed",
        Counts(5201, 217073, 2089, 5),
        TWINS.format("squirrel"),
        reader=directed_old,
        split="geom-gcn",
    ),
    platonov_repair(
        "chameleon-filtered",
        "Chameleon without duplicated nodes",
        "chameleon_filtered",
        Counts(890, 17708, 2325, 5),
        reader=read_platonov,
    ),
    platonov_repair(
        "squirrel-filtered",
        "Squirrel without duplicated nodes",
        "squirrel_filtered",
        Counts(2223, 93996, 2089, 5),
        reader=read_platonov,
    ),
    platonov_repair(
        "chameleon-filtered-directed",
        "Chameleon without duplicated nodes, directed",
        "chameleon_filtered_directed",
        Counts(890, 13584, 2325, 5),
        reader=directed,
    ),
    platonov_repair(
        "squirrel-filtered-directed",
        "Squirrel without duplicated nodes, directed",
        "squirrel_filtered_directed",
        Counts(2223, 65718, 2089, 5),
        reader=directed,
    ),
    platonov("minesweeper", "A grid of the game, where some cells hide mines", Counts(10000, 78804, 7, 2)),
    platonov("tolokers", "Workers who shared a task on Toloka", Counts(11758, 1038000, 10, 2)),
    platonov("roman-empire", "Words of one Wikipedia article, by grammar", Counts(22662, 65854, 300, 18)),
    platonov("amazon-ratings", "Products bought together, by rating", Counts(24492, 186100, 300, 5)),
    platonov("questions", "Users who answered each other on Yandex Q", Counts(48921, 307080, 301, 2)),
    facebook100("penn94", "Penn94", Counts(41554, 2724458, 4814, 2), "fb100-Penn94-splits.npy"),
    facebook100("cornell5", "Cornell5", Counts(18660, 1581554, 4735, 2)),
    facebook100("amherst41", "Amherst41", Counts(2235, 181908, None, 2)),
    facebook100("johnshopkins55", "Johns Hopkins55", Counts(5180, 373172, None, 2)),
    facebook100("reed98", "Reed98", Counts(962, 37624, None, 2)),
    Dataset(
        name="genius",
        title="Followers on genius.com",
        citation=CITE_LINKX,
        licence="MIT",
        counts=Counts(421961, 984979, 12, 2),
        sources=(linkx_source(read_genius, "genius", "data.mat", "genius.mat", "genius-splits.npy"),),
        splits=("linkx",),
    ),
    Dataset(
        name="twitch-gamer",
        title="Mutual followers on Twitch",
        citation="Rozemberczki, Sarkar: Twitch Gamers, arXiv:2101.03091, 2021",
        licence=NONE_STATED,
        counts=Counts(168114, 13595114, 7, 2),
        sources=tuple(
            Source(read_twitch_gamer, (*files, linkx_splits(TWITCH, "twitch-gamer-splits.npy")))
            for files in (
                (file(f"{TWITCH}/twitch-gamer_feat.csv"), file(f"{TWITCH}/twitch-gamer_edges.csv")),
                (file(f"{TWITCH}/twitch_gamers.zip", "https://snap.stanford.edu/data/twitch_gamers.zip"),),
            )
        ),
        splits=("linkx",),
        aliases=("twitch-gamers",),
    ),
    Dataset(
        name="deezer-europe",
        title="Friends on Deezer in Europe",
        citation="Rozemberczki, Sarkar: Characteristic Functions on Graphs, CIKM 2020",
        licence="MIT",
        counts=Counts(28281, 185504, 31241, 2),
        sources=(
            Source(partial(read_compact, split="deezer"), (file("compact/deezer_europe.npz"),)),
            linkx_source(
                read_deezer_mat,
                "deezer-europe",
                "deezer-europe.mat",
                "deezer-europe.mat",
                "deezer-europe-splits.npy",
            ),
        ),
        splits=("deezer",),
        aliases=("deezer",),
    ),
    Dataset(
        name="github",
        title="Mutual followers on GitHub",
        citation="Rozemberczki, Allen, Sarkar: Multi-Scale Attributed Node Embedding, J. Complex Networks 2021",
        licence="GPL-3.0",
        counts=Counts(37700, 578006, 4005, 2),
        sources=(
            Source(read_compact, (file("compact/github.npz"),)),
            Source(
                read_musae,
                (
                    file(
                        "MUSAE/github/raw/git_web_ml.zip",
                        *GITHUB_COPY("git_web_ml.zip"),
                        "https://snap.stanford.edu/data/git_web_ml.zip",
                    ),
                ),
            ),
        ),
    ),
    shchur(
        "amazon-computers",
        "Computers bought together",
        "Amazon/Computers",
        "amazon_electronics_computers",
        Counts(13752, 491722, 767, 10),
    ),
    shchur(
        "amazon-photo",
        "Cameras bought together",
        "Amazon/Photo",
        "amazon_electronics_photo",
        Counts(7650, 238163, 745, 8),
        LOOP,
    ),
    shchur(
        "coauthor-cs",
        "Co-authors in computer science",
        "Coauthor/CS",
        "ms_academic_cs",
        Counts(18333, 163788, 6805, 15),
        WORD_COUNTS,
    ),
    shchur(
        "coauthor-physics",
        "Co-authors in physics",
        "Coauthor/Physics",
        "ms_academic_phy",
        Counts(34493, 495924, 8415, 5),
        WORD_COUNTS,
    ),
    Dataset(
        name="karate",
        title="Friends in a karate club",
        citation="Zachary: An Information Flow Model for Conflict and Fission in Small Groups, 1977",
        licence="BSD-3-Clause (NetworkX)",
        counts=Counts(34, 156, 0, 2),
        sources=(embedded(examples.draft_karate),),
    ),
    *(
        Dataset(f"example-{name}", title, ACM, "MIT", counts, (embedded(draft),))
        for name, title, counts, draft in (
            ("bipartite", "Heterophily that does no harm", Counts(6, 18, 2, 2), examples.draft_bipartite),
            (
                "high-pass",
                "A graph that high-pass filtering helps",
                Counts(7, 20, 2, 2),
                examples.draft_high_pass,
            ),
            ("limitation", "A graph that defeats it", Counts(10, 22, 4, 4), examples.draft_limitation),
        )
    ),
):
    DATASETS.add(_entry)
