"""The ids of nodes: the column that was named, the one that meets the ids of the edges, or the row number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.tables.edge_table import id_texts
from allpass.data.tables.roles import says_id
from allpass.data.tables.tabular import Table
from allpass.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

ID_COLUMNS = ("id", "node", "node_id", "nodeid")


@dataclass(frozen=True)
class NodeIds:
    """The ids of the rows of a node table.

    Args:
        ids: A different text for each row.
        column: The column they come from; nothing for row numbers.
        reason: Why that column.
        better: A question that names a column with more of the ids of the edges; empty when there is none.
        frame: The table, with that column read as text.
    """

    ids: list[str]
    column: str | None
    reason: str
    better: str
    frame: pd.DataFrame

    @property
    def source(self) -> str:
        """Where they come from, in words."""
        return "the row number, from 0" if self.column is None else f"the column {self.column!r}"


def find_ids(
    table: Table,
    frame: pd.DataFrame,
    account: Account,
    *,
    named: str | None,
    reason: str,
    free: Sequence[str],
    ends: Sequence[str],
) -> NodeIds:
    """The ids of all rows.

    Args:
        table: The node table.
        frame: Its rows, with ``named`` or else the first column read as text.
        account: Where the notes go.
        named: The id column, when it was named or goes by its name.
        reason: Why it is the id column.
        free: Columns that may hold ids when none is named.
        ends: The ids that the edges name.
    """
    wanted = set(ends)
    column = named
    if named is None and free:
        column, reason = _guessed(table, frame, free, wanted)
    read = named or table.columns[0]
    if column != read:
        frame = table.read([] if column is None else [column])
    if column is None:
        ids = [str(row) for row in range(len(frame))]
        account.add("row-numbers", len(ids), "There is no id column: nodes go by their row number, from 0.")
    else:
        ids = _unique_ids(table, frame[column])
        guessed = named is None and not says_id(column) and all(text.isdecimal() for text in ids)
        account.add(
            "guessed-ids",
            int(guessed),
            f"The numbers in the column {column!r} were taken as the node ids: it {reason}.",
            "Name another column with id_column=, or pass id_column=False to go by row numbers and use the column "
            "as a feature.",
        )
    found = len(wanted.intersection(ids))
    better = _better(table, frame, column, found, wanted) if found < len(wanted) else ""
    return NodeIds(ids, column, reason, better, frame)


def _guessed(
    table: Table, frame: pd.DataFrame, free: Sequence[str], wanted: set[str]
) -> tuple[str | None, str]:
    """The column that holds most ids of the edges, repeats or not, and why; nothing for row numbers.

    Only the first column wins a tie with the row numbers: a column of small numbers further on is a feature.
    """
    first, rows = table.columns[0], _rows(frame, wanted)
    scores = _scores(table, frame, free, wanted)
    if scores:
        best = max(scores, key=lambda name: scores[name])
        if scores[best] >= (max(rows, 1) if best == first else rows + 1):
            return best, f"holds {scores[best]:,} of the {len(wanted):,} ids of the edges"
    if not rows and first in free and _identifies(frame[first]):
        return first, "is the first column, and all its values differ"
    return None, ""


def _better(table: Table, frame: pd.DataFrame, column: str | None, found: int, wanted: set[str]) -> str:
    """A question that names a column, or the row numbers, with more ids of the edges than were found."""
    scores = _scores(table, frame, [name for name in table.columns if name != column], wanted)
    rows = 0 if column is None else _rows(frame, wanted)
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is not None and scores[best] > found and scores[best] >= rows:
        return f"Did you mean id_column={best!r}?"
    return "Did you mean id_column=False (row numbers)?" if rows > found else ""


def _scores(table: Table, frame: pd.DataFrame, columns: Sequence[str], wanted: set[str]) -> dict[str, int]:
    """How many ids of the edges each column holds that looks like ids."""
    likely = [name for name in columns if wanted and _mostly_differs(frame[name].dropna())]
    texts = table.read(likely) if likely else frame
    return {name: len(wanted.intersection(id_texts(texts[name].dropna(), table.title)[1])) for name in likely}


def _rows(frame: pd.DataFrame, wanted: set[str]) -> int:
    """How many ids of the edges are row numbers."""
    return len(wanted.intersection(map(str, range(len(frame)))))


def _identifies(column: pd.Series[Any]) -> bool:
    """Whether a first column that is not called id can be one: every value is there, differs, and is no fraction."""
    return not column.isna().any() and bool(column.is_unique) and _is_whole(column)


def _mostly_differs(column: pd.Series[Any]) -> bool:
    """Whether a column looks like ids with some repeats."""
    try:
        return bool(2 * column.nunique() > len(column)) and _is_whole(column)
    except TypeError:  # lists and the like are no ids
        return False


def _is_whole(column: pd.Series[Any]) -> bool:
    """Whether no value is a fraction, if all are numbers."""
    import pandas as pd

    numbers = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(np.float64)
    return bool(np.isnan(numbers).any() or (numbers == np.floor(numbers)).all())


def _unique_ids(table: Table, column: pd.Series[Any]) -> list[str]:
    codes, texts = id_texts(column, table.title)
    ids = np.array(texts, dtype=object)[codes]
    unique, counts = np.unique(ids, return_counts=True)
    if unique.size < ids.size:
        repeated = unique[counts > 1].tolist()
        raise DataError(
            f"{many(len(repeated), 'node id stands', 'node ids stand')} in several rows of {table.title}: "
            f"{some(repeated)}.",
            "Expected one row for each node; remove the repeats, or name another column with id_column=.",
        )
    return [str(text) for text in ids]
