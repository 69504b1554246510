"""Checkpoints with other content whose digests are right, and those of an older format."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors.torch import save
from torch import Tensor

from allpass.canonical import canonical
from allpass.sealed import CARD


def read_card(folder: Path) -> dict[str, Any]:
    return json.loads((folder / CARD).read_text())


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """A card with the digest that it should have."""
    card = {key: value for key, value in card.items() if key != "digest"}
    digest = sha256(canonical(card).encode()).hexdigest()
    (folder / CARD).write_text(json.dumps({**card, "digest": digest}))


def change(folder: Path, **words: object) -> None:
    """Other entries of a card."""
    write_card(folder, {**read_card(folder), **words})


def weights_file(folder: Path) -> Path:
    return folder / read_card(folder)["files"]["weights"]["name"]


def reweigh(folder: Path, content: bytes | dict[str, Tensor]) -> None:
    """Other weights."""
    path = weights_file(folder)
    path.write_bytes(content if isinstance(content, bytes) else save(content))
    file = {"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()}
    change(folder, files={**read_card(folder)["files"], "weights": file})


def to_version_1(folder: Path, *without: str, **words: object) -> Path:
    """The same checkpoint as the first format had it."""
    card, path = read_card(folder), weights_file(folder)
    path.replace(folder / "weights.safetensors")
    first = {**card, "version": 1, "sha256": card["files"]["weights"]["sha256"], **words}
    text = {key: value for key, value in first.items() if key not in ("digest", "files", *without)}
    (folder / CARD).write_text(json.dumps(text))
    return folder
