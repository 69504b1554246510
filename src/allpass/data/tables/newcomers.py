"""A table of new nodes and a table of edges between them and the nodes of an earlier graph, not yet joined to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.draft import Draft, both_ways, many, some
from allpass.data.repairs.repair import checked
from allpass.data.tables.edge_table import Edges, read_edges, read_with_first_row
from allpass.data.tables.encodings import Encoding, of_kind
from allpass.data.tables.label_column import missing_values
from allpass.data.tables.node_ids import ID_COLUMNS
from allpass.data.tables.node_table import read_nodes
from allpass.data.tables.settle import note_nodes, settle_first_row, starts_with_edge
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError, did_you_mean

_WHOLE = re.compile(r"(-?\d+)\.0+")
OF_TRAININGS = {
    "no-labels",
    "no-features",
    "missing-labels",
    "constant-features",
    "one-class",
    "one-node-classes",
    "many-classes",
    "label-leaks",
    "stored-once",
    "undirected",
}
"""Notes on what matters for a training, not for a prediction."""


@dataclass(frozen=True)
class Newcomers:
    """New nodes, and edges by id.

    Args:
        nodes: The new nodes, without edges.
        ids: An id for each end of an edge; the same one may stand twice.
        edges: ``[2, E]`` places in ``ids``.
        weight: ``[E]``, or nothing.
    """

    nodes: Data
    ids: list[str]
    edges: NDArray[np.int64]
    weight: NDArray[np.float64] | None

    @property
    def account(self) -> Account:
        """What was found in both tables."""
        account: Account = self.nodes.account
        return account

    def positions(self, known: dict[str, int], unknown_nodes: str) -> Newcomers:
        """The same with edges ``[2, E]`` between the nodes that are known, by their number.

        Args:
            known: The number of every node that an edge may lead to, by its id.
            unknown_nodes: What happens to the other edges: ``"error"`` or ``"drop"``.
        """
        ids = [name if name in known else _whole(name) for name in self.ids]
        index = np.array([known.get(name, -1) for name in ids], dtype=np.int64)
        edges = index[self.edges]
        lost = (edges < 0).any(axis=0)
        names = [*dict.fromkeys(ids[place] for place in self.edges[:, lost].T.flatten())]
        unknown = [name for name in names if name not in known]
        if unknown and bool((edges < 0).all()):
            raise DataError(
                f"No edge leads to a new node or to one of the training: they name others, such as {unknown[0]!r}.",
                "Give edges that name ids of the new table or of the table of the training.",
            )
        if unknown:
            found = (
                f"{many(int(lost.sum()), 'edge leads', 'edges lead')} to {many(len(unknown), 'node')} that "
                f"{'is' if len(unknown) == 1 else 'are'} neither new nor in the training: {some(unknown, 3)}"
            )
            were = "it was" if int(lost.sum()) == 1 else "they were"
            if unknown_nodes == "error":
                raise DataError(
                    f"{found}.",
                    "Add such nodes to the new table, or pass unknown_nodes='drop' to leave these edges out.",
                )
            self.account.add("unknown-nodes", int(lost.sum()), f"{found}; {were} left out.")
        weight = None if self.weight is None else self.weight[~lost]
        return Newcomers(self.nodes, self.ids, edges[:, ~lost], weight)


def read_newcomers(
    nodes: Any,
    edges: Any = None,
    *,
    encodings: Sequence[Encoding],
    known: Collection[str] = (),
    label: str | bool | None = None,
    id_column: str | None = None,
    source_column: str | None = None,
    target_column: str | None = None,
    weight: str | bool | None = None,
    undirected: bool = False,
    task: str | None = None,
    missing_labels: str | Sequence[str] | None = None,
) -> Newcomers:
    """Read a table of new nodes as an earlier table was read, and edges that lead to nodes of both.

    Args:
        nodes: Path of the table of new nodes, or a pandas frame.
        edges: Path of the edge table, or a frame; without it the new nodes stand alone.
        encodings: How the columns of the earlier table were read.
        known: The ids of the earlier table.
        label: As in :func:`~allpass.data.tables.from_tables.from_tables`, and so are the others; by default the label
            of the earlier table where the new one has it, and none otherwise.
        id_column: Column of the ids; by default that of the earlier table.
        source_column: Where edges start.
        target_column: Where edges end.
        weight: Column of edge weights.
        undirected: Each row is an edge both ways.
        task: What the label is.
        missing_labels: Values of the label column that mean "no label".
    """
    table, account = Table(nodes, "table of new nodes"), Account()
    found = Edges(np.zeros((2, 0), dtype=np.int64), [], None)
    if edges is not None:
        edge_table = Table(edges, "edge table")
        found = read_edges(edge_table, source_column, target_column, weight, account)
    settle_first_row(table, found.ids, account)
    label_before = of_kind(encodings, "label")
    if label_before is not None:
        task = task or label_before.format or None
        missing_labels = missing_labels if missing_labels is not None else label_before.values or None
    absent = missing_values(missing_labels)
    draft = read_nodes(
        table,
        account,
        label=False if label is None and label_before is None else label,
        id_column=id_column or _id_column(table, encodings),
        encodings=encodings,
        missing_labels=absent,
        ends=found.ids,
    )
    note_nodes(table, draft, account)
    if edges is not None and starts_with_edge(edge_table, found, {*(draft.node_ids or ()), *known}, account):
        found = read_with_first_row(edge_table, weight, account)
    data = checked(
        draft,
        name="new nodes",
        source="tables",
        task=task,
        signs=True,
        negative=absent is not None,
    )
    if all(
        name != _whole(name) for name in data.node_ids
    ):  # numbers, written by what had an empty cell among them
        data.node_ids = [_whole(name) for name in data.node_ids]
    data.account = Account()
    data.account.extend(note for note in account if note.code not in {*OF_TRAININGS, "no-edges"})
    ways = Draft(data.num_nodes, np.asarray(found.ends, dtype=np.int64), found.weight)
    if undirected:
        both_ways(ways)
    return Newcomers(data, found.ids, ways.edge_index, ways.edge_weight)


def _whole(name: str) -> str:
    """An id such as ``12.0`` as ``12``."""
    found = _WHOLE.fullmatch(name)
    return name if found is None else found[1]


def _id_column(table: Table, encodings: Sequence[Encoding]) -> str:
    """The column of the ids: that of the earlier table, or one that goes by its name."""
    earlier = of_kind(encodings, "id")
    if earlier is not None and earlier.column in table.columns:
        return earlier.column
    taken = {encoding.column for encoding in encodings}
    found = table.find(ID_COLUMNS, [name for name in table.columns if name not in taken])
    if found is None:
        wanted = "" if earlier is None else f" {earlier.column!r}"
        near = "" if earlier is None else did_you_mean(earlier.column, table.columns)
        raise InputError(
            f"The table of new nodes has no id column{wanted}; it has {some(list(table.columns), 4)}.",
            f"Add a column of ids, or name it with id_column=. {near if near.startswith('Did') else ''}".strip(),
        )
    return found
