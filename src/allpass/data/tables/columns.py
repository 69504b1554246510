"""Columns of a node table as features: numbers stay numbers, categories become 0/1 columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

FILLINGS = ("median", "zero", "mean", "error")
"""What may be done to the missing numbers of a table."""

_SHOWN = 8  # columns in one note
_LARGEST = 2**31  # numbers in one dense feature matrix, 8 GiB; more is a mistake in the table


@dataclass
class Features:
    """Feature columns as they are collected.

    Args:
        blocks: Arrays ``[N, k]``.
        names: One for each column.
        origins: For each column the table's column it was made from.
        categories: Codes ``[N]`` of the columns that were spread over several.
    """

    blocks: list[Array] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    categories: dict[str, Array] = field(default_factory=dict)

    def add(self, block: Array, names: list[str], origin: str) -> None:
        """Take in columns ``[N, k]`` made from the table's column ``origin``."""
        self.blocks.append(block)
        self.names += names
        self.origins += [origin] * len(names)

    def matrix(self) -> Array | None:
        """All columns side by side, or nothing."""
        return np.concatenate(self.blocks, axis=1) if self.blocks else None


class Encoder:
    """Turns columns into features and writes down what it did.

    Args:
        account: Where the notes go.
        nan: Missing numbers: ``"median"`` fills it in and adds a 0/1 column that says so; any other choice leaves
            them to the checks that follow.
        max_categories: A text column with more different values is left out: it looks like an id or free text.
        asked: Whether the reader named the columns; then none is left out.
    """

    def __init__(self, account: Account, *, nan: str, max_categories: int, asked: bool) -> None:
        if nan not in FILLINGS:
            raise InputError(
                f"Got nan={nan!r}.", f"Expected {', '.join(map(repr, FILLINGS[:-1]))} or 'error'."
            )
        self._account, self._fill = account, nan == "median"
        self._max_categories, self._asked = max_categories, asked
        self._left_out: dict[str, list[str]] = {}
        self._filled: dict[str, int] = {}
        self._spread: dict[str, int] = {}

    def encode(self, frame: pd.DataFrame, columns: list[str]) -> Features:
        """The features made of these columns of the table."""
        from pandas.api import types

        features = Features()
        for name in columns:
            column = frame[name]
            if column.isna().all():
                self._leave_out("empty", name)
            elif types.is_bool_dtype(column.dtype) and not column.isna().any():
                features.add(column.to_numpy(np.float32)[:, None], [name], name)
            elif types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
                self._number(features, column, name)
            elif types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
                self._leave_out("dates", name)
            else:
                self._category(features, column, name)
        self._write_notes()
        return features

    def _number(self, features: Features, column: pd.Series[Any], name: str) -> None:
        values = column.to_numpy(np.float64, na_value=np.nan)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size and self._fill:
            raise DataError(
                f"The column {name!r} holds {many(infinite.size, 'infinite value')}; "
                f"the first is in row {infinite[0] + 1}.",
                "Replace them in the table, or pass nan='zero' or nan='mean'.",
            )
        missing = np.isnan(values)
        if not (missing.any() and self._fill):
            features.add(values[:, None], [name], name)
            return
        self._filled[name] = int(missing.sum())
        values = np.where(missing, np.median(values[~missing]), values)
        features.add(np.stack([values, missing], axis=1), [name, f"{name} is missing"], name)

    def _category(self, features: Features, column: pd.Series[Any], name: str) -> None:
        missing = column.isna().to_numpy()
        text = (
            column.reset_index(drop=True)[~missing].astype(str).str.strip()
        )  # by row, whatever a frame's index is
        codes, values = text.factorize(sort=True)
        present, distinct = len(text), len(values)
        words = _words_among_numbers(text)
        if distinct > self._max_categories and words is not None:
            self._read_as_numbers(features, text, words, missing, name)
            return
        identifier = present > 20 and distinct == present
        if not self._asked and (distinct > self._max_categories or identifier):
            self._leave_out("text", name)
            self._note_words(text, words, name, "it was read as text and left out")
            return
        if missing.size * (distinct + 1) > _LARGEST:
            raise DataError(
                f"The column {name!r} has {distinct:,} different values: too many for 0/1 columns.",
                "Leave it out of features=.",
            )
        all_codes = np.full(missing.size, distinct)
        all_codes[~missing] = codes
        names = [f"{name}={value}" for value in values] + [f"{name} is missing"] * bool(missing.any())
        block = np.zeros((missing.size, len(names)), dtype=np.float32)
        block[np.arange(missing.size), all_codes] = 1
        features.add(block, names, name)
        features.categories[name] = all_codes
        self._spread[name] = len(names)
        self._note_words(text, words, name, f"it was read as text: {many(len(names), 'column')}")

    def _read_as_numbers(
        self, features: Features, text: pd.Series[Any], words: Array, missing: Array, name: str
    ) -> None:
        """Read a column of numbers with a few words in it (such as ``?``) as numbers; the words are missing."""
        import pandas as pd

        values = np.full(missing.size, np.nan)
        values[~missing] = pd.to_numeric(text, errors="coerce").to_numpy(np.float64)
        self._note_words(text, words, name, f"{'that is' if words.sum() == 1 else 'those are'} missing")
        self._number(features, pd.Series(values), name)

    def _note_words(self, text: pd.Series[Any], words: Array | None, name: str, done: str) -> None:
        """Point to the words that stand in a column of numbers, the first of them with its row."""
        if words is None or not words.any():
            return
        count, first = int(words.sum()), int(np.argmax(words))
        self._account.add(
            "words-among-numbers",
            count,
            f"{name!r} has {many(count, 'value that is', 'values that are')} no number ({text.iloc[first]!r}, row "
            f"{text.index[first] + 1:,}), so {done}.",
            f"Correct {'it' if count == 1 else 'them'} in the table, or leave the "
            f"{'cell' if count == 1 else 'cells'} empty, to have one column of numbers.",
        )

    def _leave_out(self, why: str, name: str) -> None:
        self._left_out.setdefault(why, []).append(name)

    def _write_notes(self) -> None:
        for why, reason, cure in (
            (
                "text",
                "look like ids or free text",
                "Name them in features= to have 0/1 columns made of them.",
            ),
            ("empty", "hold no value at all", ""),
            ("dates", "hold dates", "Turn them into numbers in the table to use them."),
        ):
            names = self._left_out.get(why, [])
            self._account.add(
                f"left-out-{why}", len(names), f"Columns that {reason} were left out: {some(names)}.", cure
            )
        spread = [f"{name!r} ({many(width, 'column')})" for name, width in self._spread.items()]
        self._account.add(
            "spread-text",
            len(spread),
            f"{many(len(spread), 'text column')} became 0/1 columns, one a value: {', '.join(spread[:_SHOWN])}"
            f"{f' and {len(spread) - _SHOWN:,} more' * (len(spread) > _SHOWN)}.",
            "Dates and numbers that are written as text are better turned into numbers in the table; features= names "
            "the columns to read.",
        )
        total = sum(self._filled.values())
        self._account.add(
            "missing-features",
            total,
            f"{many(total, 'missing number was', 'missing numbers were')} replaced by the column's median, and a "
            f"0/1 column says where: {some(list(self._filled))}.",
            "Pass nan='zero', nan='mean' or nan='error' for another way.",
        )


def unfilled(nan: str) -> str:
    """What the checks of the finished features do with what is no number: the median was filled in before."""
    return "error" if nan == "median" else nan


def _words_among_numbers(text: pd.Series[Any]) -> Array | None:
    """Which values are no numbers, where at most one in ten is none; nothing for any other text."""
    import pandas as pd

    words = np.isnan(pd.to_numeric(text, errors="coerce").to_numpy(np.float64))
    return words if words.sum() <= words.size / 10 else None
