"""A folder that loads next year: tensors as safetensors and a card in JSON, all covered by one digest.

The card names the other files, and these are named by their content. So a folder is replaced in the moment in which its
card is: whoever loads it gets the old one or the new one, also where the writing process is killed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as written_tensors
from torch import Tensor

from allpass.canonical import canonical
from allpass.errors import AllpassError, InputError, MissingFileError
from allpass.files import check_folder, locked, remove_leftovers, sync_folder, write_whole

CARD = "card.json"

_OURS = re.compile(
    r"card\.json|weights\.safetensors|(weights|graph)-[0-9a-f]{12}\.safetensors|\.allpass-.+\.part"
)
_RETRIES = 10

Card = dict[str, Any]
Parts = Mapping[str, Mapping[str, Tensor]]


class CheckpointError(AllpassError):
    """A folder is no checkpoint, its files are damaged, or they cannot be written."""


@dataclass(frozen=True)
class Seal:
    """A kind of folder: what its card says it is, and who writes it.

    Args:
        format: The entry ``"format"`` of its cards.
        version: The entry ``"version"``.
        verb: The command that writes such folders, for messages.
        upgrade: Makes a card of an older version one of this version, or returns None for one it does not know.
    """

    format: str
    version: int
    verb: str
    upgrade: Callable[[Path, Card], Card | None] | None = None

    def save(self, folder: str | Path, card: Mapping[str, Any], parts: Parts) -> Path:
        """Write a folder, whole or not at all; an older one in its place is replaced.

        Args:
            folder: The folder to make.
            card: The content of the card, in the types of JSON.
            parts: Tensors by name, for each file: ``{"weights": {...}}``.

        Returns:
            The folder.
        """
        folder = self.check_free(folder)
        contents = {name: written_tensors(dict(tensors)) for name, tensors in parts.items()}
        files = {name: _named(name, content) for name, content in contents.items()}
        whole: Card = {"format": self.format, "version": self.version, **card, "files": files}
        whole["digest"] = digest(whole)
        text = json.dumps(whole, indent=2, ensure_ascii=False)
        try:
            new = not folder.exists()
            folder.mkdir(exist_ok=True)
            with locked(folder):
                try:
                    for name, content in contents.items():
                        write_whole(folder / files[name]["name"], content)
                    write_whole(folder / CARD, f"{text}\n".encode())
                finally:
                    self._remove_unused(folder)
            if new:
                sync_folder(folder.absolute().parent)
        except (OSError, InputError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            raise CheckpointError(
                f"The checkpoint {str(folder)!r} cannot be written: {getattr(cause, 'strerror', None) or error}.",
                "Make room, or give another folder; what was there before is there still.",
            ) from error
        return folder

    def check_free(self, folder: str | Path) -> Path:
        """Raise where no such folder may be written; for asking before the work, not after."""
        folder = Path(folder)
        check_folder(folder)
        if not folder.absolute().parent.is_dir():
            raise MissingFileError(f"There is no folder {str(folder.parent)!r}.", "Make it first.")
        if folder.is_dir():
            names = sorted(entry.name for entry in folder.iterdir())
            others = [name for name in names if not _OURS.fullmatch(name)]
            if others:
                problem = f"holds {others[0]!r}, which a checkpoint does not"
            elif CARD in names and not self._is_card(folder / CARD):
                problem = "is no checkpoint"
            else:
                return folder
            raise InputError(
                f"The folder {str(folder)!r} {problem}; it stays as it is.", "Give another folder."
            )
        if folder.is_symlink():  # to nothing
            raise InputError(f"{str(folder)!r} is not the name of a folder.", "Give another one.")
        return folder

    def load(self, folder: str | Path) -> tuple[Card, dict[str, Tensor]]:
        """The card of a folder and the tensors of its part ``"weights"``, both as they were written."""
        if not isinstance(folder, str | Path):
            raise InputError(
                f"Got {folder!r:.60} in place of a folder.", f"Give a folder that `{self.verb}` wrote."
            )
        folder = Path(folder)
        if not folder.is_dir():
            problem = "is a file, not the folder of a checkpoint" if folder.exists() else "does not exist"
            raise MissingFileError(f"{str(folder)!r} {problem}.", f"Give a folder that `{self.verb}` wrote.")
        for _ in range(_RETRIES):
            card = self._read_card(folder)
            try:
                return card, read_part(folder, card["files"]["weights"])
            except CheckpointError:  # replaced since its card was read, or damaged
                if self._read_card(folder) == card:
                    raise
        raise broken(folder, "it is being replaced again and again")

    def _read_card(self, folder: Path) -> Card:
        if not (folder / CARD).is_file():
            raise CheckpointError(
                f"The folder {str(folder)!r} is no checkpoint: it has no {CARD}.",
                f"Give a folder that `{self.verb}` wrote.",
            )
        card = self._is_card(folder / CARD)
        if not card:
            raise broken(folder, f"{CARD} is not the card of a checkpoint of `{self.verb}`")
        version = card.get("version")
        older = self.upgrade(folder, card) if self.upgrade is not None else None
        if older is not None:
            return older
        if version != self.version:
            raise CheckpointError(
                f"The checkpoint {str(folder)!r} is of version {str(version)[:20]!r}; this allpass reads "
                f"{self.version}.",
                "Use the allpass that wrote it, or a newer one: pip install -U allpass.",
            )
        if card.get("digest") != digest(card):
            raise broken(folder, f"{CARD} was changed after it was written, or is damaged")
        files = card.get("files")
        if not isinstance(files, dict) or "weights" not in files or not all(map(_is_file, files.values())):
            raise broken(folder, f"{CARD} names no files of a checkpoint")
        return card

    def _is_card(self, path: Path) -> Card:
        """The content of a card; empty where it is none of this kind."""
        try:
            card = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return card if isinstance(card, dict) and card.get("format") == self.format else {}

    def _remove_unused(self, folder: Path) -> None:
        """Remove the files that the card does not name, and the folder where there is no card."""
        card = self._is_card(folder / CARD)
        if card and self.upgrade is not None:
            with suppress(CheckpointError):
                card = self.upgrade(folder, card) or card
        used = {CARD, *(file["name"] for file in card.get("files", {}).values())}
        for path in list(folder.iterdir()):
            if path.name not in used and path.suffix == ".safetensors":
                path.unlink(missing_ok=True)
        if not card:
            remove_leftovers(folder)
            with suppress(OSError):  # holds something else
                folder.rmdir()


def read_part(folder: Path, file: Mapping[str, str]) -> dict[str, Tensor]:
    """The tensors of one file of a folder, which must have the content that its card names.

    Args:
        folder: The folder.
        file: The name of the file and the hash of its content, from the card.
    """
    name = file["name"]
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise broken(folder, f"it has no {name}") from error
    if _sha256(content) != file["sha256"]:
        raise broken(folder, f"{name} is damaged, or of another checkpoint than {CARD}")
    try:
        return read_tensors(content)
    except (SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise broken(folder, f"{name} is no safetensors file") from error


def broken(folder: Path, what: str) -> CheckpointError:
    """The error for a folder that cannot be used."""
    return CheckpointError(
        f"The checkpoint {str(folder)!r} cannot be used: {what}.",
        "Train again, or put a whole copy in its place.",
    )


def digest(card: Mapping[str, Any]) -> str:
    """One hash of the card and, as it holds their hashes, of all files."""
    return _sha256(canonical({key: value for key, value in card.items() if key != "digest"}).encode("ascii"))


def _named(part: str, content: bytes) -> dict[str, str]:
    """The name of a file by its content, and the hash of that."""
    found = _sha256(content)
    return {"name": f"{part}-{found[:12]}.safetensors", "sha256": found}


def _is_file(file: object) -> bool:
    """Whether an entry names a file of the folder."""
    words = (file.get("name"), file.get("sha256")) if isinstance(file, dict) else (None,)
    return all(isinstance(word, str) for word in words) and _OURS.fullmatch(str(words[0])) is not None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
