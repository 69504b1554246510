"""The edge table: which columns edges start and end in, and ids of any kind as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.tables.column_notes import note_spaces
from allpass.data.tables.layout import is_number
from allpass.data.tables.roles import Role, edge_roles
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

EDGE_COLUMNS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("source_id", "target_id"),
    ("from_id", "to_id"),
    ("from_node", "to_node"),
    ("fromnodeid", "tonodeid"),
    ("id_1", "id_2"),
    ("id1", "id2"),
    ("node1", "node2"),
    ("head", "tail"),
)
WEIGHT_COLUMNS = ("weight", "weights", "edge_weight")
_NO_ENDS = (
    *WEIGHT_COLUMNS,
    "id",
    "edge",
    "edge_id",
    "index",
)  # taken for an end by name or as a last resort only


@dataclass(frozen=True)
class Edges:
    """Edges between ids.

    Args:
        ends: ``[2, E]`` places in ``ids``.
        ids: Text of each id; the same one may stand twice.
        weight: ``[E]``, or nothing.
        header: The names of the two columns, where they were read from a text file, are no known names for the ends of
            edges and were not named by the reader: the first row may be an edge.
        roles: What each column was taken for.
    """

    ends: Array
    ids: list[str]
    weight: Array | None
    header: tuple[str, str] | None = None
    roles: tuple[Role, ...] = ()


def read_edges(
    table: Table, source: str | None, target: str | None, weight: str | bool | None, account: Account
) -> Edges:
    """Read the edges; columns that are not named are found by :data:`EDGE_COLUMNS`, else the first two."""
    columns = [column for column in table.columns if not column.startswith("Unnamed:")]
    if len(columns) < 2:
        raise DataError(
            f"Got {many(len(columns), 'column')} in {table.title}: {some(columns)}.",
            "Expected at least two: where edges start and where they end.",
        )
    first, second = _end_columns(table, columns, source, target)
    rest = [column for column in columns if column not in (first, second)]
    weigh = _weight_column(table, rest, weight)
    named = source is not None or target is not None or isinstance(weight, str) or _known(first, second)
    header = None if table.text is None or table.headless or named else (first, second)
    if header is not None and weigh is None and all(is_number(name) for name in header):
        return read_with_first_row(table, weight, account)
    frame = table.read([first, second], [first, second, *([] if weigh is None else [weigh])])
    for column in (first, second):
        table.refuse_broken_cells(column)
    left, left_ids = id_texts(frame[first], table.title)
    right, right_ids = id_texts(frame[second], table.title)
    both = {*left_ids, *right_ids}
    if header is not None and set(header) <= both:
        return read_with_first_row(table, weight, account)
    ignored = [column for column in rest if column != weigh]
    account.add(
        "ignored-edge-columns",
        len(ignored),
        f"Edges were read from {first!r} to {second!r}; other columns were ignored: {some(ignored)}.",
        "Name the columns with source_column=, target_column= and weight= to read others.",
    )
    same = max(len(ids) - len(set(ids)) for ids in (left_ids, right_ids))
    account.add(
        "merged-ids",
        same,
        f"{many(same, 'id differs', 'ids differ')} from another one in {table.title} by type or by spaces around it "
        "alone, and was read as the same node.",
    )
    note_spaces(account, table.title, [frame[first], frame[second]])
    table.write_notes(account)
    numbers = None if weigh is None else _numbers(frame[weigh], table)
    roles = edge_roles(table.columns, first, second, weigh)
    return Edges(np.stack([left, right + len(left_ids)]), left_ids + right_ids, numbers, header, roles)


def read_with_first_row(table: Table, weight: str | bool | None, account: Account) -> Edges:
    """Read the edges of a text file whose first row is an edge as well."""
    assert table.text is not None
    table.text.read_first_row(as_names=False)
    return read_edges(table, None, None, weight, account)


def id_texts(column: pd.Series[Any], where: str) -> tuple[Array, list[str]]:
    """Ids as codes ``[rows]`` and the text of each code; the same id has the same text in every table."""
    try:
        codes, uniques = column.factorize()
    except TypeError:  # lists and other values without a hash
        raise DataError(
            f"The ids in the column {column.name!r} of {where} are {type(column.iloc[0]).__name__}s.",
            "Expected text or numbers.",
        ) from None
    texts = [_id_text(value) for value in uniques.tolist()]
    codes = np.asarray(codes, dtype=np.int64)
    blank = [place for place, text in enumerate(texts) if not text]
    missing = np.flatnonzero(np.isin(codes, [-1, *blank]))
    if missing.size:
        raise DataError(
            f"{many(missing.size, 'row has', 'rows have')} no value in the column {column.name!r} of {where}; "
            f"the first is row {missing[0] + 1}.",
            "Fill in the ids, or remove those rows.",
        )
    return codes, texts


def _id_text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    # A column of whole numbers turns to floats as soon as a table has an empty cell somewhere.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.decode("utf-8", "replace").strip() if isinstance(value, bytes) else str(value).strip()


def _known(first: str, second: str) -> bool:
    """Whether the two are a known pair of names for the ends of edges."""
    return (first.strip().lower(), second.strip().lower()) in EDGE_COLUMNS


def _end_columns(table: Table, columns: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    likely = [column for column in columns if column.strip().lower() not in _NO_ENDS]
    first, second = (likely if len(likely) > 1 else columns)[:2]
    for names in EDGE_COLUMNS:
        pair = [table.find([name], columns) for name in names]
        if pair[0] is not None and pair[1] is not None:
            first, second = pair[0], pair[1]
            break
    if source is not None:
        first, second = table.column(source), second if source != second else first
    if target is not None:
        first, second = first if target != first else second, table.column(target)
    if source is not None and source == target:
        raise InputError(f"Edges start and end in the same column {source!r}.", "Name two columns.")
    return first, second


def _weight_column(table: Table, columns: list[str], weight: str | bool | None) -> str | None:
    if weight is False:
        return None
    return table.column(weight) if isinstance(weight, str) else table.find(WEIGHT_COLUMNS, columns)


def _numbers(column: pd.Series[Any], table: Table) -> Array:
    from pandas.api import types

    if not types.is_numeric_dtype(column.dtype):
        raise DataError(
            f"The column {column.name!r} of {table.title} holds text, not numbers, such as "
            f"{str(column.dropna().iloc[0])!r:.40}.",
            "Expected edge weights, with a decimal point; pass weight=False to read the edges without.",
        )
    weight: Array = column.to_numpy(np.float64, na_value=np.nan)
    bad = np.flatnonzero(~np.isfinite(weight))
    if bad.size:
        raise DataError(
            f"{many(bad.size, 'edge weight is', 'edge weights are')} missing or infinite in the column "
            f"{column.name!r} of {table.title}; the first is in row {bad[0] + 1:,}.",
            "Fill them in, or pass weight=False to read the edges without.",
        )
    return weight
