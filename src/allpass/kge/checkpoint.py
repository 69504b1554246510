"""Embeddings as files that load next year: two tables as safetensors, and a card in JSON that says all the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from allpass.canonical import plain
from allpass.errors import AllpassError
from allpass.kge.catalog import MODELS, create
from allpass.kge.config import TripletConfig
from allpass.kge.embedding import Embedding
from allpass.sealed import Card, Seal, broken

_WORDS: dict[str, type] = {
    "model": str,
    "dim": int,
    "settings": dict,
    "entities": list,
    "relations": list,
    "config": dict,
    "epoch": int,
    "losses": list,
    "curve": list,
    "scores": dict,
    "dataset": str,
}
_SEAL = Seal("allpass embedding", 1, "allpass embed")
_TABLES = ("entities", "relations")


def save(kept: Embedding, folder: str | Path) -> Path:
    """Write a checkpoint, whole or not at all; an older one in its place is replaced.

    Args:
        kept: What to keep.
        folder: The folder to make.

    Returns:
        The folder.
    """
    words = {
        "model": kept.model,
        "dim": kept.network.dim,
        "settings": kept.network.settings,
        "config": asdict(kept.config),
        **{name: getattr(kept, name) for name in ("entities", "relations", "epoch", "losses", "curve")},
        **{name: getattr(kept, name) for name in ("scores", "dataset")},
    }
    tables = {name: getattr(kept.network, name).detach().contiguous() for name in _TABLES}
    return _SEAL.save(folder, plain(words, "embedding"), {"weights": tables})


def check_free(folder: str | Path) -> Path:
    """Raise where no checkpoint may be written; for asking before the work, not after."""
    return _SEAL.check_free(folder)


def load_embedding(folder: str | Path) -> Embedding:
    """Read a checkpoint, and make sure that it is whole and fits its model.

    Args:
        folder: A folder that ``Embedding.save`` or ``allpass embed`` wrote.
    """
    card, tensors = _SEAL.load(folder)
    for name, kind in _WORDS.items():
        if not isinstance(card.get(name), kind) or isinstance(card[name], bool):
            raise broken(Path(folder), f"the card has no sound entry {name!r}")
    wrong = next(_problems(card, tensors), None)
    if wrong:
        raise broken(Path(folder), wrong)
    try:
        return _rebuilt(card, tensors)
    except AllpassError as error:
        raise broken(Path(folder), f"its card says: {error.problem[:160].rstrip('.')}") from error
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise broken(Path(folder), "its card describes no model that can be built here") from error


def _problems(card: Card, tensors: Mapping[str, Tensor]) -> Any:
    """What is wrong with the entries and the tables, before anything is built."""
    if set(tensors) != set(_TABLES):
        yield f"it has the tables {', '.join(sorted(tensors))[:80]}"
        return
    for name in _TABLES:
        names = card[name]
        if not all(isinstance(word, str) for word in names) or len(set(names)) < len(names):
            yield f"the names of its {name} are not different texts"
    if card["dim"] < 1 or tensors["entities"].shape != (len(card["entities"]), card["dim"]):
        yield f"the vectors have the shape {list(tensors['entities'].shape)}"
    for name, table in tensors.items():
        if table.dtype not in (torch.float32, torch.float64) or not bool(torch.isfinite(table).all()):
            yield f"the vectors of {name} are no finite numbers"


def _rebuilt(card: Card, tensors: Mapping[str, Tensor]) -> Embedding:
    config = TripletConfig(**card["config"])
    entry = MODELS[card["model"]]
    network = create(
        entry.name,
        len(card["entities"]),
        len(card["relations"]),
        dim=card["dim"],
        inverse=config.inverse,
        seed=config.seed,
        **card["settings"],
    )
    network.to(tensors["entities"].dtype).load_state_dict(dict(tensors))
    curve = tuple((int(epoch), float(mrr)) for epoch, mrr in card["curve"])
    losses = tuple(float(loss) for loss in card["losses"])
    if not all(map(math.isfinite, losses)):
        raise ValueError("losses are not finite")
    return Embedding(
        entry.name,
        network.eval(),
        tuple(card["entities"]),
        tuple(card["relations"]),
        config,
        card["epoch"],
        losses,
        curve,
        card["scores"],
        card["dataset"],
    )
