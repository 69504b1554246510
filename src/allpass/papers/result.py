"""One row of a study's CSV file as a typed record, and the file that gives back exactly the same rows.

Quoted cells are text. Other cells are nothing where empty, ``true`` or ``false``, an integer, a float, or text; text
that would be read as one of these is quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, TypedDict, TypeVar

from allpass.errors import InputError
from allpass.files import check_readable
from allpass.train.runs.run import Run

Cell: TypeAlias = str | int | float | bool | None

_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\Z)')
_SIGNS = re.compile(r'[",\r\n]')
_WORDS = {"": None, "true": True, "false": False}


class Made(TypedDict):
    """How long runs took, with which versions, where and when they were made."""

    seconds: float
    allpass: str
    torch: str
    device: str
    ended: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every row says of its runs; a study adds its own fields, which stand before these in the file.

    Args:
        seconds: The time of all runs.
        allpass: The version of allpass.
        torch: The version of torch.
        device: The processor.
        ended: The date of the last run.
    """

    place: ClassVar[tuple[str, ...]]
    """The fields that identify a row."""

    seconds: float
    allpass: str
    torch: str
    device: str
    ended: str

    @classmethod
    def columns(cls) -> list[str]:
        """The columns of the file."""
        names = [field.name for field in fields(cls)]
        own = len(fields(Result))
        return names[own:] + names[:own]

    @classmethod
    def of_cells(cls, cells: Mapping[str, Any]) -> Self:
        """The row with these cells."""
        return cls(**cells)

    def cells(self) -> dict[str, Cell]:
        """The cells of the row, in the order of the columns."""
        return {name: getattr(self, name) for name in type(self).columns()}


R = TypeVar("R", bound=Result)


def made(runs: Sequence[Run]) -> Made:
    """How runs were made: the time of all of them, everything else of the last one."""
    last = max(runs, key=lambda run: run.ended)
    return {
        "seconds": round(sum(run.seconds for run in runs), 3),
        "allpass": last.versions.get("allpass", ""),
        "torch": last.versions.get("torch", ""),
        "device": last.versions.get("device", ""),
        "ended": last.ended.date().isoformat(),
    }


def merged(old: Sequence[R], new: Sequence[R]) -> list[R]:
    """The old rows with newer ones in their places, further ones at the end."""
    return list({place_of(result): result for result in (*old, *new)}.values())


def place_of(result: Result) -> tuple[Any, ...]:
    """What identifies a row."""
    return tuple(getattr(result, name) for name in result.place)


def rounded(value: float | None, digits: int = 3) -> float | None:
    """A number rounded; None where it is None, infinite or NaN.

    Example:
        >>> rounded(2 / 3), rounded(math.nan)
        (0.667, None)
    """
    return round(value, digits) if value is not None and math.isfinite(value) else None


def read_results(path: str | Path, kind: type[R]) -> list[R]:
    """The rows of a file that :func:`csv_text` gave; no rows where there is no file.

    Args:
        path: The file.
        kind: The class of its rows.
    """
    path = check_readable(path)
    if not path.exists():
        return []
    try:
        return parse_csv(path.read_text(encoding="utf-8"), kind)
    except OSError as error:
        raise InputError(
            f"Cannot read {str(path)!r}: {error.strerror or error}.", "Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{str(path)!r} is not UTF-8.", "Expected a CSV file of allpass reproduce."
        ) from error
    except InputError as error:
        raise InputError(f"{path}: {error.problem}", error.cure) from error


def csv_text(results: Sequence[Result]) -> str:
    """The text of the file of some rows, all of one class."""
    if not results:
        return ""
    lines: list[list[Cell]] = [list(results[0].cells())]
    lines += [list(result.cells().values()) for result in results]
    return "".join(",".join(map(_write, line)) + "\n" for line in lines)


def parse_csv(text: str, kind: type[R]) -> list[R]:
    """The rows in a text that :func:`csv_text` gave.

    Args:
        text: The text.
        kind: The class of its rows.
    """
    names, *lines = list(_lines(text)) or [[]]
    try:
        return [kind.of_cells(dict(zip(map(str, names), line, strict=True))) for line in lines]
    except (TypeError, KeyError, ValueError) as error:
        raise InputError(
            f"The rows are not those of this version of the study: {error}.",
            "Remove the file, or give another one.",
        ) from error


def _lines(text: str) -> Iterator[list[Cell]]:
    cells: list[Cell] = []
    place = 0
    while place < len(text):
        found = _CELL.match(text, place)
        if found is None:
            raise InputError(
                f"A quote is misplaced near {text[place : place + 30]!r}.", "Write the file again."
            )
        quoted, plain, end = found.groups()
        cells.append(_read(plain) if quoted is None else quoted.replace('""', '"'))
        place = found.end()
        if end != ",":
            yield cells
            cells = []


def _write(cell: Cell) -> str:
    if isinstance(cell, str):
        plain = _read(cell) == cell and not _SIGNS.search(cell)
        return cell if plain else '"' + cell.replace('"', '""') + '"'
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else repr(cell)


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
