"""Knowledge graphs by name: what is known about them and where their files are."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from allpass.data.named.fetch import RemoteFile, download, find, github
from allpass.registry import Registry

_PARTS = ("train", "valid", "test")
_VILLMOW = github("villmow/datasets_knowledge_embedding", "master")
_PYKEEN = github("pykeen/pykeen", "v1.11.1")


@dataclass(frozen=True)
class NamedGraph:
    """A published knowledge graph in three files.

    Args:
        name: Its name in ``kge.load``.
        title: What it is.
        citation: Where it was published.
        folder: Its folder in a data folder, as PyG's classes have it.
        urls: The addresses of a file in its folder.
        entities: How many entities.
        relations: How many relations.
        sizes: Triplets for training, validation and test.
        hashes: Published sha256 of the three plain files.
        aliases: Other names.
        wheel: Its folder among the datasets of PyKEEN, where that is installed.
    """

    name: str
    title: str
    citation: str
    folder: str
    urls: Callable[[str], tuple[str, ...]]
    entities: int
    relations: int
    sizes: tuple[int, int, int]
    hashes: tuple[str, str, str]
    aliases: tuple[str, ...] = ()
    wheel: str = ""

    def locate(self, data_dir: str | os.PathLike[str] | None = None) -> dict[str, Path]:
        """The files of its parts: packed or plain in a data folder, else those of PyKEEN, else downloaded."""
        found = {}
        for part, sha256 in zip(_PARTS, self.hashes, strict=True):
            path = f"{self.folder}/raw/{part}.txt"
            plain = RemoteFile(path, sha256, self.urls(f"{part}.txt"))
            here = find(RemoteFile(f"{path}.gz"), data_dir) or find(plain, data_dir)
            found[part] = here.path if here else self._in_wheel(part) or download(plain).path
        return found

    def _in_wheel(self, part: str) -> Path | None:
        """A file of PyKEEN, which is not imported for it."""
        spec = importlib.util.find_spec("pykeen") if self.wheel else None
        if spec is None or spec.origin is None:
            return None
        path = Path(spec.origin).parent / "datasets" / self.wheel / f"{part}.txt"
        return path if path.is_file() else None


def _folder(repository: Callable[[str], tuple[str, ...]], path: str) -> Callable[[str], tuple[str, ...]]:
    """The addresses of the files of a folder."""
    return lambda name: repository(f"{path}/{name}")


NAMED: Registry[NamedGraph] = Registry("knowledge graph")

NAMED.add(
    NamedGraph(
        "wn18rr",
        "words of WordNet and how they are related, without inverse relations",
        "Dettmers et al.: Convolutional 2D Knowledge Graph Embeddings, AAAI 2018",
        "WordNet18RR",
        _folder(_VILLMOW, "WN18RR/original"),
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
        _folder(_VILLMOW, "FB15k-237"),
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
_KOK = "Kok, Domingos: Statistical Predicate Invention, ICML 2007"
for _name, _title, _entities, _relations, _sizes, _hashes in (
    (
        "nations",
        "relations of nations, nearly all with an inverse",
        14,
        55,
        (1_592, 199, 201),
        (
            "0830fa9da8e5bba2ccdaa45b7bdc9130451ba66b09ff2708f35fccaf82473e57",
            "2b337a62e51a2f45c283eac98a70d21b7e0e102136be1539b2a52c652a7b0530",
            "3971085165b47b6aeaec68058c6d8d98b3005e929db81268410b95ae4db770ab",
        ),
    ),
    (
        "umls",
        "medical concepts and how they are related",
        135,
        46,
        (5_216, 652, 661),
        (
            "873ef4925516b83e7f6f8cc02b4be51d848828710a7f65a956f0ac4a9e452f35",
            "025c98f8a4891e2a6582ec5b40ee0d904031edad9c52554522f4b7904820c98e",
            "a7eb529a3d2810fcc96341ccc97c625a5e202f8389673aa6bd317eeebbb79014",
        ),
    ),
    (
        "kinships",
        "kinship among the Alyawarra, half of it inverse relations",
        104,
        25,
        (8_544, 1_068, 1_074),
        (
            "738612111a6acf0e39662bde24c7e72a4d1edf20931beea077da367dda689731",
            "c56f8630a583178b1e569f11a64aa535ae1ce0b0912d8b1e24716be2b37f04da",
            "05e5733265761d55be9c05bfaff5a8d0808df46f9c1e9d66cc3f2fe114e43d88",
        ),
    ),
):
    NAMED.add(
        NamedGraph(
            _name,
            _title,
            _KOK,
            _name.capitalize() if _name != "umls" else "UMLS",
            _folder(_PYKEEN, f"src/pykeen/datasets/{_name}"),
            _entities,
            _relations,
            _sizes,
            _hashes,
            wheel=_name,
        )
    )
