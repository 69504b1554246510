"""Compact npz files: CSR features, edges in both directions, labels and masks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.arrays import compact_features, one_row_each, simple_edges, whole_labels
from allpass.data.readers.npz import csr_keys, csr_parts, read_npz


def read_compact(paths: Mapping[str, Path], *, split: str = "") -> Draft:
    """Read ``x_data`` .. ``x_shape``, ``edge_index`` and ``y``, and with ``split`` the masks ``[N, splits]`` too."""
    masks = ("train", "val", "test") if split else ()
    keys = (*csr_keys("x"), "edge_index", "y", *(f"{part}_mask" for part in masks))
    arrays = read_npz(next(iter(paths.values())), keys)
    num_nodes = arrays["y"].size
    features = one_row_each(csr_parts(arrays, "x"), num_nodes, "features")
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(features))
    draft.y = whole_labels(arrays["y"], num_nodes)
    draft.edge_index = simple_edges(arrays["edge_index"], num_nodes, draft.account)
    if split:
        stored = {part: arrays[f"{part}_mask"] for part in masks}
        draft.splits[split] = splits_of_masks(stored, num_nodes, split)
    return draft
