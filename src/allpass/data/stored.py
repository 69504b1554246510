"""allpass's own file: everything a loaded graph knows, in one ``.npz`` that comes back exactly."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.draft import Draft, splits_of_masks
from allpass.data.splits import Split
from allpass.data.tables.encodings import Encoding, completed
from allpass.data.tables.roles import Role
from allpass.errors import DataError, InputError, MissingFileError
from allpass.files import drafted

Array = NDArray[Any]

KEY = "allpass"  # the array with the JSON text
_NAMES = ("class_names", "feature_names", "node_ids")


def save_npz(data: Data, path: str | Path) -> Path:
    """Write a graph so that ``load(path)`` gives it back: tensors bit for bit, names, splits and notes.

    The file is written whole or not at all, and read without pickles. Its arrays are those of
    :func:`~allpass.data.files.from_npz`, so that NumPy alone can use them too.

    Args:
        data: A graph in the standard form of :func:`~allpass.data.load`.
        path: Where to write; must end in ``.npz``.

    Returns:
        The path.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"Got the file name {path.name!r}.", "Expected one that ends in .npz.")
    if not path.parent.is_dir():
        raise MissingFileError(f"There is no folder {str(path.parent)!r}.", "Make it first.")
    arrays = _arrays(data)
    with drafted(path) as draft, draft.open("xb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
    return path


def restore_words(draft: Draft, arrays: dict[str, Array], path: Path) -> dict[str, Any]:
    """Put names and splits of the JSON text back into the draft; returns the text's entries."""
    damaged = DataError(f"The text {KEY!r} in {path.name} is damaged.", "Save the graph again with save_npz.")
    if arrays[KEY].dtype != np.uint8:
        raise damaged
    try:
        words = json.loads(arrays[KEY].tobytes().decode("utf-8"))
        for key in _NAMES:
            if key in words:
                setattr(draft, key, [str(item) for item in words[key]])
        draft.splits = {
            str(name): _restore_splits(arrays, place, draft.num_nodes, rows)
            for place, (name, rows) in enumerate(words["splits"].items())
        }
        encodings = map(Encoding.from_dict, words.get("encodings", ()))
        draft.encodings = completed([*encodings], draft.feature_names, {})
        draft.roles = tuple(Role(**role) for role in words.get("roles", ()))
        notes = [(str(n["code"]), int(n["count"]), str(n["what"]), str(n["cure"])) for n in words["notes"]]
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise damaged from error
    return {**words, "notes": notes}


def restore_notes(data: Data, words: dict[str, Any]) -> Data:
    """The graph with its old notes first, and of the new ones those that say something new."""
    if words:
        account = Account()
        for code, count, what, cure in words["notes"]:
            account.add(code, count, what, cure)
        known = {note.code for note in account}
        for note in data.account:
            if note.code not in known:
                account.add(note.code, note.count, note.what, note.cure)
        data.account = account
    return data


def _arrays(data: Data) -> dict[str, Array]:
    arrays: dict[str, Array] = {
        "edge_index": data.edge_index.cpu().numpy(),
        "num_nodes": np.array(data.num_nodes, dtype=np.int64),
    }
    x = data.get("x")
    if x is not None and x.layout == torch.strided:
        arrays["x"] = x.detach().cpu().numpy()
    elif x is not None:
        csr = (x.coalesce() if x.layout == torch.sparse_coo else x).to_sparse_csr().detach().cpu()
        arrays["x_data"], arrays["x_indices"] = csr.values().numpy(), csr.col_indices().numpy()
        arrays["x_indptr"], arrays["x_shape"] = (
            csr.crow_indices().numpy(),
            np.array(csr.shape, dtype=np.int64),
        )
    for key in ("y", "edge_weight"):
        if data.get(key) is not None:
            arrays[key] = data[key].detach().cpu().numpy()
    words: dict[str, Any] = {key: list(data[key]) for key in _NAMES if data.get(key) is not None}
    words |= {key: str(data[key]) for key in ("name", "source") if data.get(key) is not None}
    words["regression"] = bool(data.get("y") is not None and data.y.is_floating_point())
    words["encodings"] = [encoding.to_dict() for encoding in data.get("encodings") or ()]
    words["roles"] = [asdict(role) for role in data.get("roles") or ()]
    words["notes"] = data.account.to_list() if isinstance(data.get("account"), Account) else []
    words["splits"] = {}
    for place, (name, splits) in enumerate((data.get("stored_splits") or {}).items()):
        words["splits"][name] = [[split.name, split.seed] for split in splits]
        for part in ("train", "val", "test") if splits else ():
            masks = torch.stack([getattr(split, part) for split in splits], dim=1)
            arrays[_mask_key(place, part)] = masks.cpu().numpy()
    arrays[KEY] = np.frombuffer(json.dumps(words).encode("utf-8"), dtype=np.uint8)
    return arrays


def _mask_key(place: int, part: str) -> str:
    """The first splits have the names that other programs look for."""
    return f"{part}_mask" if place == 0 else f"{part}_mask_{place}"


def _restore_splits(arrays: dict[str, Array], place: int, num_nodes: int, rows: list[Any]) -> list[Split]:
    if not rows:
        return []
    masks = {part: arrays[_mask_key(place, part)] for part in ("train", "val", "test")}
    read = splits_of_masks(masks, num_nodes)
    return [
        Split(split.train, split.val, split.test, str(name), None if seed is None else int(seed))
        for split, (name, seed) in zip(read, rows, strict=True)
    ]
