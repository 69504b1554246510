"""The node table: which column holds ids, labels and masks; every other column is a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import Draft, many, some, splits_of_masks
from allpass.data.splits import Split
from allpass.data.tables.columns import Encoder
from allpass.data.tables.edge_table import id_texts
from allpass.data.tables.label_column import read_labels
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

ID_COLUMNS = ("id", "node", "node_id", "nodeid")
LABEL_COLUMNS = ("label", "labels", "y", "class", "target")
PARTS = {"train": ("train",), "val": ("val", "valid", "validation", "dev"), "test": ("test",)}


class NoLabelColumnError(DataError):
    """No column has a name that says it is the label, and nobody named one."""


def read_nodes(
    table: Table,
    account: Account,
    *,
    label: str | bool | None = None,
    features: Sequence[str] | None = None,
    id_column: str | None = None,
    nan: str = "median",
    max_categories: int = 50,
    missing_labels: Sequence[str] | None = None,
    ends: Sequence[str] = (),
) -> Draft:
    """The nodes with their features, labels and masks, and no edges yet; arguments as in ``from_tables``.

    An id column that nobody named is the one that holds most of ``ends``, the ids that the edges name.
    """
    named = table.find(ID_COLUMNS) if id_column is None else table.column(id_column)
    candidate = named or table.columns[0]
    frame = table.read([candidate])
    if not len(frame):
        raise DataError(f"There are no rows in {table.title}.", "Expected one row for each node.")
    named_features = [features] if isinstance(features, str) else features
    chosen = None if named_features is None else [table.column(name) for name in named_features]
    masks = _mask_columns(table, frame, {named, *(chosen or ())})
    label_column = _label_column(table, label, {candidate if named else None, *masks, *(chosen or ())})
    if label_column is not None and label_column in {named, *(chosen or ())}:
        role = "the id" if label_column == named else "a feature"
        raise InputError(f"The column {label_column!r} is both the label and {role}.", "Name it once.")
    roles = {*masks, label_column}
    if not named:
        free = [name for name in table.columns if name not in {*roles, *(chosen or ())}]
        meeting = _meeting_column(table, frame, free, set(ends))
        if meeting is not None:
            named = candidate = meeting
            frame = table.read([candidate])
    if named or (candidate not in {*roles, *(chosen or ())} and _identifies(frame[candidate])):
        ids_from = f"the column {candidate!r}"
        ids = _unique_ids(table, frame[candidate])
        roles.add(candidate)
    else:
        frame = table.read([])
        ids_from = "the row number, from 0"
        ids = [str(row) for row in range(len(frame))]
        account.add("row-numbers", len(ids), "There is no id column: nodes go by their row number, from 0.")
    if chosen is None:
        chosen = [name for name in table.columns if name not in roles and not _is_index(frame, name)]
    encoder = Encoder(account, nan=nan, max_categories=max_categories, asked=features is not None)
    encoded = encoder.encode(frame, chosen)
    labels = None if label_column is None else read_labels(table, label_column, missing_labels)
    return Draft(
        num_nodes=len(ids),
        edge_index=np.zeros((2, 0), dtype=np.int64),
        x=encoded.matrix(),
        y=None if labels is None else labels.values,
        missing_labels={} if labels is None else labels.missing,
        splits=_splits(frame, masks),
        feature_names=encoded.names or None,
        origins=encoded.origins or None,
        categories=encoded.categories,
        node_ids=ids,
        ids_from=ids_from,
        account=account,
    )


def _label_column(table: Table, label: str | bool | None, taken: set[str | None]) -> str | None:
    if label is False:
        return None
    if isinstance(label, str):
        return table.column(label)
    free = [name for name in table.columns if name not in taken]
    found = table.find(LABEL_COLUMNS, free)
    # A column that nobody called the label must not slip in among the features: that would give the answer away.
    if found is None and [name for name in free if name != table.columns[0]]:
        raise NoLabelColumnError(
            f"No column of {table.title} is called {', '.join(LABEL_COLUMNS)}; it has {some(free, 8)}.",
            "Name the label column with label=, or pass label=False for a graph without labels.",
        )
    return found


def _identifies(column: pd.Series[Any]) -> bool:
    """Whether a first column that is not called id can be one: every value is there, differs, and is no fraction."""
    return not column.isna().any() and column.is_unique and _is_whole(column)


def _meeting_column(table: Table, frame: pd.DataFrame, columns: list[str], ends: set[str]) -> str | None:
    """The column that holds most ids of the edges, repeats or not; ``None`` when row numbers hold as many.

    Only the first column wins a tie with the row numbers: a column of small numbers further on is a feature.
    """
    likely = [name for name in columns if ends and _mostly_differs(frame[name].dropna())]
    if not likely:
        return None
    texts = table.read(likely)
    scores = {name: len(ends.intersection(id_texts(texts[name].dropna(), table.title)[1])) for name in likely}
    best = max(likely, key=lambda name: scores[name])
    rows = len(ends.intersection(map(str, range(len(frame)))))
    least = max(rows, 1) if best == table.columns[0] else rows + 1
    return best if scores[best] >= least else None


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


def _is_index(frame: pd.DataFrame, column: str) -> bool:
    """Whether a column without a name is the row number that pandas writes beside its tables."""
    return column.startswith("Unnamed:") and bool((frame[column] == np.arange(len(frame))).all())


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


def _mask_columns(table: Table, frame: pd.DataFrame, taken: set[str | None]) -> dict[str, str]:
    """Columns that are masks: column to part, or one column to ``"split"``."""
    from pandas.api import types

    free = [name for name in table.columns if name not in taken]
    found = {}
    for part, words in PARTS.items():
        column = table.find([word + suffix for word in words for suffix in ("_mask", "")], free)
        if column is not None and (
            (types.is_bool_dtype(frame[column].dtype) and not frame[column].isna().any())
            or (types.is_integer_dtype(frame[column].dtype) and frame[column].isin((0, 1)).all())
        ):
            found[column] = part
    if {"train", "test"} <= set(found.values()):
        return found
    split = table.find(["split"], free)
    known = {word for words in PARTS.values() for word in words}
    if split is not None and not types.is_numeric_dtype(frame[split].dtype):
        values = {str(value).strip().lower() for value in frame[split].dropna().unique()}
        if "train" in values and values <= known | {"", "none", "unlabelled"}:
            return {split: "split"}
    return {}


def _splits(frame: pd.DataFrame, columns: dict[str, str]) -> dict[str, list[Split]]:
    if not columns:
        return {}
    masks = {part: frame[column].to_numpy(bool) for column, part in columns.items() if part != "split"}
    for column in (column for column, part in columns.items() if part == "split"):
        words_of = frame[column].astype(str).str.strip().str.lower()
        masks = {part: words_of.isin(words).to_numpy() for part, words in PARTS.items()}
    return {"stored": splits_of_masks(masks, len(frame))}
