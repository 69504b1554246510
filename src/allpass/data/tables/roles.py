"""What each column of a node table is: id, label, number, category, date, text or mask, with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from allpass.data.tables.dates import date_format, epoch_unit
from allpass.data.tables.written_numbers import number_format

if TYPE_CHECKING:
    import pandas as pd

FEW_ROWS = 20
"""In tables of up to so many rows, values that all differ prove nothing."""

_ID_WORDS = {
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "code",
    "key",
    "pk",
    "identifier",
    "index",
    "idx",
    "hash",
    "url",
}
_OWNERS = r"user|node|account|person|member|customer|client|page|item|product|movie|film|author|paper|doc|record|row"
_JOINED_ID = re.compile(rf"({_OWNERS})_?(id|no|nr|number)s?")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_RARE = -12.0  # log of the probability below which differing values are no coincidence
_LONG, _FIXED = 12, 9  # digits of numbers that nobody measures; of numbers that all have as many


@dataclass(frozen=True)
class Role:
    """What a column of a table was taken for.

    Args:
        column: Its name.
        role: ``"id"``, ``"label"``, ``"number"``, ``"category"``, ``"date"``, ``"text"``, ``"mask"``,
            ``"source"``, ``"target"`` and ``"weight"`` of the edge table, or ``"left out"``.
        reason: Why.
        features: How many features were made of it.
        change: The option that changes it.
        table: ``"nodes"`` or ``"edges"``.
    """

    column: str
    role: str
    reason: str
    features: int = 0
    change: str = ""
    table: str = "nodes"


@dataclass(frozen=True)
class Guess:
    """What the values and the name of a column suggest.

    Args:
        role: One of ``"number"``, ``"category"``, ``"date"``, ``"text"``, ``"id"`` and ``"left out"``.
        reason: Why.
        format: How dates or numbers are written, one of :data:`allpass.data.tables.dates.FORMATS` or of
            :data:`allpass.data.tables.written_numbers.FORMATS`.
    """

    role: str
    reason: str
    format: str = ""


def guess(column: pd.Series[Any], name: str, max_categories: int) -> Guess:
    """What a column holds, judged by its values and its name.

    Numbers with a fraction are measurements. Whole numbers that all differ are ids when the name says so, when they
    fill their range so densely that this is no coincidence, or when they are long; in up to 20 rows the name alone
    decides. Text is a date, a category when there are at most ``max_categories`` values, free text when it has several
    words, and ids when all values differ.

    Args:
        column: The values.
        name: The name of the column.
        max_categories: The most values of a category.
    """
    from pandas.api import types

    present = column.dropna()
    if not len(present):
        return Guess("left out", "holds no value")
    if types.is_bool_dtype(column.dtype):
        return (
            Guess("number", "true or false")
            if len(present) == len(column)
            else Guess("category", "true or false")
        )
    if types.is_datetime64_any_dtype(column.dtype):
        return Guess("date", "dates")
    if types.is_timedelta64_dtype(column.dtype):
        return Guess("date", "durations, in seconds")
    if types.is_numeric_dtype(column.dtype):
        return _guess_numbers(present.to_numpy(np.float64), present, name)
    return _guess_text(present.astype(str).str.strip(), name, max_categories)


def name_words(name: str) -> set[str]:
    """The words of a column's name, in lower case.

    Example:
        >>> sorted(name_words("userId")), sorted(name_words("last_login at"))
        (['id', 'user'], ['at', 'last', 'login'])
    """
    return {word.lower() for word in _WORD.findall(name)}


def says_id(name: str) -> bool:
    """Whether the name of a column says that it holds ids.

    Example:
        >>> [says_id(name) for name in ("facebook_id", "userId", "UUID", "userid", "paid", "grid")]
        [True, True, True, True, False, False]
    """
    return bool(name_words(name) & _ID_WORDS) or _JOINED_ID.fullmatch(name.strip().lower()) is not None


def words_among_numbers(text: pd.Series[Any]) -> NDArray[np.bool_] | None:
    """Which values are no numbers, where at most one in ten is none; nothing for any other text."""
    import pandas as pd

    words = np.isnan(pd.to_numeric(text, errors="coerce").to_numpy(np.float64))
    return words if words.sum() <= words.size / 10 else None


def is_row_index(column: pd.Series[Any], name: str) -> bool:
    """Whether a column without a name holds row numbers, as pandas and R write next to their tables."""
    from pandas.api import types

    nameless = name.startswith("Unnamed:") or not name.strip()
    return nameless and types.is_integer_dtype(column.dtype) and bool(column.is_unique)


def edge_roles(columns: Sequence[str], source: str, target: str, weight: str | None) -> tuple[Role, ...]:
    """What each column of an edge table is."""
    roles = {
        source: Role(source, "source", "where edges start", 0, "source_column=", "edges"),
        target: Role(target, "target", "where edges end", 0, "target_column=", "edges"),
    }
    if weight is not None:
        roles[weight] = Role(weight, "weight", "weights of the edges", 0, "weight=", "edges")
    ignored = "the edge table gives edges and their weights alone"
    return tuple(roles.get(name, Role(name, "left out", ignored, 0, "weight=", "edges")) for name in columns)


def _guess_numbers(numbers: NDArray[np.float64], present: pd.Series[Any], name: str) -> Guess:
    finite = numbers[np.isfinite(numbers)]
    unit = epoch_unit(finite, name_words(name)) if finite.size else ""
    if unit:
        return Guess("date", f"Unix times in {unit}")
    low, high, n = (float(finite.min()), float(finite.max()), finite.size) if finite.size else (0.0, 0.0, 0)
    all_may_differ = n == numbers.size and n > 1 and high - low + 1 >= n
    if not all_may_differ or (numbers != np.floor(numbers)).any() or not present.is_unique:
        return Guess("number", "numbers")
    if says_id(name):
        return Guess("id", "its name says id, and all values differ")
    if n <= FEW_ROWS or "rank" in name_words(name):
        return Guess("number", "numbers")
    spread = high - low + 1
    if spread == n:
        return Guess("id", f"consecutive numbers, {low:.0f} to {high:.0f}")
    if _log_chance_all_differ(n, spread) < _RARE:
        return Guess("id", f"{n:,} whole numbers from {low:.0f} to {high:.0f} that all differ")
    digits = np.floor(np.log10(np.maximum(np.abs(numbers), 1))) + 1
    if float(np.median(digits)) >= _LONG or (digits[0] >= _FIXED and (digits == digits[0]).all()):
        return Guess("id", f"numbers of {np.median(digits):.0f} digits that all differ")
    return Guess("number", "numbers")


def _log_chance_all_differ(n: int, values: float) -> float:
    """The log of the probability that n random draws from so many values all differ."""
    if values > 1e12:  # the difference of the two gammas would be noise
        return -(n**2) / (2 * values)
    return float(gammaln(values + 1) - gammaln(values - n + 1) - n * np.log(values))


def _guess_text(text: pd.Series[Any], name: str, max_categories: int) -> Guess:
    form = date_format(text)
    if form:
        return Guess("date", "dates" if form == "ISO8601" else f"dates written as {form}", form)
    form = number_format(text)
    if form:
        return Guess("number", f"numbers written as {form}", form)
    different, several_words = text.nunique(), bool((text.str.count(r"\s+") >= 2).mean() > 0.5)
    all_differ = different == len(text) and different > 1
    few = different <= max_categories and not (all_differ and len(text) > FEW_ROWS)
    if not few and words_among_numbers(text) is not None:
        return Guess("number", "numbers")
    if all_differ and says_id(name):
        return Guess("id", "its name says id, and all values differ")
    if different <= max_categories and not (all_differ and len(text) > FEW_ROWS):
        return Guess(
            "category", f"{different} different values" if different > 1 else "the same value everywhere"
        )
    if several_words:
        return Guess("text", f"{different:,} different texts of several words")
    if all_differ:
        return Guess("id", f"{different:,} different codes or names, one a row")
    return Guess("left out", f"{different:,} different values are too many for 0/1 columns")
