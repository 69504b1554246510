"""The cells of one column of a table as text, as numbers, or as seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.tables.column_notes import note_words
from allpass.data.tables.dates import ISO, seconds
from allpass.data.tables.written_numbers import written_numbers
from allpass.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]


def as_text(column: pd.Series[Any]) -> tuple[pd.Series[Any], NDArray[np.bool_]]:
    """The values that are there as text without spaces around, by row number, and which rows ``[N]`` have none."""
    from pandas.api import types

    missing = column.isna().to_numpy()
    present = column.reset_index(drop=True)[~missing]
    if types.is_float_dtype(present.dtype) and (present == present.round()).all():
        present = present.astype(np.int64)  # whole numbers turn to floats as soon as one cell is empty
    text = present.astype(str).str.strip()
    blank = (text == "").to_numpy(bool)
    if blank.any():
        missing = missing.copy()
        missing[text.index[blank]] = True
    return text[~blank], missing


def as_numbers(column: pd.Series[Any], account: Account, form: str = "") -> Array:
    """The numbers ``[N]`` of a column, NaN where there is none; words among them are missing, and noted.

    Args:
        column: The column.
        account: Gets a note on words.
        form: How the numbers are written, one of :data:`~allpass.data.tables.written_numbers.FORMATS`.
    """
    import pandas as pd
    from pandas.api import types

    if types.is_numeric_dtype(column.dtype):
        return column.to_numpy(np.float64, na_value=np.nan)
    text, missing = as_text(column)
    values = np.full(missing.size, np.nan)
    values[~missing] = (
        written_numbers(text, form) if form else pd.to_numeric(text, errors="coerce").to_numpy(np.float64)
    )
    words = np.isnan(values[~missing])
    if words.size and words.all():
        raise DataError(
            f"The column {str(column.name)!r} holds text, not numbers, such as {text.iloc[0]!r:.40} in row "
            f"{text.index[0] + 1}.",
            "Correct it in the table.",
        )
    done = f"{'that is' if words.sum() == 1 else 'those are'} missing"
    note_words(account, str(column.name), text, words, done)
    return values


def as_seconds(column: pd.Series[Any], form: str, account: Account) -> Array:
    """Dates, durations or Unix times as numbers ``[N]``, NaN where there is none.

    Args:
        column: The column.
        form: How written dates are written, by default as ISO 8601 says.
        account: Gets a note on values that are no dates; where none is one, that is an error.
    """
    from pandas.api import types

    if types.is_numeric_dtype(column.dtype):  # Unix times
        return column.to_numpy(np.float64, na_value=np.nan)
    if types.is_timedelta64_dtype(column.dtype):
        elapsed: Array = column.dt.total_seconds().to_numpy(np.float64)
        return elapsed
    if types.is_datetime64_any_dtype(column.dtype):
        return seconds(column)
    text, missing = as_text(column)
    values = np.full(missing.size, np.nan)
    values[~missing] = seconds(text, form or ISO)
    wrong = np.isnan(values[~missing])
    if wrong.size and wrong.all():
        raise DataError(
            f"No date of the column {str(column.name)!r} is written as {form or ISO}, such as {text.iloc[0]!r:.40} in "
            f"row {text.index[0] + 1}.",
            "Correct it in the table.",
        )
    note_words(account, str(column.name), text, wrong, "missing dates were put there", "date")
    return values
