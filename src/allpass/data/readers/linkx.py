"""The files of Lim et al. 2021 (LINKX): Facebook100, genius and Deezer-Europe as mat, splits as lists of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.readers.arrays import compact_features, one_row_each, simple_edges, whole_labels
from allpass.data.readers.mat import read_mat
from allpass.data.readers.unpickle import read_pickled_npy
from allpass.data.splits import Split
from allpass.errors import DataError

GENDER = 1
_LARGEST = 2**53
METADATA = ("status", "gender", "major", "second major", "dorm", "year", "high school")


def read_facebook100(paths: Mapping[str, Path]) -> Draft:
    """Friendships of one university; the label is the gender, 0 meaning that it is not stated.

    Every other column of the metadata becomes one indicator for each value it takes, its 0 ("not stated") included,
    as LINKX does. The features are sparse.
    """
    values = read_mat(paths["data.mat"], ("A", "local_info"))
    sources, targets, num_nodes = _adjacency(values["A"])
    stated = one_row_each(np.asarray(values["local_info"]), num_nodes, "metadata")
    if stated.dtype.kind not in "iufb" or not np.isfinite(stated).all() or (stated != np.floor(stated)).any():
        raise DataError(
            "Some metadata in local_info are no whole numbers.", "Write 0 where something is not stated."
        )
    if stated.dtype.kind != "b" and stated.size and not -_LARGEST <= stated.min() <= stated.max() <= _LARGEST:
        raise DataError(
            f"Some metadata in local_info are beyond {_LARGEST:,}, where whole numbers become equal.",
            "Check the file; codes are small numbers.",
        )
    metadata = stated.astype(np.int64)
    if metadata.ndim != 2 or metadata.shape[1] != len(METADATA):
        raise DataError(
            f"The metadata have the shape {list(metadata.shape)}.",
            f"Expected {len(METADATA)} columns: {', '.join(METADATA)}.",
        )
    blocks, names, origins = [], [], []
    for column, meaning in enumerate(METADATA):
        if column == GENDER:
            continue
        found, code = np.unique(metadata[:, column], return_inverse=True)
        ones = np.ones(num_nodes, np.float32)
        blocks.append(sp.csr_array((ones, (np.arange(num_nodes), code)), (num_nodes, found.size)))
        names += [f"{meaning} {value}" for value in found]
        origins += [meaning] * found.size
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=sp.csr_array(sp.hstack(blocks, format="csr")))
    draft.feature_names, draft.origins = names, origins
    draft.y = whole_labels(metadata[:, GENDER] - 1, num_nodes)
    draft.edge_index = simple_edges(np.stack([sources, targets]), num_nodes, draft.account)
    draft.splits = read_linkx_splits(paths, num_nodes, draft, "linkx")
    return draft


def read_genius(paths: Mapping[str, Path]) -> Draft:
    """The follower graph of genius.com; the label marks the users whose accounts are gone."""
    values = read_mat(paths["data.mat"], ("edge_index", "node_feat", "label"))
    labels = np.asarray(values["label"]).reshape(-1)
    features = one_row_each(np.asarray(values["node_feat"]), labels.size, "features")
    draft = Draft(labels.size, np.empty((2, 0), np.int64), x=compact_features(features))
    draft.y = whole_labels(labels, labels.size)
    draft.edge_index = simple_edges(np.asarray(values["edge_index"]), labels.size, draft.account)
    draft.splits = read_linkx_splits(paths, labels.size, draft, "linkx")
    return draft


def read_deezer_mat(paths: Mapping[str, Path]) -> Draft:
    """Friendships of Deezer's users in Europe; the label is the gender. The features are sparse."""
    values = read_mat(paths["deezer-europe.mat"], ("A", "label", "features"))
    sources, targets, num_nodes = _adjacency(values["A"])
    features = one_row_each(sp.csr_array(values["features"]), num_nodes, "features")
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(features))
    draft.y = whole_labels(values["label"], num_nodes)
    pairs = np.stack([sources, targets])
    draft.edge_index = simple_edges(pairs, num_nodes, draft.account, undirected=True)
    draft.splits = read_linkx_splits(paths, num_nodes, draft, "deezer")
    return draft


def read_linkx_splits(
    paths: Mapping[str, Path], num_nodes: int, draft: Draft, name: str
) -> dict[str, list[Split]]:
    """The splits in ``*-splits.npy``, a pickled list of ``{train, valid, test}``; nothing when it is not there.

    The graph is good without them: a file that cannot be read safely is left out with a note.
    """
    file = next((path for key, path in paths.items() if key.endswith("-splits.npy")), None)
    if file is None:
        return {}
    try:
        stored = np.atleast_1d(read_pickled_npy(file))
        masks = {
            part: np.stack([_mask(split[key], num_nodes) for split in stored], axis=1)
            for part, key in (("train", "train"), ("val", "valid"), ("test", "test"))
        }
        return {name: splits_of_masks(masks, num_nodes, name)}
    except (DataError, KeyError, IndexError, TypeError, ValueError) as error:
        draft.account.add(
            "splits-left-out",
            1,
            f"The stored splits in {file.name} could not be read and were left out: {error}",
            "Draw splits by name instead.",
        )
        return {}


def _mask(nodes: Any, num_nodes: int) -> NDArray[np.bool_]:
    index = np.asarray(nodes)
    if not np.issubdtype(index.dtype, np.integer) or (index.size and index.min() < 0):
        raise ValueError("the sets are not lists of node numbers")
    mask = np.zeros(num_nodes, dtype=bool)
    mask[index] = True
    return mask


def _adjacency(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    if not sp.issparse(matrix) or matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"The adjacency matrix A has the shape {list(getattr(matrix, 'shape', ()))}.",
            "Expected a square sparse matrix; get the file again.",
        )
    stored = sp.coo_array(matrix)
    return stored.row, stored.col, int(stored.shape[0])
