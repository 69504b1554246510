"""Knowledge graphs by name: what is known about them and where their files are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from allpass.data.named.fetch import RemoteFile, download, find, github
from allpass.registry import Registry

_PARTS = ("train", "valid", "test")
_VILLMOW = github("villmow/datasets_knowledge_embedding", "master")


@dataclass(frozen=True)
class NamedGraph:
    """A published knowledge graph in three files.

    Args:
        name: Its name in ``kge.load``.
        title: What it is.
        citation: Where it was published.
        folder: Its folder in a data folder, as PyG's classes have it.
        source: Its folder in the repository.
        entities: How many entities.
        relations: How many relations.
        sizes: Triplets for training, validation and test.
        hashes: Published sha256 of the three plain files.
        aliases: Other names.
    """

    name: str
    title: str
    citation: str
    folder: str
    source: str
    entities: int
    relations: int
    sizes: tuple[int, int, int]
    hashes: tuple[str, str, str]
    aliases: tuple[str, ...] = ()

    def locate(self, data_dir: str | os.PathLike[str] | None = None) -> dict[str, Path]:
        """The files of its parts: packed or plain in a data folder, else downloaded."""
        found = {}
        for part, sha256 in zip(_PARTS, self.hashes, strict=True):
            path = f"{self.folder}/raw/{part}.txt"
            plain = RemoteFile(path, sha256, _VILLMOW(f"{self.source}/{part}.txt"))
            here = find(RemoteFile(f"{path}.gz"), data_dir) or find(plain, data_dir)
            found[part] = (here or download(plain)).path
        return found


NAMED: Registry[NamedGraph] = Registry("knowledge graph")

NAMED.add(
    NamedGraph(
        "wn18rr",
        "words of WordNet and how they are related, without inverse relations",
        "Dettmers et al.: Convolutional 2D Knowledge Graph Embeddings, AAAI 2018",
        "WordNet18RR",
        "WN18RR/original",
        40_943,
        11,
        (86_835, 3_034, 3_134),
        (
            "038612e783c215ee5f3ca9fbfca27b8d0739be1028fe4ee7c174aecf0b83d5df",
            "453ce7202afa58094a04d2b1560ee2b02660f1c260b32ce6651c8ccedd1028ab",
            "0383bceaaa1096cf3c03ec021ed0048068e2355dbfc0239b292cefdac821cec5",
        ),
        ("wordnet18rr",),
    )
)
NAMED.add(
    NamedGraph(
        "fb15k-237",
        "facts of Freebase, without inverse relations",
        "Toutanova, Chen: Observed versus Latent Features for Knowledge Base and Text Inference, 2015",
        "FB15k_237",
        "FB15k-237",
        14_541,
        237,
        (272_115, 17_535, 20_466),
        (
            "61099230e4439f90885ca9767739e31e8e32f54736fa1c35952b27997bc7c08a",
            "749cbe9d923bac7b9354da5614ecfed2e0220256d442c3e04a6b303db1f273d9",
            "e2e35e8e6113de220140b6f44dc71a5207b0fc6872d575e874aefe13259b655b",
        ),
    )
)
