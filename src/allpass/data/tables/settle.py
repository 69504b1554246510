"""What only both tables together can settle: is a first row data or a header, and does an index hold ids?"""

from __future__ import annotations

from collections.abc import Collection

from allpass.data.account import Account
from allpass.data.draft import Draft, some
from allpass.data.tables.edge_table import Edges, id_texts
from allpass.data.tables.layout import is_number
from allpass.data.tables.node_ids import ID_COLUMNS
from allpass.data.tables.tabular import Table
from allpass.errors import DataError

_CURE = "When it is data, write a row of column names above it."


def starts_with_edge(table: Table, edges: Edges, nodes: Collection[str] | None, account: Account) -> bool:
    """Whether the row that was read as the edge table's column names is an edge, as the node ids tell.

    Without a node table (``nodes=None``) that stays open where one of its two words is a node: then it is an error.
    """
    if edges.header is None:
        return False
    words = f"The first row of {table.title} ({some(list(edges.header))}) was read as column names"
    known = [name for name in edges.header if name in (edges.ids if nodes is None else nodes)]
    if nodes is not None:
        account.add("header", int(len(known) == 1), f"{words}, though {some(known)} is a node too.", _CURE)
        return len(known) == 2
    if known:
        raise DataError(
            f"The first row of {table.title} looks like an edge: its {known[0]!r} is an end point in other rows too.",
            "Write a row of column names above it, such as source and target.",
        )
    certain = all(map(is_number, edges.ids)) and not any(map(is_number, edges.header))
    account.add("header", int(not certain), f"{words}.", _CURE)
    return False


def settle_first_row(table: Table, ends: Collection[str], account: Account) -> None:
    """Read a node table's first row 0, 1, 2, ... as the column names that pandas writes, unless it is node 0.

    It is node 0 where edges lead there and no other row starts with 0.
    """
    if table.text is None or not table.headless or not table.text.layout.counted or len(table.columns) < 2:
        return
    first = table.text.read(table.columns[:1], table.columns[:1])[table.columns[0]]
    if "0" in ends and not (first.iloc[1:].str.strip() == "0").any():
        return
    words = table.text.layout.first
    table.text.read_first_row(as_names=True)
    account.add(
        "header", 1, f"The first row of {table.title} ({some(words)}) was read as column names.", _CURE
    )


def settle_index(table: Table, ends: Collection[str]) -> str | None:
    """Make a column of a frame's index without a name when it holds the ids of the edges; the name of that column."""
    index = table.row_names
    if index is None or table.find(ID_COLUMNS) is not None or not index.is_unique:
        return None
    known = set(ends)
    met = len(known.intersection(id_texts(index, table.title)[1]))
    rows = len(known.intersection(map(str, range(len(index)))))
    others = [
        len(known.intersection(map(str, column.unique().tolist())))
        for _, column in table.read([]).items()
        if column.dtype.kind not in "fbM"
    ]
    if not met or met < rows or met <= max(others, default=0):
        return None
    name = "index" if "index" not in table.columns else "index of the rows"
    table.name_rows(name)
    return name


def note_nodes(table: Table, draft: Draft, account: Account) -> None:
    """Note how the node table was read, once its ids are known."""
    for column in table.columns:
        if draft.ids_from == f"the column {column!r}":
            table.refuse_broken_cells(column)
    table.write_notes(account)
    index = table.row_names
    account.add(
        "unnamed-index",
        int(index is not None and "row-numbers" in account),
        f"The index of {table.title} has no name and was ignored: nodes go by their row number.",
        "Name it when it holds the node ids: nodes.rename_axis('id').",
    )
