"""Planetoid's eight files of a citation graph (Yang et al. 2016): Cora, CiteSeer, PubMed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.arrays import compact_features, simple_edges
from allpass.data.readers.geom_gcn import read_geom_gcn_splits
from allpass.data.readers.unpickle import as_csr, read_pickle
from allpass.errors import DataError

PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
VALIDATION = 500


def read_planetoid(paths: Mapping[str, Path], prefix: str) -> Draft:
    """Read ``ind.PREFIX.x`` and the rest, and the Geom-GCN splits beside them when they are there.

    ``allx`` holds the first nodes; row i of ``tx`` belongs to node ``test.index[i]``. CiteSeer's test indices have
    gaps: those nodes have neither features nor a label. Self-loops stay.
    """
    files = {part: paths[f"ind.{prefix}.{part}"] for part in PARTS}
    test = _test_index(files["test.index"])
    x_all, x_test = (as_csr(read_pickle(files[part]), files[part].name) for part in ("allx", "tx"))
    y_train, y_all, y_test = (_one_hot(files[part]) for part in ("y", "ally", "ty"))
    first, num_nodes = x_all.shape[0], int(test.max()) + 1
    consistent = (
        test.min() >= first
        and np.unique(test).size == test.size == x_test.shape[0] == y_test.shape[0]
        and y_all.shape[0] == first
        and x_all.shape[1] == x_test.shape[1]
        and y_all.shape[1] == y_test.shape[1]
        and y_train.shape[0] + VALIDATION <= num_nodes
    )
    if not consistent:
        raise DataError(
            f"The files ind.{prefix}.* do not fit together.", "Get all eight from one place again."
        )

    rows = np.concatenate([np.arange(first), test])
    place = sp.csr_array(
        (np.ones(rows.size, np.float32), (rows, np.arange(rows.size))), (num_nodes, rows.size)
    )
    x = place @ sp.vstack([x_all, x_test], format="csr").astype(np.float32)
    one_hot = np.vstack([y_all, y_test])
    y = np.full(num_nodes, -1, dtype=np.int64)
    y[rows] = np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1)

    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(x), y=y)
    pairs = _neighbour_lists(files["graph"])
    draft.edge_index = simple_edges(pairs, num_nodes, draft.account, undirected=True)
    index = np.arange(num_nodes)
    masks = {
        "train": index < y_train.shape[0],
        "val": (index >= y_train.shape[0]) & (index < y_train.shape[0] + VALIDATION),
        "test": np.isin(index, test),
    }
    draft.splits["public"] = splits_of_masks(masks, num_nodes, "public")
    draft.splits |= read_geom_gcn_splits(paths, num_nodes)
    return draft


def _test_index(path: Path) -> NDArray[np.int64]:
    try:
        index = np.array(path.read_text(encoding="ascii").split(), dtype=np.int64)
    except ValueError as error:
        raise DataError(f"The file {path.name} is not a list of whole numbers.", "Get it again.") from error
    if not index.size:
        raise DataError(f"The file {path.name} is empty.", "Get it again.")
    return index


def _one_hot(path: Path) -> NDArray[Any]:
    value = read_pickle(path)
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.dtype.hasobject:
        raise DataError(f"The pickle {path.name} holds no table of labels.", "Get the file again.")
    return value


def _neighbour_lists(path: Path) -> NDArray[np.int64]:
    graph = read_pickle(path)
    try:
        lists = {int(node): np.asarray(neighbours, dtype=np.int64) for node, neighbours in graph.items()}
        sources = np.repeat(np.fromiter(lists, np.int64), [near.size for near in lists.values()])
        targets = np.concatenate([near.reshape(-1) for near in lists.values()])
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"The pickle {path.name} holds no neighbour lists: {error}.", "Get the file again."
        ) from error
    return np.stack([sources, targets])
