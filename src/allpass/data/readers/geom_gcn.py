"""Geom-GCN's text files (Pei et al. 2020): WebKB and Film, and the ten split files of every set they prepared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.arrays import compact_features, simple_edges
from allpass.data.readers.npz import read_npz
from allpass.data.splits import Split
from allpass.errors import DataError

NODES, EDGES = "out1_node_feature_label.txt", "out1_graph_edges.txt"


def read_geom_gcn(paths: Mapping[str, Path], *, feature_numbers: bool = False) -> Draft:
    """Read a table of nodes, a table of directed edges and the splits.

    Args:
        paths: The files, by their names.
        feature_numbers: The feature column lists the numbers of the features that are set (Film) instead of a value
            for every feature.
    """
    rows = _table(paths[NODES], 3)
    num_nodes = len(rows)
    ids = _whole([row[0] for row in rows], paths[NODES])
    if not np.array_equal(np.sort(ids), np.arange(num_nodes)):
        raise DataError(
            f"The nodes of {NODES} are not numbered 0 to {num_nodes - 1}, each once.", "Get the file again."
        )
    lists = [_whole(row[1].split(","), paths[NODES]) for row in rows]
    features = _indicators(lists) if feature_numbers else _values(lists)
    x, y = np.empty_like(features), np.empty(num_nodes, dtype=np.int64)
    x[ids], y[ids] = features, _whole([row[2] for row in rows], paths[NODES])

    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(x), y=y)
    pairs = _whole([number for row in _table(paths[EDGES], 2) for number in row], paths[EDGES])
    draft.edge_index = simple_edges(pairs.reshape(-1, 2).T, num_nodes, draft.account)
    draft.splits = read_geom_gcn_splits(paths, num_nodes)
    return draft


def read_geom_gcn_splits(paths: Mapping[str, Path], num_nodes: int) -> dict[str, list[Split]]:
    """The split files among ``paths`` under ``"geom-gcn"``; nothing unless all ten are there."""
    files = sorted(path for name, path in paths.items() if "_split_0.6_0.2_" in name)
    if len(files) < 10:
        return {}
    stored = [read_npz(path, ("train_mask", "val_mask", "test_mask")) for path in files]
    masks = {
        part: np.stack([arrays[f"{part}_mask"].reshape(-1) for arrays in stored], axis=1)
        for part in ("train", "val", "test")
    }
    return {"geom-gcn": splits_of_masks(masks, num_nodes, "geom-gcn")}


def _table(path: Path, columns: int) -> list[list[str]]:
    """The rows of a tab-separated file without its header line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
    except UnicodeDecodeError as error:
        raise DataError(f"The file {path.name} is not text.", "Get it again.") from error
    rows = [line.split("\t") for line in lines if line.strip()]
    for number, row in enumerate(rows, start=2):
        if len(row) != columns:
            raise DataError(
                f"Line {number} of {path.name} has {len(row)} columns.",
                f"Expected {columns}; get the file again.",
            )
    return rows


def _whole(values: list[str], path: Path) -> NDArray[np.int64]:
    try:
        return np.array(values, dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise DataError(
            f"The file {path.name} holds something else than whole numbers.", "Get it again."
        ) from error


def _values(lists: list[NDArray[np.int64]]) -> NDArray[Any]:
    if len({row.size for row in lists}) > 1:
        raise DataError(f"The rows of {NODES} have different numbers of features.", "Get the file again.")
    return np.array(lists, dtype=np.float32)


def _indicators(lists: list[NDArray[np.int64]]) -> NDArray[Any]:
    columns = np.concatenate(lists)
    if columns.min() < 0:
        raise DataError(f"A feature number in {NODES} is negative.", "Get the file again.")
    x = np.zeros((len(lists), int(columns.max()) + 1), dtype=np.float32)
    x[np.repeat(np.arange(len(lists)), [row.size for row in lists]), columns] = 1
    return x
