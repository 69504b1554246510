"""Triplets in files and frames, by the names that are written there."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.tables.edge_table import id_texts
from allpass.data.tables.tabular import Table
from allpass.errors import DataError

NAMES = {
    "head": ("head", "h", "subject", "source", "state"),
    "relation": ("relation", "r", "predicate", "label", "action"),
    "tail": ("tail", "t", "object", "target", "next_state"),
}
"""Columns of a table of triplets and the names they go by, in upper or lower case."""

Columns = list[tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]]
"""Head, relation and tail: codes ``[T]`` and the text of each code."""


def read_triplets(where: Any, account: Account) -> Columns:
    """The three columns of a table: by their names, else the only three there are.

    A text file needs no row of names: where the first row has none of them it is read as a triplet.

    Args:
        where: Path of a CSV, TSV or Parquet file, or a pandas frame.
        account: Where notes go.
    """
    table = Table(where, "table of triplets")
    columns = [table.find(names) for names in NAMES.values()]
    named = None not in columns and len(set(columns)) == 3
    if not named:
        if table.text is not None and not table.headless:
            table.text.read_first_row(as_names=False)
        if len(table.columns) != 3:
            raise DataError(
                f"Got {many(len(table.columns), 'column')} in {table.title}: {some(table.columns)}.",
                "Expected three: head, relation, tail; or name them so in the first row.",
            )
        columns = list(table.columns)
    chosen = [column for column in columns if column is not None]
    frame = table.read(chosen, chosen)
    for column in chosen:
        table.refuse_broken_cells(column)
    if not len(frame):
        raise DataError(f"There is no triplet in {table.title}.", "Expected a row for each triplet.")
    ignored = [column for column in table.columns if column not in chosen]
    account.add(
        "ignored-columns",
        len(ignored),
        f"Triplets were read from {', '.join(map(repr, chosen))}; other columns were ignored: {some(ignored)}.",
    )
    table.write_notes(account)
    return [id_texts(frame[column], table.title) for column in chosen]


def read_gzip(path: Path) -> Columns:
    """The triplets of a named dataset: one a line, separated by tabs, plain or packed by gzip."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
            rows = [line.rstrip("\r\n").split("\t") for line in lines]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"The file {path.name!r} is damaged.", "Delete it and load it again.") from error
    wrong = next((number for number, row in enumerate(rows, 1) if len(row) != 3), None)
    if wrong is not None or not rows:
        raise DataError(
            f"Line {wrong or 1} of {path.name!r} is no triplet.",
            "Expected head, relation and tail between tabs.",
        )
    return [_coded(list(column)) for column in zip(*rows, strict=True)]


def _coded(texts: list[str]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    code = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return np.array([code[text] for text in texts], dtype=np.int64), list(code)
