"""A graph on its way in: plain arrays, not yet checked, and the step that makes PyG's ``Data`` of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.fingerprint import fingerprint
from allpass.data.splits import MOST_SPLITS, Split
from allpass.data.tables.encodings import Encoding
from allpass.data.tables.roles import Role
from allpass.errors import DataError

Array = NDArray[Any]


@dataclass
class Draft:
    """What a reader found, before the checks of :mod:`allpass.data.repairs.repair`.

    Args:
        num_nodes: Number of nodes N.
        edge_index: ``[2, E]`` integers, sources above targets.
        edge_weight: ``[E]``, or nothing for a graph without weights.
        x: Features ``[N, F]``, dense or SciPy CSR, or nothing.
        y: Labels ``[N]`` as they were found (numbers, text, missing), or nothing.
        precise: Whether sparse features keep float64.
        splits: Splits that came with the data, by name.
        feature_names: A name for each column of x.
        origins: For each column of x the column of the source it was made from.
        categories: Columns of the source that were spread over several columns of x, as codes ``[N]``.
        missing_labels: Values that were read as a missing label, and how often each was found.
        label: The name of the label column.
        class_names: A name for each class, when the source states them.
        node_ids: The source's own names of the nodes.
        ids_from: Where a table's ids come from, for messages: ``"the column 'id'"``.
        better_ids: A question that names a column with more ids of the edges; empty when there is none.
        roles: What each column of the tables was taken for.
        encodings: How each column of the node table was read.
        read_as_before: Whether these are the encodings of an earlier table.
        account: What is known so far.
    """

    num_nodes: int
    edge_index: Array
    edge_weight: Array | None = None
    x: Any = None
    y: Array | None = None
    precise: bool = False
    splits: dict[str, list[Split]] = field(default_factory=dict)
    feature_names: list[str] | None = None
    origins: list[str] | None = None
    categories: dict[str, Array] = field(default_factory=dict)
    missing_labels: dict[str, int] = field(default_factory=dict)
    label: str | None = None
    class_names: list[str] | None = None
    node_ids: list[str] | None = None
    ids_from: str = ""
    better_ids: str = ""
    roles: tuple[Role, ...] = ()
    encodings: tuple[Encoding, ...] = ()
    read_as_before: bool = False
    account: Account = field(default_factory=Account)


def many(count: int, noun: str, plural: str = "") -> str:
    """``1 edge``, ``1,234 edges``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def some(items: list[str], limit: int = 5) -> str:
    """The first few items, quoted, and how many more there are."""
    shown = ", ".join(repr(item) for item in items[:limit])
    return shown + (f" and {len(items) - limit:,} more" if len(items) > limit else "")


def splits_of_masks(masks: dict[str, Array], num_nodes: int, name: str = "stored") -> list[Split]:
    """Splits from three masks ``[N]`` or ``[N, S]``, named ``train``, ``val`` and ``test``."""
    columns = {}
    for part in ("train", "val", "test"):
        mask = np.asarray(masks[part]) if part in masks else np.zeros(num_nodes, dtype=bool)
        if mask.ndim not in (1, 2) or mask.shape[0] != num_nodes:
            raise DataError(
                f"The {part} mask has the shape {list(mask.shape)}.",
                f"Expected [{num_nodes}] or [{num_nodes}, splits]: one row for each node.",
            )
        if mask.dtype.kind not in "biuf":
            raise DataError(f"The {part} mask is of the type {mask.dtype}.", "Expected true or false.")
        if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
            raise DataError(f"The {part} mask holds values other than 0 and 1.", "Expected true or false.")
        columns[part] = torch.from_numpy(mask.astype(bool).reshape(num_nodes, *mask.shape[1:] or (1,)))
    widths = {part: mask.shape[1] for part, mask in columns.items() if part in masks}
    if len(set(widths.values())) > 1:
        raise DataError(f"The masks hold different numbers of splits: {widths}.", "Expected the same number.")
    count = next(iter(widths.values()), 0)
    if count == 0:
        return []
    if count > MOST_SPLITS:
        raise DataError(
            f"The masks hold {count:,} splits.", f"Expected at most {MOST_SPLITS:,}: one column each."
        )
    train, val, test = (mask.expand(num_nodes, count) for mask in columns.values())
    return [
        Split(train[:, k].clone(), val[:, k].clone(), test[:, k].clone(), name=f"{name}/{k}")
        for k in range(count)
    ]


def both_ways(draft: Draft) -> None:
    """Add the way back of every edge that is not a self-loop."""
    apart = draft.edge_index[0] != draft.edge_index[1]
    draft.edge_index = np.concatenate([draft.edge_index, draft.edge_index[::-1, apart]], axis=1)
    if draft.edge_weight is not None:
        draft.edge_weight = np.concatenate([draft.edge_weight, draft.edge_weight[apart]])


def assemble(draft: Draft, *, name: str, source: str) -> Data:
    """The draft, already checked, in the standard form every loaded graph has."""
    data = Data(edge_index=_tensor(draft.edge_index))
    data.num_nodes = draft.num_nodes
    if draft.edge_weight is not None:
        data.edge_weight = _tensor(draft.edge_weight)
    if draft.x is not None:
        data.x = sparse_tensor(draft.x, precise=draft.precise) if sp.issparse(draft.x) else _tensor(draft.x)
    if draft.y is not None:
        data.y = _tensor(draft.y)
    for key in ("feature_names", "class_names", "node_ids"):
        if (names := getattr(draft, key)) is not None:
            setattr(data, key, list(names))
    data.name = name
    data.source = source
    data.fingerprint = fingerprint(data)
    data.account = draft.account
    data.stored_splits = draft.splits
    for key in ("roles", "encodings"):
        if found := getattr(draft, key):
            setattr(data, key, found)
    return data


def sparse_tensor(matrix: Any, *, precise: bool = False) -> Tensor:
    """A SciPy sparse matrix as a torch CSR tensor of float32, or of float64."""
    csr = sp.csr_array(matrix)
    csr.sort_indices()
    return torch.sparse_csr_tensor(
        torch.from_numpy(csr.indptr.astype(np.int64)),
        torch.from_numpy(csr.indices.astype(np.int64)),
        torch.from_numpy(csr.data.astype(np.float64 if precise else np.float32)),
        size=csr.shape,
        check_invariants=False,
    )


def _tensor(array: Array) -> Tensor:
    """The array as a tensor; torch wants memory that may be written."""
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))
