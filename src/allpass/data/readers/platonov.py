"""The npz files of Platonov et al. 2023: five heterophilous sets, and Chameleon and Squirrel without duplicates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.arrays import compact_features, one_row_each, simple_edges, whole_labels
from allpass.data.readers.npz import read_npz
from allpass.errors import DataError

KEYS = ("node_features", "node_labels", "edges", "train_masks", "val_masks", "test_masks")


def read_platonov(paths: Mapping[str, Path], *, directed: bool = False, split: str = "platonov") -> Draft:
    """Read one npz file.

    Args:
        paths: The file, by its name.
        directed: The edges are directed; otherwise the file holds each undirected edge once.
        split: Name of the ten stored splits.
    """
    arrays = read_npz(next(iter(paths.values())), KEYS)
    num_nodes = arrays["node_labels"].size
    features = one_row_each(arrays["node_features"], num_nodes, "features")
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(features))
    draft.y = whole_labels(arrays["node_labels"], num_nodes)
    draft.edge_index = simple_edges(arrays["edges"].T, num_nodes, draft.account, undirected=not directed)
    masks = {part: arrays[f"{part}_masks"].T for part in ("train", "val", "test")}
    draft.splits[split] = splits_of_masks(masks, num_nodes, split)
    return draft


def read_texas_4(paths: Mapping[str, Path]) -> Draft:
    """Texas without its class of one node: the node stays, its label is missing, the classes are renumbered."""
    draft = read_platonov(paths)
    assert draft.y is not None
    counts = np.bincount(draft.y)
    if (counts == 1).sum() != 1:
        raise DataError(
            f"Expected one class of a single node, found {(counts == 1).sum()}.", "Get the file again."
        )
    number = np.cumsum(counts > 1) - 1
    draft.y = np.where(counts[draft.y] == 1, -1, number[draft.y])
    return draft
