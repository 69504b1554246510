"""Trained models as files that load next year: weights as safetensors, and a card in JSON that says all the rest."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any
from uuid import uuid4

from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as written_tensors
from torch import Tensor

from allpass.data.tables.encodings import Encoding
from allpass.errors import AllpassError, InputError, MissingFileError
from allpass.models.catalog import resolve
from allpass.train import network
from allpass.train.rare import Threshold
from allpass.train.runs.identity import plain
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained, known_fills

FORMAT = "allpass checkpoint"
VERSION = 1
CARD, WEIGHTS = "card.json", "weights.safetensors"

_LABELS = "training/labels"  # no parameter has a name with a slash
_WORDS: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "settings": dict,
    "in_channels": int,
    "out_channels": int,
    "num_nodes": int,
    "task": str,
    "score": str,
    "scaler": dict,
    "undirected": bool,
    "units": (dict, NoneType),
    "class_names": (list, NoneType),
    "feature_names": (list, NoneType),
    "fills": dict,
    "scores": dict,
    "dataset": str,
    "fingerprint": str,
    "split": str,
    "seed": int,
    "epoch": (int, NoneType),
    "versions": dict,
}
_ENCODINGS = "encodings"  # cards of older versions have none


class CheckpointError(AllpassError):
    """A folder is no checkpoint, its files are damaged, or they cannot be written."""


def save(trained: Trained, folder: str | Path) -> Path:
    """Write a checkpoint, whole or not at all; an older one in its place is replaced.

    Args:
        trained: What to keep.
        folder: The folder to make.

    Returns:
        The folder.
    """
    folder = check_free(folder)
    tensors = {name: value.contiguous() for name, value in trained.weights.items()}
    if trained.labels is not None:
        tensors[_LABELS] = trained.labels
    weights = written_tensors(tensors)
    card = {"format": FORMAT, "version": VERSION, **to_card(trained), "sha256": _sha256(weights)}
    draft = folder.with_name(f".{folder.name}.{uuid4().hex}.part")
    try:
        draft.mkdir()
        (draft / WEIGHTS).write_bytes(weights)
        (draft / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        _put(draft, folder)
    except OSError as error:
        raise CheckpointError(
            f"The checkpoint {str(folder)!r} cannot be written: {error.strerror}.",
            "Make room, or give another folder; what was there before is there still.",
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def check_free(folder: str | Path) -> Path:
    """Raise where no checkpoint may be written; for asking before the work, not after."""
    folder = Path(folder)
    if not folder.absolute().parent.is_dir():
        raise MissingFileError(f"There is no folder {str(folder.parent)!r}.", "Make it first.")
    if folder.is_dir():
        others = sorted({entry.name for entry in folder.iterdir()} - {CARD, WEIGHTS})
        ours = not any(folder.iterdir()) or _is_card(folder / CARD)
        if others or not ours:
            held = f"holds {others[0]!r}, which a checkpoint does not" if others else "is no checkpoint"
            raise InputError(f"The folder {str(folder)!r} {held}; it stays as it is.", "Give another folder.")
    elif folder.exists() or not folder.name:
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
    for name in (CARD, WEIGHTS):
        if not (folder / name).is_file():
            raise CheckpointError(
                f"The folder {str(folder)!r} is no checkpoint: it has no {name}.",
                "Give a folder that `allpass train` wrote.",
            )
    card = _read_card(folder)
    tensors = _read_weights(folder, card)
    labels = tensors.pop(_LABELS, None)
    try:
        trained = Trained(
            **{
                **{key: card[key] for key in _WORDS},
                "settings": {key: _frozen(value) for key, value in card["settings"].items()},
                "scaler": Scaler.from_dict(card["scaler"]),
                "units": None if card["units"] is None else Scaler.from_dict(card["units"]),
                "class_names": _frozen(card["class_names"]),
                "feature_names": _frozen(card["feature_names"]),
                "threshold": None if card.get("threshold") is None else Threshold(**card["threshold"]),
                "nodes": str(card.get("nodes") or ""),
                "fills": {name: float(value) for name, value in card["fills"].items()},
                "encodings": tuple(map(Encoding.from_dict, card.get(_ENCODINGS, ()))),
                "scores": {
                    k: math.nan if value is None else float(value) for k, value in card["scores"].items()
                },
            },
            weights=tensors,
            labels=labels,
        )
        encodings = known_fills(trained.encodings, trained.feature_names, trained.fills, trained.scaler)
        trained = replace(trained, encodings=encodings)
        shapes = {
            key: value for key, value in trained.settings.items() if key != "init"
        }  # may need the graph
        entry = resolve(trained.model)[0]
        if entry.is_network:
            expected = network.untrained(trained.model, shapes, **trained.sizes).state_dict()
        else:
            _ = trained.network  # which checks what it is made of
            expected = tensors
    except (
        AllpassError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        RuntimeError,
        MemoryError,
    ) as error:
        raise _broken(folder, f"its card describes no model that can be built here ({error})") from error
    _check_weights(folder, tensors, expected)
    _check_names(folder, trained)
    return trained


def to_card(trained: Trained) -> dict[str, Any]:
    """Everything but the weights, in the types of JSON; a score that is no number is None."""
    words = {
        **{key: getattr(trained, key) for key in _WORDS},
        "scaler": trained.scaler.to_dict(),
        "units": None if trained.units is None else trained.units.to_dict(),
        _ENCODINGS: [
            encoding.to_dict() for encoding in trained.encodings
        ],  # older cards lack this and the next
        "nodes": trained.nodes,
        "threshold": None if trained.threshold is None else trained.threshold.to_dict(),
        "scores": {key: value if math.isfinite(value) else None for key, value in trained.scores.items()},
    }
    card: dict[str, Any] = plain(words, "checkpoint")
    return card


def _put(draft: Path, folder: Path) -> None:
    """The draft in the place of the folder; what was there goes when it is done, or comes back."""
    if not folder.exists():
        draft.rename(folder)
        return
    old = draft.with_suffix(".old")
    folder.rename(old)
    try:
        draft.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _is_card(path: Path) -> bool:
    try:
        card = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(card, dict) and card.get("format") == FORMAT


def _read_card(folder: Path) -> dict[str, Any]:
    if not _is_card(folder / CARD):
        raise _broken(folder, f"{CARD} is not the card of a checkpoint")
    card: dict[str, Any] = json.loads((folder / CARD).read_bytes())
    if card.get("version") != VERSION:
        raise CheckpointError(
            f"The checkpoint {str(folder)!r} is of version {card.get('version')!r}; this allpass reads {VERSION}.",
            "Use the allpass that wrote it, or a newer one: pip install -U allpass.",
        )
    for key, kind in {**_WORDS, "sha256": str}.items():
        if key not in card or not isinstance(card[key], kind):
            raise _broken(folder, f"{CARD} has no sound entry {key!r}")
    return card


def _read_weights(folder: Path, card: dict[str, Any]) -> dict[str, Tensor]:
    content = (folder / WEIGHTS).read_bytes()
    if _sha256(content) != card["sha256"]:
        raise _broken(folder, f"{WEIGHTS} is damaged, or of another checkpoint than {CARD}")
    try:
        return read_tensors(content)
    except (SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise _broken(folder, f"{WEIGHTS} is no safetensors file ({error})") from error


def _check_weights(folder: Path, found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        have, want = (None if name not in side else list(side[name].shape) for side in (found, expected))
        if have != want:
            told = [
                f"a tensor of shape {shape}" if shape is not None else "nothing" for shape in (have, want)
            ]
            raise _broken(folder, f"{WEIGHTS} has {told[0]} as {name!r} where its card asks for {told[1]}")


def _check_names(folder: Path, trained: Trained) -> None:
    names, features = trained.class_names, trained.feature_names
    if names is not None and trained.task != "regression" and len(names) < trained.out_channels:
        raise _broken(folder, f"{CARD} names {len(names)} of {trained.out_channels} classes")
    if trained.threshold is not None and trained.num_classes != 2:
        raise _broken(folder, f"{CARD} has a threshold, which is for two classes")
    if features is not None and len(features) != trained.in_channels:
        raise _broken(folder, f"{CARD} names {len(features)} of {trained.in_channels} features")
    if trained.labels is not None and len(trained.labels) != trained.num_nodes:
        raise _broken(folder, f"{WEIGHTS} has labels of another number of nodes than its card")


def _broken(folder: Path, what: str) -> CheckpointError:
    return CheckpointError(
        f"The checkpoint {str(folder)!r} cannot be used: {what}.",
        "Train again, or put a whole copy in its place.",
    )


def _frozen(value: Any) -> Any:
    """JSON has lists alone; settings and names are tuples."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
