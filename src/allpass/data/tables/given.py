"""Columns of a table as features in the way of an earlier table: the same features in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.tables.cells import as_numbers, as_seconds, as_text
from allpass.data.tables.columns import Features, one_hot
from allpass.data.tables.encodings import FEATURES, Encoding
from allpass.data.tables.roles import Role
from allpass.data.tables.words import tfidf
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

_TRUTH = {"true": 1.0, "false": 0.0}


def encode_as(
    frame: pd.DataFrame,
    columns: Sequence[str],
    encodings: Sequence[Encoding],
    account: Account,
    *,
    fill: bool,
) -> Features:
    """The features that a table has in the encodings of an earlier one.

    A value that the earlier table did not have is 0 in every column of its category. What is missing gets the fill of
    the earlier table, and so does a column that is missing altogether. Columns that the earlier table did not have are
    left out. Each of these is noted.

    Args:
        frame: The table.
        columns: Those of its columns that may be features.
        encodings: How the columns of the earlier table were read.
        account: Where the notes go.
        fill: Whether missing numbers are filled; they stay NaN otherwise.
    """
    wanted = [encoding for encoding in encodings if encoding.kind in FEATURES]
    present = {encoding.column for encoding in wanted} & set(columns)
    if wanted and not present:
        raise DataError(
            f"The node table has none of the columns that the model was trained on: "
            f"{some([encoding.column for encoding in wanted])}.",
            "Give a table with the same columns.",
        )
    reader = _Reader(frame, account, fill)
    for encoding in wanted:
        reader.read(encoding, there=encoding.column in present)
    left_out = {encoding.column for encoding in encodings if encoding.kind == "left out"}
    strange = [name for name in columns if name not in present]
    reader.features.roles += [
        Role(name, "left out", f"{'left out' if name in left_out else 'not there'} in the training")
        for name in strange
    ]
    reader.write_notes(strange)
    return reader.features


class _Reader:
    """Reads column after column and remembers what was strange about them."""

    def __init__(self, frame: pd.DataFrame, account: Account, fill: bool) -> None:
        self._frame, self._account, self._fill = frame, account, fill
        self.features = Features()
        self._unseen: dict[str, list[str]] = {}
        self._unseen_rows = 0
        self._filled: dict[str, int] = {}
        self._absent: list[str] = []

    def read(self, encoding: Encoding, *, there: bool) -> None:
        name, N = encoding.column, len(self._frame)
        column = self._frame[name] if there else _nothing(N, name)
        missing = column.isna().to_numpy()
        if encoding.kind == "text":
            block = self._text(column, encoding)
        elif encoding.kind == "category":
            block = self._category(column, encoding)
        else:
            block, missing = self._number(column, encoding)
        if not there:
            self._absent.append(name)
        elif missing.any() and encoding.kind != "text":
            self._filled[name] = int(missing.sum())
        self.features.add(block, list(encoding.features), name)
        self.features.encodings.append(encoding)
        if there:
            made = len(encoding.features)
            self.features.roles.append(Role(name, encoding.kind, "as in the training", made))

    def _number(self, column: pd.Series[Any], encoding: Encoding) -> tuple[Array, NDArray[np.bool_]]:
        if encoding.kind == "date":
            values = as_seconds(column, encoding.format, self._account)
        else:
            values = as_numbers(_without_truth(column), self._account, encoding.format)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size and self._fill:
            raise DataError(
                f"The column {encoding.column!r} holds {many(infinite.size, 'infinite value')}; "
                f"the first is in row {infinite[0] + 1}.",
                "Replace them in the table.",
            )
        missing = np.isnan(values)
        if missing.any() and self._fill:
            if encoding.fill is None:
                raise InputError(
                    f"Values are missing in the column {encoding.column!r}, and its encoding has no fill.",
                    "Load the table of the training again and use its encodings.",
                )
            values = np.where(missing, encoding.fill, values)
        parts = [values, missing] if encoding.gaps else [values]
        return np.stack(parts, axis=1), missing

    def _category(self, column: pd.Series[Any], encoding: Encoding) -> Array:
        text, missing = as_text(column)
        place = _places(encoding.values, float_too=column.dtype.kind == "f")
        seen = text.map(place)
        unseen = seen.isna().to_numpy()
        if unseen.any():
            self._unseen[encoding.column] = sorted(map(str, text[unseen].unique()))
            self._unseen_rows += int(unseen.sum())
        codes = np.full(missing.size, len(encoding.values) if encoding.gaps else -1, dtype=np.int64)
        codes[~missing] = seen.fillna(-1).to_numpy(np.int64)
        return one_hot(codes, len(encoding.features))

    def _text(self, column: pd.Series[Any], encoding: Encoding) -> Any:
        text, missing = as_text(column)
        texts = np.full(missing.size, "", dtype=object)
        texts[~missing] = text
        return tfidf(texts.tolist(), encoding.words, encoding.idf)

    def write_notes(self, strange: Sequence[str]) -> None:
        for name, values in self._unseen.items():
            self._account.add(
                "unseen-values",
                len(values),
                f"{many(len(values), 'value')} of {name!r} did not occur in the training: {some(values)}. Its 0/1 "
                "columns are all 0 there.",
            )
        total = sum(self._filled.values())
        self._account.add(
            "filled-as-trained",
            total,
            f"{many(total, 'missing value was', 'missing values were')} filled as in the training, in "
            f"{some(list(self._filled))}.",
        )
        self._account.add(
            "absent-columns",
            len(self._absent),
            f"{many(len(self._absent), 'column')} of the training {'is' if len(self._absent) == 1 else 'are'} not in "
            f"the table and {'was' if len(self._absent) == 1 else 'were'} filled like missing values: "
            f"{some(self._absent)}.",
        )
        one = len(strange) == 1
        self._account.add(
            "unknown-columns",
            len(strange),
            f"{many(len(strange), 'column')} {'was' if one else 'were'} not used in the training and "
            f"{'was' if one else 'were'} left out: {some(list(strange))}.",
        )


def _nothing(rows: int, name: str) -> pd.Series[Any]:
    """A column without any value."""
    import pandas as pd

    return pd.Series(np.full(rows, np.nan), name=name)


def _without_truth(column: pd.Series[Any]) -> pd.Series[Any]:
    """True and false as 1 and 0: with an empty cell among them they are read as text."""
    if column.dtype.kind != "O":
        return column
    text, _ = as_text(column)
    lower = text.str.lower()
    if not len(lower) or not lower.isin(_TRUTH).all():
        return column
    numbers = _nothing(len(column), str(column.name))
    numbers.iloc[lower.index] = lower.map(_TRUTH)
    return numbers


def _places(values: Sequence[str], *, float_too: bool) -> dict[str, int]:
    """The place of each value; among floats 2 and 2.0 are the same one."""
    place = {value: code for code, value in enumerate(values)}
    if float_too:
        for value, code in list(place.items()):
            place.setdefault(value.removesuffix(".0"), code)
            place.setdefault(f"{value}.0", code)
    return place
