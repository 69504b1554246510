"""The edge table: which columns edges start and end in, and ids of any kind as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.tables.roles import Role, edge_roles
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

EDGE_COLUMNS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"))
WEIGHT_COLUMNS = ("weight", "weights", "edge_weight")


@dataclass(frozen=True)
class Edges:
    """Edges between ids.

    Args:
        ends: ``[2, E]`` places in ``ids``.
        ids: Text of each id; the same one may stand twice.
        weight: ``[E]``, or nothing.
        roles: What each column was taken for.
    """

    ends: Array
    ids: list[str]
    weight: Array | None
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
    frame = table.read([first, second])
    account.add(
        "no-header",
        int(table.headless),
        f"The first row of {table.title} holds numbers: it was read as an edge, not as column names.",
        "Write a row of column names above it when it was meant as one.",
    )
    ignored = [column for column in rest if column != weigh]
    account.add(
        "ignored-edge-columns",
        len(ignored),
        f"Edges were read from {first!r} to {second!r}; other columns were ignored: {some(ignored)}.",
    )
    left, left_ids = id_texts(frame[first], table.title)
    right, right_ids = id_texts(frame[second], table.title)
    _check_header(table, first, second, {*left_ids, *right_ids})
    numbers = None if weigh is None else _numbers(frame[weigh], table)
    roles = edge_roles(table.columns, first, second, weigh)
    return Edges(np.stack([left, right + len(left_ids)]), left_ids + right_ids, numbers, roles)


def _check_header(table: Table, first: str, second: str, ids: set[str]) -> None:
    """Refuse a table whose column names are themselves end points: its first row would be lost as a header."""
    known = [name for name in (first, second) if name in ids]
    if known and not table.headless:
        raise DataError(
            f"The first row of {table.title} looks like an edge: its {known[0]!r} is an end point in other rows too.",
            "Write a row of column names above it, such as source and target.",
        )


def id_texts(column: pd.Series[Any], where: str) -> tuple[Array, list[str]]:
    """Ids as codes ``[rows]`` and the text of each code; the same id has the same text in every table."""
    import pandas as pd

    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise DataError(
            f"{many(missing.size, 'row has', 'rows have')} no value in the column {column.name!r} of {where}; "
            f"the first is row {missing[0] + 1}.",
            "Fill in the ids, or remove those rows.",
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(np.int64), column.cat.categories.tolist()
    else:
        codes, uniques = column.factorize()
        values = uniques.tolist()
    return codes, [_id_text(value) for value in values]


def _id_text(value: object) -> str:
    # A column of whole numbers turns to floats as soon as a table has an empty cell somewhere.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _end_columns(table: Table, columns: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    first, second = columns[:2]
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
            f"The column {column.name!r} of {table.title} holds text, not numbers.",
            "Expected edge weights; pass weight=False to read the edges without.",
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
