"""The label column of a table, value by value as it is written, and which values mean that there is no label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.tables.layout import is_number
from allpass.data.tables.tabular import Table
from allpass.data.tables.text_table import MISSING_WORDS
from allpass.data.tables.written_numbers import example_of, number_format, written_numbers
from allpass.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

_EXACT = 2**53  # whole numbers up to here are exact as floats
_CODE = re.compile(r"[+-]?0\d+", re.ASCII)  # 007 is a code and not the number 7
_FEW = 20  # written numbers up to which they may name classes, such as 10% and 20%
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class LabelColumn:
    """Labels as they were read.

    Args:
        values: ``[N]``, numbers or text, with nothing (or NaN) for a missing one.
        missing: The values that were read as a missing label, and how often each stands there.
        written: The first of numbers such as 1.234,5 and which number that is; empty for all others.
    """

    values: Array
    missing: dict[str, int]
    written: str = ""


def missing_values(given: str | Sequence[str] | None) -> list[str] | None:
    """The values that mean a missing label: those of a list, or of a text with commas; nothing for the default."""
    if given is None:
        return None
    values = given.split(",") if isinstance(given, str) else list(given)
    if not all(isinstance(value, (str, int, float)) for value in values):
        raise InputError(
            f"Got missing_labels={given!r}.", "Expected text such as 'NA,?', or a list of values."
        )
    return [str(value).strip() for value in values]


def read_labels(table: Table, column: str, missing: Sequence[str] | None = None) -> LabelColumn:
    """The labels in a column.

    Args:
        table: The table.
        column: Its label column.
        missing: Values that mean a missing label, besides an empty cell; by default words such as NA and null.
    """
    import pandas as pd

    table.refuse_broken_cells(column)
    cells = table.read([column], [column])[column]
    absent = MISSING_WORDS if missing is None else ("", *missing)
    if pd.api.types.is_bool_dtype(cells.dtype) and not cells.isna().any():
        return LabelColumn(cells.to_numpy(bool), {})
    codes, uniques = _factorize(cells)
    words = [value.strip() if isinstance(value, str) else value for value in uniques]
    gone = [_written(word) in absent for word in words]
    counts = np.bincount(codes[codes >= 0], minlength=len(words)).tolist()
    found: dict[str, int] = {}
    for word, lost, count in zip(words, gone, counts, strict=True):
        if lost and word != "":
            found[_written(word)] = found.get(_written(word), 0) + count
    kept = [word for word, lost in zip(words, gone, strict=True) if not lost]
    numbers = _numbers(kept, from_text=table.text is not None)
    written = ""
    if numbers is None and len(kept) > _FEW and all(isinstance(word, str) for word in kept):
        text = pd.Series(kept)
        if form := number_format(text):
            numbers, written = written_numbers(text, form).tolist(), example_of(text, form)
    values: list[Any] = kept if numbers is None else numbers
    exact = numbers is not None and all(isinstance(x, float) or abs(x) <= _EXACT for x in numbers)
    every = np.empty(len(words) + 1, dtype=np.float64 if exact else object)
    every[:] = np.nan if exact else None  # the code -1 of a missing cell is the last place
    every[: len(words)][~np.array(gone, dtype=bool)] = _column(values, every.dtype)
    return LabelColumn(every[codes], found, written)


def _factorize(cells: pd.Series[Any]) -> tuple[Array, list[Any]]:
    try:
        codes, uniques = cells.factorize()
    except TypeError:  # lists and other values without a hash
        codes, uniques = cells.astype(str).factorize()
    return np.asarray(codes, dtype=np.int64), uniques.tolist()


def _column(values: list[Any], dtype: np.dtype[Any]) -> Array:
    column = np.empty(len(values), dtype=dtype)
    column[:] = values
    return column


def _written(value: object) -> str:
    """A value as a reader would write it: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numbers(words: list[Any], *, from_text: bool) -> list[float | int] | None:
    """The words as numbers, whole ones exactly; nothing unless all are numbers."""
    if not from_text:
        plain = all(
            isinstance(word, (int, float, np.number)) and not isinstance(word, bool) for word in words
        )
        return [_whole(float(word), word) for word in words] if plain else None
    if any(_CODE.fullmatch(word) or not (is_number(word) or _INFINITE.fullmatch(word)) for word in words):
        return None
    return [_whole(float(word), word) for word in words]


def _whole(number: float, written: Any) -> float | int:
    """The exact integer where ``written`` is one and a float would lose digits."""
    if abs(number) < _EXACT or number != number or abs(number) == np.inf:
        return number
    text = str(written)
    match = re.fullmatch(r"([+-]?\d+)(\.0*)?", text, re.ASCII)
    return int(match[1]) if match else number
