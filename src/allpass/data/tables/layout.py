"""The head of a text table: where its first row starts, its separator, and whether that row holds names."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allpass.errors import DataError

SPACES = r"\s+"
"""The separator of tables whose fields stand apart by spaces or tabs."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_EXCEL = re.compile(r"sep=(.)\s*")


@dataclass(frozen=True)
class Layout:
    """How a text table is written.

    Args:
        separator: ``","``, ``";"``, a tab, or :data:`SPACES`.
        first: Fields of the first row.
        text: The line of the first row.
        start: Byte where the first row starts; the lines above it are blank or comments.
        after: Byte where the second row starts.
        line: Number of the first row's line, from 1.
        rows_line: Number of the second row's line.
        comments: The comment lines above the first row.
    """

    separator: str
    first: list[str]
    text: str
    start: int
    after: int
    line: int
    rows_line: int
    comments: list[str]

    @property
    def all_numbers(self) -> bool:
        """Whether every field of the first row that is not empty is a number."""
        filled = [field for field in self.first if field]
        return bool(filled) and all(is_number(field) for field in filled)

    @property
    def counted(self) -> bool:
        """Whether the first row counts 0, 1, 2, ..., as the header of a pandas frame without column names does."""
        fields = self.first[1:] if self.first[0] == "" else self.first
        return fields == [str(k) for k in range(len(fields))]

    @property
    def written_index(self) -> bool:
        """Whether the first row is empty, 0, 1, 2, ...: the header of such a frame written with its index."""
        return len(self.first) > 1 and self.first[0] == "" and self.counted


def read_layout(path: Path) -> Layout:
    """The layout of the text table at ``path``, from its first row."""
    start, number, comments, excel = 0, 1, [], None
    try:
        # newline="" splits lines at \n, \r\n and \r and keeps them, so that lengths add up to places in the file.
        with path.open(encoding="utf-8", newline="") as lines:
            for line in lines:
                text = line.removeprefix("\ufeff") if number == 1 else line
                excel = excel or (_EXCEL.fullmatch(text) if number == 1 else None)
                if text.strip() and not text.startswith("#") and not (excel and number == 1):
                    break
                comments += [text.strip()] if text.startswith("#") else []
                start, number = start + len(line.encode()), number + 1
            else:
                raise DataError(f"The file {path.name!r} is empty.", "Expected a table with a header row.")
            if "\0" in text:
                raise nul(path)
            start += len(line.encode()) - len(text.encode())
            separator = excel[1] if excel else _separator(text, path)
            row = next(rows(itertools.chain([text], lines), path, number, separator))
    except UnicodeDecodeError:
        raise not_text(path) from None
    first = [field.strip() for field in row.fields]
    return Layout(
        separator, first, row.text.strip(), start, start + len(row.text.encode()), number, row.after, comments
    )


@dataclass(frozen=True)
class Row:
    """One row of a text table.

    Args:
        line: Number of the line it starts in.
        after: Number of the line behind it.
        text: Its text.
        fields: Its fields, as pandas reads them.
        loose: Whether text follows a closing quote.
    """

    line: int
    after: int
    text: str
    fields: list[str]
    loose: bool = False


def rows(lines: Iterable[str], path: Path, line: int, separator: str) -> Iterator[Row]:
    """The rows in these lines, of which the first has the number ``line``; a quoted field may hold line breaks."""
    taken: list[str] = []

    def recorded() -> Iterator[str]:
        for text in lines:
            taken.append(text)
            yield _spaced(text, separator)

    reader = csv.reader(recorded(), strict=True, **_dialect(separator))
    while True:
        taken.clear()
        loose = False
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            # Text behind a closing quote belongs to the field, as long as that stays in its line.
            if len(taken) != 1 or taken[0].count('"') % 2:
                raise _open_quote(path, line, line + len(taken) - 1) from None
            fields, loose = split_row(taken[0], separator), True
        yield Row(line, line + len(taken), "".join(taken), fields, loose)
        line += len(taken)


def _open_quote(path: Path, line: int, last: int) -> DataError:
    return DataError(
        f"A quote that opens in line {line:,} of {path.name!r} is not closed"
        + (f" there, but in line {last:,}, or never." if last > line else "."),
        'Close the quote at the end of its field; write a quote that belongs to the text twice ("").',
    )


def split_row(line: str, separator: str) -> list[str]:
    """The fields of one row, without spaces around them."""
    return [
        field.strip() for field in next(csv.reader([_spaced(line, separator)], **_dialect(separator)), [])
    ]


def _spaced(line: str, separator: str) -> str:
    """The line as Python's csv reader takes it: a run of spaces and tabs between fields is one space."""
    return line.replace("\t", " ").rstrip(" \r\n") + "\n" if separator == SPACES else line


def _dialect(separator: str) -> dict[str, Any]:
    """Options of Python's csv reader that split rows as pandas does."""
    return {"delimiter": " " if separator == SPACES else separator, "skipinitialspace": True}


def is_number(field: str) -> bool:
    """Whether a field is written as a number."""
    return _NUMBER.fullmatch(field) is not None


def not_text(path: Path) -> DataError:
    """The error for a file that is binary or in another encoding."""
    return DataError(f"The file {path.name!r} is not UTF-8 text.", "Save the table as UTF-8, or as Parquet.")


def nul(path: Path) -> DataError:
    """The error for a file with bytes that no text has."""
    return DataError(f"The file {path.name!r} holds NUL bytes.", "Save the table as UTF-8, or as Parquet.")


def _separator(line: str, path: Path) -> str:
    bare = re.sub(r'"[^"]*"', "", line)
    counts = {separator: bare.count(separator) for separator in (",", "\t", ";")}
    separator = max(counts, key=lambda key: counts[key])
    if not counts[separator] and path.suffix.lower() not in (".csv", ".tsv", ".tab"):
        return SPACES
    return separator
