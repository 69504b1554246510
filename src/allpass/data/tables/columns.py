"""Columns of a node table as features: numbers and dates stay one column, categories and words become several."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.data.tables.column_notes import ColumnNotes, note_words
from allpass.data.tables.dates import seconds
from allpass.data.tables.encodings import Encoding
from allpass.data.tables.roles import Guess, Role, guess, words_among_numbers
from allpass.data.tables.words import find_words, tfidf
from allpass.errors import DataError, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

FILLINGS = ("median", "zero", "mean", "error")
"""What may be done to the missing numbers of a table."""

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
        encodings: How the columns of an earlier table became features, to do the same; nothing to find out.
    """

    asked: bool = False
    numbers: Collection[str] = ()
    categories: Collection[str] = ()
    text: Collection[str] = ()
    encodings: Sequence[Encoding] | None = None


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
        self._account, self._fill, self._max_categories = account, nan == "median", max_categories
        self._wishes = wishes or Wishes()
        given = self._wishes.encodings
        self._given = None if given is None else {encoding.column: encoding for encoding in given}
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
                return Guess(role, f"named in {option}")
        if self._given is not None:
            known = self._given.get(name)
            if known is None:
                return Guess("left out", "the model was not trained on it")
            return Guess(known.kind, "as in the training", known.format)
        found = guess(column, name, self._max_categories)
        if wishes.asked and found.role in ("id", "text", "left out") and not column.isna().all():
            return Guess(
                "number" if types.is_numeric_dtype(column.dtype) else "category", "named in features="
            )
        return found

    def _add(self, features: Features, column: pd.Series[Any], name: str, found: Guess) -> None:
        if found.role == "number":
            self._number(features, self._as_numbers(column, name), name)
        elif found.role == "date":
            self._date(features, column, name, found)
        elif found.role == "category":
            self._category(features, column, name)
        elif found.role == "text" and (name in self._wishes.text or self._given is not None):
            self._text(features, column, name)
            return
        else:
            self._leave_out(column, name, found)
            return
        features.encodings.append(Encoding(name, found.role, found.format))

    def _as_numbers(self, column: pd.Series[Any], name: str) -> Array:
        """The numbers ``[N]`` of a column, NaN where there is none; words among them are missing, and noted."""
        import pandas as pd
        from pandas.api import types

        if types.is_numeric_dtype(column.dtype):
            return column.to_numpy(np.float64, na_value=np.nan)
        text, missing = _text(column)
        values = np.full(missing.size, np.nan)
        values[~missing] = pd.to_numeric(text, errors="coerce").to_numpy(np.float64)
        words = np.isnan(values[~missing])
        if words.size and words.all():
            raise DataError(f"The column {name!r} holds text, not numbers.", "Correct it in the table.")
        self._point_to(text, words, name, f"{'that is' if words.sum() == 1 else 'those are'} missing")
        return values

    def _number(self, features: Features, values: Array, name: str) -> None:
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
        self._notes.filled[name] = int(missing.sum())
        middle = np.median(values[~missing]) if not missing.all() else 0.0
        values = np.where(missing, middle, values)
        features.add(np.stack([values, missing], axis=1), [name, f"{name} is missing"], name)

    def _date(self, features: Features, column: pd.Series[Any], name: str, found: Guess) -> None:
        from pandas.api import types

        if types.is_numeric_dtype(column.dtype):  # Unix times
            self._number(features, column.to_numpy(np.float64, na_value=np.nan), name)
            return
        if types.is_timedelta64_dtype(column.dtype):
            self._number(features, column.dt.total_seconds().to_numpy(np.float64), name)
            return
        if types.is_datetime64_any_dtype(column.dtype):
            values = seconds(column)
        else:
            text, missing = _text(column)
            values = np.full(missing.size, np.nan)
            values[~missing] = seconds(text, found.format or "ISO8601")
            wrong = np.isnan(values[~missing])
            self._point_to(text, wrong, name, "missing dates were put there", "date")
        self._notes.dates[name] = found.reason
        self._number(features, values, name)

    def _text(self, features: Features, column: pd.Series[Any], name: str) -> None:
        text, missing = _text(column)
        texts = np.full(missing.size, "", dtype=object)
        texts[~missing] = text
        encoding = (self._given or {}).get(name)
        if encoding is None:
            encoding = Encoding(name, "text", "", *find_words(texts[~missing].tolist(), name))
        features.add(tfidf(texts.tolist(), encoding.words, encoding.idf), list(encoding.features), name)
        features.encodings.append(encoding)
        self._notes.words[name] = len(encoding.words)

    def _category(self, features: Features, column: pd.Series[Any], name: str) -> None:
        text, missing = _text(column)
        codes, values = text.factorize(sort=True)
        distinct = len(values)
        if missing.size * (distinct + 1) > _LARGEST:
            raise DataError(
                f"The column {name!r} has {distinct:,} different values: too many for 0/1 columns.",
                "Leave it out with drop=.",
            )
        all_codes = np.full(missing.size, distinct)
        all_codes[~missing] = codes
        names = [f"{name}={value}" for value in values] + [f"{name} is missing"] * bool(missing.any())
        block = np.zeros((missing.size, len(names)), dtype=np.float32)
        block[np.arange(missing.size), all_codes] = 1
        features.add(block, names, name)
        features.categories[name] = all_codes
        self._notes.spread[name] = len(names)
        words = words_among_numbers(text)
        self._point_to(text, words, name, f"it was read as text: {many(len(names), 'column')}")

    def _leave_out(self, column: pd.Series[Any], name: str, found: Guess) -> None:
        kind = "unknown" if self._given is not None else "empty" if column.isna().all() else found.role
        self._notes.leave_out(kind, name, found.reason)

    def _point_to(
        self,
        text: pd.Series[Any],
        words: NDArray[np.bool_] | None,
        name: str,
        done: str,
        kind: str = "number",
    ) -> None:
        note_words(self._account, name, text, words, done, kind)


def unfilled(nan: str) -> str:
    """What the checks of the finished features do with what is no number: the median was filled in before."""
    return "error" if nan == "median" else nan


def _text(column: pd.Series[Any]) -> tuple[pd.Series[Any], NDArray[np.bool_]]:
    """The values that are there as text, by row number, and which rows ``[N]`` have none."""
    from pandas.api import types

    missing = column.isna().to_numpy()
    present = column.reset_index(drop=True)[~missing]
    if types.is_float_dtype(present.dtype) and (present == present.round()).all():
        present = present.astype(np.int64)  # whole numbers turn to floats as soon as one cell is empty
    return present.astype(str).str.strip(), missing
