"""The rows of a study as a CSV file that gives back exactly the same rows.

What stands in quotes is text. What does not is nothing where it is empty, ``true`` or ``false``, a whole number, a
number with a point or an exponent, and text otherwise: text that would be read as one of these is put in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from allpass.errors import InputError
from allpass.files import write_whole
from allpass.papers.study import Row

_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\Z)')
_SIGNS = re.compile(r'[",\r\n]')
_WORDS = {"": None, "true": True, "false": False}

Cell = str | int | float | bool | None


def write_rows(rows: Sequence[Row], path: str | Path) -> Path:
    """Write rows to a file, whole or not at all; returns the path.

    Args:
        rows: The rows; all of them have the same names.
        path: The file.
    """
    return write_whole(path, csv_text(rows).encode())


def read_rows(path: str | Path) -> list[Row]:
    """The rows of a file that :func:`write_rows` wrote.

    Args:
        path: The file.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise InputError(
            f"The file {str(path)!r} cannot be read: {error.strerror or error}.", "Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file {str(path)!r} is not UTF-8.", "Write it again.") from error
    try:
        return parse_csv(text)
    except InputError as error:
        raise InputError(f"{path}: {error.problem}", error.cure) from error


def csv_text(rows: Sequence[Row]) -> str:
    """The text of the file.

    Args:
        rows: The rows; all of them have the same names.

    Example:
        >>> print(csv_text([{"row": "GCN", "runs": 10, "mean": 81.0, "rerun": None, "note": ""}]), end="")
        row,runs,mean,rerun,note
        GCN,10,81.0,,""
    """
    if not rows:
        return ""
    names = list(rows[0])
    for number, row in enumerate(rows, 1):
        if list(row) != names:
            raise InputError(
                f"Row {number} has the names {', '.join(row)}; the first one has {', '.join(names)}.",
                "Give all rows the same names in the same order.",
            )
    return "".join(",".join(map(_write, cells)) + "\n" for cells in (names, *(row.values() for row in rows)))


def parse_csv(text: str) -> list[Row]:
    """The rows in such a text.

    Args:
        text: What :func:`csv_text` gave.
    """
    lines = list(_lines(text))
    if not lines:
        return []
    names, rows = [str(name) for name in lines[0]], lines[1:]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise InputError(
                f"row {number} has {len(row)} cells under {len(names)} names.", "Write the file again."
            )
    return [dict(zip(names, row, strict=True)) for row in rows]


def _lines(text: str) -> list[list[Cell]]:
    lines: list[list[Cell]] = []
    cells: list[Cell] = []
    place = 0
    while place < len(text):
        found = _CELL.match(text, place)
        if found is None:
            raise InputError(
                f"a quote is out of place near {text[place : place + 30]!r}.", "Write the file again."
            )
        quoted, plain, end = found.groups()
        cells.append(_read(plain) if quoted is None else quoted.replace('""', '"'))
        place = found.end()
        if end != ",":
            lines.append(cells)
            cells = []
    if cells:
        raise InputError("it ends within a row.", "Write the file again.")
    return lines


def _write(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int():
            return int.__repr__(cell)
        case float():
            return float.__repr__(cell)
        case str():
            plain = _read(cell) == cell and not _SIGNS.search(cell)
            return cell if plain else '"' + cell.replace('"', '""') + '"'
    raise InputError(
        f"Got {cell!r} of the type {type(cell).__name__!r}.",
        "Expected text, a number, true, false or nothing.",
    )


def _read(cell: str) -> Cell:
    if cell in _WORDS:
        return _WORDS[cell]
    for kind in (int, float):
        try:
            value = kind(cell)
        except ValueError:
            continue
        if repr(value) == cell:
            return value
    return cell
