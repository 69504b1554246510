"""Trained models as files that load next year: tensors as safetensors, and a card in JSON that says all the rest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as written_tensors
from torch import Tensor
from torch_geometric.data import Data

from allpass.errors import AllpassError, InputError, MissingFileError
from allpass.files import check_folder, locked, remove_leftovers, sync_folder, write_whole
from allpass.train.card import CardError, from_card, to_card, to_tensors
from allpass.train.kept_graph import graph_of_tensors, graph_tensors
from allpass.train.runs.identity import canonical
from allpass.train.trained import Trained

FORMAT = "allpass checkpoint"
VERSION = 2
CARD = "card.json"

_FIRST = "weights.safetensors"  # of version 1
_OURS = re.compile(
    r"card\.json|weights\.safetensors|(weights|graph)-[0-9a-f]{12}\.safetensors|\.allpass-.+\.part"
)
_RETRIES = 10
_UNBUILDABLE = (AttributeError, LookupError, TypeError, ValueError, OverflowError, RuntimeError, MemoryError)


class CheckpointError(AllpassError):
    """A folder is no checkpoint, its files are damaged, or they cannot be written."""


def save(trained: Trained, folder: str | Path) -> Path:
    """Write a checkpoint, whole or not at all; an older one in its place is replaced.

    The card names the other files, and these are named by their content. So a checkpoint is replaced in the moment in
    which its card is: whoever loads it gets the old one or the new one, also where this process is killed.

    Args:
        trained: What to keep. Its graph is written too, where it has one: ``trained.with_graph(data)``.
        folder: The folder to make.

    Returns:
        The folder.
    """
    folder = check_free(folder)
    parts = {"weights": to_tensors(trained)}
    if trained.graph is not None:
        parts["graph"] = graph_tensors(trained.training_graph)
    contents = {name: written_tensors(tensors) for name, tensors in parts.items()}
    files = {name: _named(name, content) for name, content in contents.items()}
    card = {"format": FORMAT, "version": VERSION, **to_card(trained), "files": files}
    card["digest"] = _digest(card)
    text = json.dumps(card, indent=2, ensure_ascii=False)
    try:
        new = not folder.exists()
        folder.mkdir(exist_ok=True)
        with locked(folder):
            try:
                for name, content in contents.items():
                    write_whole(folder / files[name]["name"], content)
                write_whole(folder / CARD, f"{text}\n".encode())
            finally:
                _remove_unused(folder)
        if new:
            sync_folder(folder.absolute().parent)
    except (OSError, InputError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        raise CheckpointError(
            f"The checkpoint {str(folder)!r} cannot be written: {getattr(cause, 'strerror', None) or error}.",
            "Make room, or give another folder; what was there before is there still.",
        ) from error
    return folder


def check_free(folder: str | Path) -> Path:
    """Raise where no checkpoint may be written; for asking before the work, not after."""
    folder = Path(folder)
    check_folder(folder)
    if not folder.absolute().parent.is_dir():
        raise MissingFileError(f"There is no folder {str(folder.parent)!r}.", "Make it first.")
    if folder.is_dir():
        names = sorted(entry.name for entry in folder.iterdir())
        others = [name for name in names if not _OURS.fullmatch(name)]
        if others:
            problem = f"holds {others[0]!r}, which a checkpoint does not"
        elif CARD in names and not _is_card(folder / CARD):
            problem = "is no checkpoint"
        else:
            return folder
        raise InputError(f"The folder {str(folder)!r} {problem}; it stays as it is.", "Give another folder.")
    if folder.is_symlink():  # to nothing
        raise InputError(f"{str(folder)!r} is not the name of a folder.", "Give another one.")
    return folder


def load(folder: str | Path) -> Trained:
    """Read a checkpoint, and make sure that it is whole and fits its model.

    Args:
        folder: A folder that :func:`save` wrote.
    """
    folder = Path(folder)
    if not folder.is_dir():
        problem = "is a file, not the folder of a checkpoint" if folder.exists() else "does not exist"
        raise MissingFileError(f"{str(folder)!r} {problem}.", "Give a folder that `allpass train` wrote.")
    for _ in range(_RETRIES):
        card = _read_card(folder)
        try:
            tensors = _read_tensors(folder, card["files"]["weights"])
            break
        except CheckpointError:  # replaced since its card was read, or damaged
            if _read_card(folder) == card:
                raise
    try:
        trained = from_card(card, tensors)
    except CardError as error:
        raise _broken(folder, str(error)) from error
    except AllpassError as error:
        raise _broken(folder, f"its card says: {error.problem[:160].rstrip('.')}") from error
    except _UNBUILDABLE as error:
        raise _broken(folder, "its card describes no model that can be built here") from error
    graph = card["files"].get("graph")
    return trained if graph is None else replace(trained, graph=GraphFile(folder, graph))


@dataclass(frozen=True)
class GraphFile:
    """The graph of a training in its checkpoint, not read yet.

    Args:
        folder: The checkpoint.
        file: The name of its file and the hash of the content.
    """

    folder: Path
    file: Mapping[str, str]

    def read(self, trained: Trained) -> Data:
        """Read it, and make sure that it is whole and fits the model."""
        tensors = _read_tensors(self.folder, self.file)
        try:
            return graph_of_tensors(
                tensors,
                num_nodes=trained.num_nodes,
                in_channels=trained.in_channels,
                feature_names=trained.feature_names,
                class_names=trained.class_names,
                encodings=trained.encodings,
                name=trained.dataset,
            )
        except _UNBUILDABLE as error:
            raise _broken(self.folder, f"{self.file['name']} is no graph that fits it") from error


def _named(part: str, content: bytes) -> dict[str, str]:
    """The name of a file by its content, and the hash of that."""
    digest = _sha256(content)
    return {"name": f"{part}-{digest[:12]}.safetensors", "sha256": digest}


def _read_card(folder: Path) -> dict[str, Any]:
    if not (folder / CARD).is_file():
        raise CheckpointError(
            f"The folder {str(folder)!r} is no checkpoint: it has no {CARD}.",
            "Give a folder that `allpass train` wrote.",
        )
    card = _is_card(folder / CARD)
    if not card:
        raise _broken(folder, f"{CARD} is not the card of a checkpoint")
    version = card.get("version")
    if version == 1 and version is not True:
        return _of_version_1(folder, card)
    if version != VERSION:
        raise CheckpointError(
            f"The checkpoint {str(folder)!r} is of version {str(version)[:20]!r}; this allpass reads {VERSION}.",
            "Use the allpass that wrote it, or a newer one: pip install -U allpass.",
        )
    if card.get("digest") != _digest(card):
        raise _broken(folder, f"{CARD} was changed after it was written, or is damaged")
    files = card.get("files")
    if not isinstance(files, dict) or "weights" not in files or not all(map(_is_file, files.values())):
        raise _broken(folder, f"{CARD} names no files of a checkpoint")
    return card


def _is_file(file: object) -> bool:
    """Whether an entry names a file of the folder."""
    words = (file.get("name"), file.get("sha256")) if isinstance(file, dict) else (None,)
    return all(isinstance(word, str) for word in words) and _OURS.fullmatch(str(words[0])) is not None


def _of_version_1(folder: Path, card: dict[str, Any]) -> dict[str, Any]:
    """A card from before it had a digest, with what the first ones lack: schema, threshold, hash of the nodes, ..."""
    if not isinstance(card.get("sha256"), str):
        raise _broken(folder, f"{CARD} has no sound entry 'sha256'")
    files = {"weights": {"name": _FIRST, "sha256": card["sha256"]}}
    later: dict[str, Any] = {"encodings": [], "threshold": None, "nodes": "", "estimate": {}, "refit": False}
    return {**later, **card, "files": files}


def _is_card(path: Path) -> dict[str, Any]:
    """The content of a card; empty where it is none."""
    try:
        card = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return card if isinstance(card, dict) and card.get("format") == FORMAT else {}


def _read_tensors(folder: Path, file: Mapping[str, str]) -> dict[str, Tensor]:
    name = file["name"]
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise _broken(folder, f"it has no {name}") from error
    if _sha256(content) != file["sha256"]:
        raise _broken(folder, f"{name} is damaged, or of another checkpoint than {CARD}")
    try:
        return read_tensors(content)
    except (SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise _broken(folder, f"{name} is no safetensors file") from error


def _remove_unused(folder: Path) -> None:
    """Remove the files that the card does not name, and the folder where there is no card."""
    card = _is_card(folder / CARD)
    used = {CARD, *(file["name"] for file in card.get("files", {}).values())}
    if card.get("version") == 1:
        used.add(_FIRST)
    for path in list(folder.iterdir()):
        if path.name not in used and path.suffix == ".safetensors":
            path.unlink(missing_ok=True)
    if not card:
        remove_leftovers(folder)
        with suppress(OSError):  # holds something else
            folder.rmdir()


def _broken(folder: Path, what: str) -> CheckpointError:
    return CheckpointError(
        f"The checkpoint {str(folder)!r} cannot be used: {what}.",
        "Train again, or put a whole copy in its place.",
    )


def _digest(card: Mapping[str, Any]) -> str:
    """One hash of the card and, as it holds their hashes, of all files."""
    return _sha256(canonical({key: value for key, value in card.items() if key != "digest"}).encode("ascii"))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
