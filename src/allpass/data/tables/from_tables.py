"""An edge table and a node table (CSV, TSV, Parquet or pandas frames) as one graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.arguments import whole_number
from allpass.data.draft import Draft, both_ways, many, some, splits_of_masks
from allpass.data.repairs.repair import checked
from allpass.data.tables.columns import unfilled
from allpass.data.tables.edge_table import Edges, read_edges, read_with_first_row
from allpass.data.tables.encodings import Encoding, of_kind
from allpass.data.tables.label_column import missing_values
from allpass.data.tables.node_masks import PARTS
from allpass.data.tables.node_table import Columns, read_nodes
from allpass.data.tables.settle import note_nodes, settle_first_row, settle_index, starts_with_edge
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError

Array = NDArray[Any]


class UnknownNodesError(DataError):
    """Edges lead to nodes that the node table does not have."""


def from_tables(
    edges: Any,
    nodes: Any = None,
    *,
    label: str | bool | None = None,
    features: Columns = None,
    id_column: str | bool | None = None,
    drop: Columns = None,
    numbers: Columns = None,
    categories: Columns = None,
    text: Columns = None,
    encodings: Sequence[Encoding] | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    weight: str | bool | None = None,
    undirected: bool = False,
    unknown_nodes: str = "error",
    nan: str = "median",
    max_categories: int = 50,
    missing_labels: str | Sequence[str] | None = None,
    task: str | None = None,
    name: str = "tables",
) -> Data:
    """Read a graph from an edge table and a node table.

    Columns are found by name where they are not given: edges in ``source, target`` (or ``src, dst``,
    ``from, to``, ``u, v``, else the first two), weights in ``weight``, node ids in ``id`` (or ``node``,
    ``node_id``, else the column that holds most ids of the edges, else the row number), labels in ``label``
    (or ``y``, ``class``, ``target``), masks in ``train, val, test`` (or ``train_mask``, ...) or one column ``split``.
    Every other column of the node table is a feature: numbers stay, dates become seconds since 1970, text becomes one
    0/1 column a value. Columns that look like ids or free text are left out. ``data.roles`` says what each column was
    taken for, and why.

    Args:
        edges: Path of the edge table, or a pandas frame.
        nodes: Path of the node table, or a frame; without it the nodes are those that the edges name.
        label: Label column; ``False`` for a graph without labels.
        features: Feature columns, one name or several; by default every column that is nothing else.
        id_column: Column of the node ids, text or numbers; ``False`` to go by row numbers.
        drop: Columns to leave out.
        numbers: Columns to use as numbers, whatever they look like.
        categories: Columns to spread over one 0/1 column a value, also of numbers.
        text: Columns of text to use by their words: TF-IDF of the 2,000 most frequent ones. The vocabulary comes from
            all rows of the table, test nodes included.
        encodings: ``data.encodings`` of an earlier table, or ``trained.encodings`` of a model, to read this one in
            the same way: the same features in the same order, the same id and label. A value that did not occur there
            is 0 in all columns of its category, what is missing gets the fill of that table, other columns are left
            out, and the label may be absent. Notes say so.
        source_column: Where edges start.
        target_column: Where edges end.
        weight: Column of edge weights; ``False`` to ignore one called ``weight``.
        undirected: Each row is an edge both ways; by default edges have the direction they are written in.
        unknown_nodes: Edges to ids that the node table does not have: ``"error"``, ``"drop"`` the edges, or
            ``"add"`` the nodes, without label and with features 0.
        nan: Missing numbers among the features: ``"median"`` with a 0/1 column that says where, ``"zero"``,
            ``"mean"`` or ``"error"``.
        max_categories: Text columns with more different values are left out.
        missing_labels: Values of the label column that mean "no label", as a list or as text with commas. By default
            NA, N/A, NaN, null and None, and a negative number where it is the only one; ``""`` makes classes of all.
            An empty cell is always a missing label.
        task: ``"classification"`` or ``"regression"``. By default more than 20 different numbers are a regression,
            unless they are codes 0 to K - 1 or 1 to K.
        name: The graph's name.

    Example:
        >>> import pandas as pd
        >>> edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
        >>> nodes = pd.DataFrame({"id": ["a", "b", "c"], "age": [3, 5, 4], "label": ["x", "y", "x"]})
        >>> data = from_tables(edges, nodes)
        >>> data.edge_index.tolist(), data.y.tolist(), data.class_names
        ([[0, 1], [1, 2]], [0, 1, 0], ['x', 'y'])
    """
    if unknown_nodes not in ("error", "drop", "add"):
        raise InputError(f"Got unknown_nodes={unknown_nodes!r}.", "Expected 'error', 'drop' or 'add'.")
    label_before = of_kind(encodings or (), "label")
    if label_before is not None:
        task = task or label_before.format or None
        missing_labels = missing_labels if missing_labels is not None else label_before.values or None
    absent = missing_values(missing_labels)
    edge_table, edge_notes, account = Table(edges, "edge table"), Account(), Account()
    found = read_edges(edge_table, source_column, target_column, weight, edge_notes)
    if nodes is None:
        named = {"label": label, "features": features, "id_column": id_column, "drop": drop}
        named["missing_labels"] = missing_labels
        named |= {"numbers": numbers, "categories": categories, "text": text}
        for option, value in named.items():
            if value:
                raise InputError(f"Got {option}={value!r} but no node table.", "Pass nodes= as well.")
        starts_with_edge(edge_table, found, None, edge_notes)
        draft = _bare_nodes(found.ids, account)
    else:
        node_table = Table(nodes, "node table")
        settle_first_row(node_table, found.ids, account)
        draft = read_nodes(
            node_table,
            account,
            label=label,
            features=features,
            id_column=settle_index(node_table, found.ids) if id_column is None else id_column,
            drop=drop,
            numbers=numbers,
            categories=categories,
            text=text,
            encodings=encodings,
            nan=nan,
            max_categories=whole_number("max_categories", max_categories, least=1),
            missing_labels=absent,
            ends=found.ids,
        )
        note_nodes(node_table, draft, account)
        if starts_with_edge(edge_table, found, set(draft.node_ids or ()), edge_notes):
            edge_notes = Account()
            found = read_with_first_row(edge_table, weight, edge_notes)
        draft.roles = (*draft.roles, *found.roles)
    account.extend(edge_notes)
    edge_index = _positions(draft, found, unknown_nodes)[found.ends]
    known = (edge_index >= 0).all(axis=0)
    draft.edge_index = edge_index[:, known]
    draft.edge_weight = None if found.weight is None else found.weight[known]
    if undirected:
        both_ways(draft)
    negative = absent is not None
    return checked(
        draft, name=name, source="tables", nan=unfilled(nan), task=task, signs=True, negative=negative
    )


def _bare_nodes(ids: list[str], account: Account) -> Draft:
    unique = list(dict.fromkeys(ids))
    if all(text.isascii() and text.isdigit() and len(text) < 20 for text in unique):
        unique.sort(key=int)
    account.add(
        "no-node-table", len(unique), f"There is no node table: the edges name {many(len(unique), 'node')}."
    )
    return Draft(len(unique), np.zeros((2, 0), dtype=np.int64), node_ids=unique, account=account)


def _positions(draft: Draft, edges: Edges, unknown_nodes: str) -> Array:
    """For each id its node, -1 for one to drop; adds nodes to the draft when asked to."""
    import pandas as pd

    ids, ends = edges.ids, edges.ends
    assert draft.node_ids is not None
    index = pd.Index(draft.node_ids, dtype=object).get_indexer(pd.Index(ids, dtype=object)).astype(np.int64)
    used = np.zeros(len(ids), dtype=bool)
    used[ends] = True
    unknown = list(dict.fromkeys(ids[place] for place in np.flatnonzero((index < 0) & used).tolist()))
    if not unknown:
        return index
    count = int((index[ends] < 0).any(axis=0).sum())
    # No end is known, or no edge would be left and nobody asked for that: that is never what was meant.
    if (index[ends] < 0).all() or (count == ends.shape[1] and unknown_nodes == "error"):
        raise UnknownNodesError(
            f"Every edge leads to nodes that the node table does not have: there nodes go by {draft.ids_from} "
            f"(such as {draft.node_ids[0]!r}), and the edges name others (such as {unknown[0]!r}).",
            draft.better_ids
            or "Name the column of ids with id_column=, or those of the edge table with source_column= and "
            "target_column=.",
        )
    found = (
        f"{many(count, 'edge leads', 'edges lead')} to {many(len(unknown), 'node')} that the node table does not "
        f"have: {some(unknown)}"
    )
    if unknown_nodes == "error":
        cure = (
            "Add the nodes to the node table, or pass unknown_nodes='drop' to leave these edges out or "
            "unknown_nodes='add' to add the nodes without label and features."
        )
        raise UnknownNodesError(f"{found}.", f"{draft.better_ids} {cure}".strip())
    if unknown_nodes == "drop":
        draft.account.add("unknown-nodes", count, f"{found}; these edges were left out.", draft.better_ids)
        return index
    draft.account.add(
        "unknown-nodes",
        len(unknown),
        f"{found}; these nodes were added, without label and with features 0.",
        draft.better_ids,
    )
    _add_nodes(draft, unknown)
    return _positions(draft, edges, unknown_nodes)


def _add_nodes(draft: Draft, ids: list[str]) -> None:
    extra = len(ids)
    draft.node_ids = [*(draft.node_ids or []), *ids]
    if draft.x is not None:
        zeros = np.zeros((extra, draft.x.shape[1]), dtype=draft.x.dtype)
        draft.x = (
            sp.vstack([draft.x, zeros], "csr") if sp.issparse(draft.x) else np.concatenate([draft.x, zeros])
        )
    if draft.y is not None:
        draft.y = np.concatenate([draft.y.astype(object), np.full(extra, None)])
    draft.categories = {
        name: np.append(codes, [codes.max() + 1] * extra) for name, codes in draft.categories.items()
    }
    masks = {
        part: np.append(getattr(split, part).numpy(), np.zeros(extra, dtype=bool))
        for split in draft.splits.get("stored", [])
        for part in PARTS
    }
    draft.num_nodes += extra
    if masks:
        draft.splits = {"stored": splits_of_masks(masks, draft.num_nodes)}
