"""The Cora that comes with allpass (see ``embedded/NOTICE``)."""

from __future__ import annotations

from importlib import resources

import numpy as np
import scipy.sparse as sp

from allpass.data.draft import Draft
from allpass.data.readers.arrays import compact_features, simple_edges
from allpass.data.readers.npz import read_npz


def read_embedded_cora() -> Draft:
    """Cora with its papers in the order of their source, which is not Planetoid's; citations in both directions."""
    with resources.as_file(resources.files("allpass.data") / "embedded" / "cora.npz") as path:
        arrays = read_npz(path)
    indices, indptr = arrays["x_indices"].astype(np.int64), arrays["x_indptr"].astype(np.int64)
    x = sp.csr_array((np.ones(indices.size, np.float32), indices, indptr), tuple(arrays["x_shape"].tolist()))
    num_nodes = arrays["y"].size
    draft = Draft(
        num_nodes, np.empty((2, 0), np.int64), x=compact_features(x), y=arrays["y"].astype(np.int64)
    )
    draft.edge_index = simple_edges(arrays["edges"], num_nodes, draft.account, undirected=True)
    draft.node_ids = [str(number) for number in arrays["node_ids"]]
    return draft
