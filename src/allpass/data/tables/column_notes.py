"""What was done with the columns of a table, in sentences for the account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 8  # columns in one note
_LEFT_OUT = {
    "id": (
        "left-out-ids",
        "looks like ids",
        "look like ids",
        "Name them in numbers= to use them as numbers, or in categories= to make a 0/1 column of each value.",
    ),
    "text": (
        "left-out-text",
        "holds free text",
        "hold free text",
        "Name them in text= to make features of their words (TF-IDF).",
    ),
    "left out": (
        "left-out-categories",
        "holds too many different values for 0/1 columns",
        "hold too many different values for 0/1 columns",
        "Name them in categories= to make those columns all the same, or in text= to make features of their words.",
    ),
    "empty": ("left-out-empty", "holds no value at all", "hold no value at all", ""),
}


@dataclass
class ColumnNotes:
    """What is collected while columns are encoded.

    Args:
        left_out: Columns that became no feature, with the reason, by a kind of ``_LEFT_OUT``.
        filled: Missing numbers by column.
        spread: 0/1 columns made of each category.
        dates: How each column of dates is written.
        numbers: How each column of numbers is written that are not plain ones, with an example.
        words: Words of each text.
    """

    left_out: dict[str, dict[str, str]] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)
    spread: dict[str, int] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)

    def leave_out(self, kind: str, name: str, why: str) -> None:
        """Remember a column that becomes no feature."""
        self.left_out.setdefault(kind, {})[name] = why

    def write(self, account: Account) -> None:
        """Write a note for everything that was collected."""
        for kind, (code, one, several, cure) in _LEFT_OUT.items():
            names = self.left_out.get(kind, {})
            columns = (
                f"1 column {one} and was" if len(names) == 1 else f"{len(names):,} columns {several} and were"
            )
            listed = some(list(names)) if kind == "empty" else _with_reasons(names)
            account.add(code, len(names), f"{columns} left out: {listed}.", cure)
        account.add(
            "spread-text",
            len(self.spread),
            f"{many(len(self.spread), 'text column')} became 0/1 columns, one a value: "
            f"{_with_reasons({name: many(width, 'column') for name, width in self.spread.items()})}.",
            "Numbers that are written as text are better turned into numbers in the table; features= names the "
            "columns to read.",
        )
        account.add(
            "dates",
            len(self.dates),
            f"{many(len(self.dates), 'column of dates', 'columns of dates')} became seconds since 1970: "
            f"{_with_reasons(self.dates)}.",
            "Name them in drop= to leave them out.",
        )
        account.add(
            "written-numbers",
            len(self.numbers),
            f"{many(len(self.numbers), 'column of text was', 'columns of text were')} read as numbers: "
            f"{_with_reasons(self.numbers)}.",
            "Name them in categories= to make a 0/1 column of each value.",
        )
        for name, count in self.words.items():
            account.add(
                "words",
                count,
                f"The text {name!r} became the TF-IDF of {many(count, 'word')}. The vocabulary comes from all rows, "
                "test nodes included.",
            )
        total = sum(self.filled.values())
        account.add(
            "missing-features",
            total,
            f"{many(total, 'missing number was', 'missing numbers were')} replaced by the column's median, and a "
            f"0/1 column says where: {some(list(self.filled))}.",
            "Pass nan='zero', nan='mean' or nan='error' for another way.",
        )


def note_words(
    account: Account,
    name: str,
    text: pd.Series[Any],
    words: NDArray[np.bool_] | None,
    done: str,
    kind: str = "number",
) -> None:
    """Point to the words that stand in a column of numbers or dates, the first of them with its row.

    Args:
        account: Where the note goes.
        name: The column.
        text: Its values, by row number.
        words: Which of them are words.
        done: What was done about it.
        kind: ``"number"`` or ``"date"``.
    """
    if words is None or not words.any():
        return
    count, first = int(words.sum()), int(np.argmax(words))
    account.add(
        f"words-among-{kind}s",
        count,
        f"{name!r} has {many(count, 'value that is', 'values that are')} no {kind} ({text.iloc[first]!r}, row "
        f"{text.index[first] + 1:,}), so {done}.",
        f"Correct {'it' if count == 1 else 'them'} in the table, or leave the {'cell' if count == 1 else 'cells'} "
        f"empty, to have one column of {kind}s.",
    )


def note_spaces(account: Account, title: str, columns: Iterable[pd.Series[Any]]) -> None:
    """Note the columns whose values are read without the spaces around them, that is where it changes a value."""
    found = {}
    for column in columns:
        if not _is_text(column):
            continue
        if spaced := [value for value in column if isinstance(value, str) and value != value.strip()]:
            found[str(column.name)] = f"{many(len(spaced), 'value')}, such as {spaced[0]!r:.40}"
    account.add(
        "trimmed",
        len(found),
        f"Spaces around values of {title} were left out: {_with_reasons(found)}.",
    )


def _is_text(column: pd.Series[Any]) -> bool:
    from pandas.api import types

    return types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype)


def _with_reasons(columns: Mapping[str, str]) -> str:
    shown: Iterable[str] = (f"{name!r} ({why})" for name, why in list(columns.items())[:_SHOWN])
    return ", ".join(shown) + f" and {len(columns) - _SHOWN:,} more" * (len(columns) > _SHOWN)
