"""Columns of a node table as features: numbers and dates stay one column, categories and words become several."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.data.tables.cells import as_numbers, as_seconds, as_text
from allpass.data.tables.column_notes import ColumnNotes, note_words
from allpass.data.tables.encodings import MISSING, Encoding
from allpass.data.tables.roles import Guess, Role, guess, words_among_numbers
from allpass.data.tables.words import find_words, tfidf
from allpass.data.tables.written_numbers import example_of, number_format
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

_FILLS: dict[str, Callable[[Array], Any]] = {
    "median": np.median,
    "zero": lambda _: 0.0,
    "mean": np.mean,
    "error": np.median,
}
FILLINGS = tuple(_FILLS)
"""What may be done to the missing numbers of a table; where none are allowed, those of a later table get the median."""

_LARGEST = 2**31  # numbers in one dense feature matrix, 8 GiB; more is a mistake in the table
_THIN = 0.2  # the share of nonzero numbers up to which features with words are stored sparse
_CHANGES = {
    "number": "categories=, drop=",
    "date": "drop=",
    "category": "text=, drop=",
    "text": "text=, drop=",
    "id": "numbers=, categories=",
    "left out": "categories=, text=",
}


@dataclass(frozen=True)
class Wishes:
    """What the reader said about columns.

    Args:
        asked: Whether the feature columns were listed; then none of them is left out.
        numbers: Columns to read as numbers.
        categories: Columns to spread over one 0/1 column a value.
        text: Columns whose words become features.
    """

    asked: bool = False
    numbers: Collection[str] = ()
    categories: Collection[str] = ()
    text: Collection[str] = ()


@dataclass
class Features:
    """Feature columns as they are collected.

    Args:
        blocks: Arrays ``[N, k]``, dense or SciPy CSR.
        names: One for each column.
        origins: For each column the table's column it was made from.
        categories: Codes ``[N]`` of the columns that were spread over several.
        roles: What each column of the table was taken for.
        encodings: How each column that was used became features.
    """

    blocks: list[Any] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    categories: dict[str, Array] = field(default_factory=dict)
    roles: list[Role] = field(default_factory=list)
    encodings: list[Encoding] = field(default_factory=list)

    def add(self, block: Any, names: list[str], origin: str) -> None:
        """Take in columns ``[N, k]`` made from the table's column ``origin``."""
        self.blocks.append(block)
        self.names += names
        self.origins += [origin] * len(names)

    def matrix(self) -> Any:
        """All columns side by side, or nothing; SciPy CSR where words make most of it 0."""
        if any(sp.issparse(block) for block in self.blocks):
            x = sp.hstack([sp.csr_array(block) for block in self.blocks], format="csr")
            return x if x.nnz <= _THIN * x.shape[0] * x.shape[1] else x.toarray()
        return np.concatenate(self.blocks, axis=1) if self.blocks else None


class Encoder:
    """Turns columns into features and writes down what it did.

    Args:
        account: Where the notes go.
        nan: Missing numbers: ``"median"`` fills it in and adds a 0/1 column that says so; any other choice leaves
            them to the checks that follow.
        max_categories: A text column with more different values is no category.
        wishes: What the reader said about columns.
    """

    def __init__(
        self, account: Account, *, nan: str, max_categories: int, wishes: Wishes | None = None
    ) -> None:
        if nan not in FILLINGS:
            raise InputError(
                f"Got nan={nan!r}.", f"Expected {', '.join(map(repr, FILLINGS[:-1]))} or 'error'."
            )
        self._account, self._nan, self._max_categories = account, nan, max_categories
        self._wishes = wishes or Wishes()
        self._notes = ColumnNotes()

    def encode(self, frame: pd.DataFrame, columns: list[str]) -> Features:
        """The features made of these columns of the table."""
        features = Features()
        for name in columns:
            before, found = len(features.names), self._guess(frame[name], name)
            self._add(features, frame[name], name, found)
            made = len(features.names) - before
            features.roles.append(Role(name, found.role, found.reason, made, _CHANGES[found.role]))
        self._notes.write(self._account)
        return features

    def _guess(self, column: pd.Series[Any], name: str) -> Guess:
        """What to do with a column: what was said about it, else what it looks like."""
        from pandas.api import types

        wishes = self._wishes
        for role, named, option in (
            ("text", wishes.text, "text="),
            ("category", wishes.categories, "categories="),
            ("number", wishes.numbers, "numbers="),
        ):
            if name in named:
                return Guess(role, f"named in {option}", _written(column) if role == "number" else "")
        found = guess(column, name, self._max_categories)
        if wishes.asked and found.role in ("id", "text", "left out") and not column.isna().all():
            return Guess(
                "number" if types.is_numeric_dtype(column.dtype) else "category", "named in features="
            )
        return found

    def _add(self, features: Features, column: pd.Series[Any], name: str, found: Guess) -> None:
        if found.role == "number":
            if found.format:
                self._notes.numbers[name] = example_of(as_text(column)[0], found.format)
            encoding = self._number(features, as_numbers(column, self._account, found.format), name)
            encoding = replace(encoding, format=found.format)
        elif found.role == "date":
            if found.reason.startswith("dates"):  # not Unix times, which stay as they are
                self._notes.dates[name] = found.reason
            encoding = self._number(features, as_seconds(column, found.format, self._account), name)
            encoding = replace(encoding, kind="date", format=found.format)
        elif found.role == "category":
            encoding = self._category(features, column, name)
        elif found.role == "text" and name in self._wishes.text:
            encoding = self._text(features, column, name)
        else:
            kind = "empty" if column.isna().all() else found.role
            self._notes.leave_out(kind, name, found.reason)
            encoding = Encoding(name, "left out")
        features.encodings.append(encoding)

    def _number(self, features: Features, values: Array, name: str) -> Encoding:
        finite, missing = values[np.isfinite(values)], np.isnan(values)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size and self._nan == "median":
            raise DataError(
                f"The column {name!r} holds {many(infinite.size, 'infinite value')}; "
                f"the first is in row {infinite[0] + 1}.",
                "Replace them in the table, or pass nan='zero' or nan='mean'.",
            )
        fill = float(_FILLS[self._nan](finite)) if finite.size else 0.0
        if not (missing.any() and self._nan == "median"):
            features.add(values[:, None], [name], name)
            return Encoding(name, "number", fill=fill)
        self._notes.filled[name] = int(missing.sum())
        values = np.where(missing, fill, values)
        features.add(np.stack([values, missing], axis=1), [name, name + MISSING], name)
        return Encoding(name, "number", fill=fill, gaps=True)

    def _text(self, features: Features, column: pd.Series[Any], name: str) -> Encoding:
        text, missing = as_text(column)
        texts = np.full(missing.size, "", dtype=object)
        texts[~missing] = text
        encoding = Encoding(name, "text", "", *find_words(texts[~missing].tolist(), name))
        features.add(tfidf(texts.tolist(), encoding.words, encoding.idf), list(encoding.features), name)
        self._notes.words[name] = len(encoding.words)
        return encoding

    def _category(self, features: Features, column: pd.Series[Any], name: str) -> Encoding:
        text, missing = as_text(column)
        codes, values = text.factorize(sort=True)
        distinct = len(values)
        if missing.size * (distinct + 1) > _LARGEST:
            raise DataError(
                f"The column {name!r} has {distinct:,} different values: too many for 0/1 columns.",
                "Leave it out with drop=.",
            )
        all_codes = np.full(missing.size, distinct)
        all_codes[~missing] = codes
        encoding = Encoding(name, "category", values=tuple(map(str, values)), gaps=bool(missing.any()))
        features.add(one_hot(all_codes, len(encoding.features)), list(encoding.features), name)
        features.categories[name] = all_codes
        self._notes.spread[name] = len(encoding.features)
        words = words_among_numbers(text)
        done = f"it was read as text: {many(len(encoding.features), 'column')}"
        note_words(self._account, name, text, words, done)
        return encoding


def _written(column: pd.Series[Any]) -> str:
    """How the numbers of a column are written; empty for those that any program reads."""
    from pandas.api import types

    return "" if types.is_numeric_dtype(column.dtype) else number_format(as_text(column)[0])


def one_hot(codes: Array, width: int) -> Array:
    """A 0/1 matrix ``[N, width]`` with a 1 in the column of each code; none for a code -1."""
    block = np.zeros((codes.size, width), dtype=np.float32)
    known = codes >= 0
    block[np.flatnonzero(known), codes[known]] = 1
    return block


def unfilled(nan: str) -> str:
    """What the checks of the finished features do with what is no number: the median was filled in before."""
    return "error" if nan == "median" else nan
