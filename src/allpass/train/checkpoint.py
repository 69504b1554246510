"""Trained models as files that load next year: tensors as safetensors, and a card in JSON that says all the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from allpass.errors import AllpassError
from allpass.sealed import CARD, Seal, broken, read_part
from allpass.train.card import CardError, from_card, to_card, to_tensors
from allpass.train.kept_graph import graph_of_tensors, graph_tensors
from allpass.train.trained import Trained

_FIRST = "weights.safetensors"  # of version 1
_UNBUILDABLE = (AttributeError, LookupError, TypeError, ValueError, OverflowError, RuntimeError, MemoryError)


def save(trained: Trained, folder: str | Path) -> Path:
    """Write a checkpoint, whole or not at all; an older one in its place is replaced.

    Args:
        trained: What to keep. Its graph is written too, where it has one: ``trained.with_graph(data)``.
        folder: The folder to make.

    Returns:
        The folder.
    """
    check_free(folder)  # before the tensors of a graph are made
    parts = {"weights": to_tensors(trained)}
    if trained.graph is not None:
        parts["graph"] = graph_tensors(trained.training_graph)
    return _SEAL.save(folder, to_card(trained), parts)


def check_free(folder: str | Path) -> Path:
    """Raise where no checkpoint may be written; for asking before the work, not after."""
    return _SEAL.check_free(folder)


def load(folder: str | Path) -> Trained:
    """Read a checkpoint, and make sure that it is whole and fits its model.

    Args:
        folder: A folder that :func:`save` wrote.
    """
    card, tensors = _SEAL.load(folder)
    folder = Path(folder)
    try:
        trained = from_card(card, tensors)
    except CardError as error:
        raise broken(folder, str(error)) from error
    except AllpassError as error:
        raise broken(folder, f"its card says: {error.problem[:160].rstrip('.')}") from error
    except _UNBUILDABLE as error:
        raise broken(folder, "its card describes no model that can be built here") from error
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
        tensors = read_part(self.folder, self.file)
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
            raise broken(self.folder, f"{self.file['name']} is no graph that fits it") from error


def _of_version_1(folder: Path, card: dict[str, Any]) -> dict[str, Any] | None:
    """A card from before it had a digest, with what the first ones lack: schema, threshold, hash of the nodes, ..."""
    if card.get("version") != 1 or card["version"] is True:
        return None
    if not isinstance(card.get("sha256"), str):
        raise broken(folder, f"{CARD} has no sound entry 'sha256'")
    files = {"weights": {"name": _FIRST, "sha256": card["sha256"]}}
    later: dict[str, Any] = {"encodings": [], "threshold": None, "nodes": "", "estimate": {}, "refit": False}
    return {**later, **card, "files": files}


_SEAL = Seal("allpass checkpoint", 2, "allpass train", _of_version_1)
