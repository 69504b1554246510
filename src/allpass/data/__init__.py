"""Everything that becomes a graph: named datasets, your own tables and objects, generators; and splits."""

from allpass.data.account import Account, Note
from allpass.data.arrays import from_arrays, from_scipy
from allpass.data.convert import from_networkx, from_pyg
from allpass.data.files import from_graphml, from_mat, from_npz
from allpass.data.fingerprint import fingerprint
from allpass.data.generators import (
    borrowed_features,
    contextual_sbm,
    csbm_h,
    fraud_payments,
    house_prices,
    planted_partition,
    random_homophily_graph,
    regular_graph,
    small_clusters_on_large,
)
from allpass.data.load import load
from allpass.data.named.catalog import DATASETS, dataset_table, load_named
from allpass.data.splits import SPLITS, Split, splits
from allpass.data.stored import save_npz
from allpass.data.structural import FEATURES_FROM, with_structural_features
from allpass.data.tables.from_tables import from_tables
from allpass.data.tables.written import save_tables

__all__ = [
    "DATASETS",
    "FEATURES_FROM",
    "SPLITS",
    "Account",
    "Note",
    "Split",
    "borrowed_features",
    "contextual_sbm",
    "csbm_h",
    "dataset_table",
    "fingerprint",
    "fraud_payments",
    "from_arrays",
    "from_graphml",
    "from_mat",
    "from_networkx",
    "from_npz",
    "from_pyg",
    "from_scipy",
    "from_tables",
    "house_prices",
    "load",
    "load_named",
    "planted_partition",
    "random_homophily_graph",
    "regular_graph",
    "save_npz",
    "save_tables",
    "small_clusters_on_large",
    "splits",
    "with_structural_features",
]
