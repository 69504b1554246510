"""Dates and times of a table as seconds since 1970-01-01 (UTC), in float64 so that no difference is lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

ISO = "ISO8601"
_DAYS = (
    "%Y/%m/%d",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
FORMATS = (ISO, *(day + time for day in _DAYS for time in _TIMES), "%a %b %d %H:%M:%S %z %Y")
"""Formats of written dates, in the order they are tried: month before day where both would do."""

_LIKE_A_DATE = re.compile(r"\d[-/.: ,T]|\d.*[A-Za-z]{3}|[A-Za-z]{3}.*\d")
_SAMPLE = 50
_MOST_WORDS = 0.1  # the share of values that may be no date, such as "unknown" or 0000-00-00

_EARLIEST, _LATEST = 946_684_800, 2_208_988_800  # 2000-01-01 and 2040-01-01 as Unix times
_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
_DAY = 86_400
_TIME_WORDS = {
    "date",
    "time",
    "datetime",
    "timestamp",
    "ts",
    "epoch",
    "created",
    "updated",
    "modified",
    "joined",
}
_TIME_WORDS |= {
    "registered",
    "since",
    "at",
    "on",
    "seen",
    "login",
    "start",
    "end",
    "when",
    "born",
    "birthday",
}


def date_format(text: pd.Series[Any]) -> str:
    """The format of a column of written dates, one of :data:`FORMATS`; empty when it holds anything else.

    Args:
        text: The values that are there, as strings.
    """
    sample = text.iloc[np.linspace(0, len(text) - 1, min(len(text), _SAMPLE)).astype(int)]
    if sum(_LIKE_A_DATE.search(value) is not None for value in sample) < (1 - _MOST_WORDS) * len(sample):
        return ""
    for form in FORMATS:
        if _misses(sample, form) <= 2 * _MOST_WORDS and _misses(text, form) <= _MOST_WORDS:
            return _better(text, form)
    return ""


def seconds(column: pd.Series[Any], form: str = "") -> NDArray[np.float64]:
    """Seconds since 1970-01-01 UTC ``[N]``, NaN for a missing date and for a value that is no date.

    Args:
        column: Written dates, or pandas datetimes; those without a time zone count as UTC.
        form: The format of written dates.
    """
    import pandas as pd

    stamps = _parsed(column, form) if form else pd.to_datetime(column, utc=True)
    elapsed: NDArray[np.float64] = ((stamps - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(
        np.float64, na_value=np.nan
    )
    return elapsed


def epoch_unit(numbers: NDArray[np.float64], words: set[str]) -> str:
    """The unit of Unix times, such as ``"seconds"``; empty for numbers that are none.

    All of them must lie between 2000 and 2040, and cover more than a day unless the name of the column says that it
    holds times.

    Args:
        numbers: The values that are there.
        words: The words of the column's name.
    """
    low, high = float(numbers.min()), float(numbers.max())
    for unit, scale in _UNITS.items():
        inside = _EARLIEST * scale <= low and high < _LATEST * scale
        if inside and (words & _TIME_WORDS or high - low > _DAY * scale):
            return unit
    return ""


def _better(text: pd.Series[Any], form: str) -> str:
    """Day before month, where that reads more of the dates."""
    other = form.replace("%m/%d", "%d/%m")
    return other if other != form and _misses(text, other) < _misses(text, form) else form


def _misses(text: pd.Series[Any], form: str) -> float:
    """The share of the values that are not written in this format."""
    return float(_parsed(text, form).isna().mean())


def _parsed(text: pd.Series[Any], form: str) -> pd.Series[Any]:
    import pandas as pd

    return pd.to_datetime(text, format=form, errors="coerce", utc=True)
