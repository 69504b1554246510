"""The npz files of the GNN benchmark of Shchur et al. 2018: Amazon and Coauthor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from allpass.data.draft import Draft
from allpass.data.readers.arrays import compact_features, one_row_each, simple_edges, whole_labels
from allpass.data.readers.npz import csr_keys, csr_parts, read_npz


def read_gnn_benchmark(paths: Mapping[str, Path]) -> Draft:
    """Read adjacency, features and labels.

    The paper's graphs are undirected while the Amazon files hold some edges in one direction only: both directions
    are written. Text arrays (pickled in the original files) are not read.
    """
    arrays = read_npz(next(iter(paths.values())), (*csr_keys("adj", "attr"), "labels"))
    adjacency = sp.coo_array(csr_parts(arrays, "adj"))
    num_nodes = adjacency.shape[0]
    features = one_row_each(csr_parts(arrays, "attr"), num_nodes, "features")
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(features))
    draft.y = whole_labels(arrays["labels"], num_nodes)
    pairs = np.stack([adjacency.row, adjacency.col])
    draft.edge_index = simple_edges(pairs, num_nodes, draft.account, undirected=True)
    return draft
