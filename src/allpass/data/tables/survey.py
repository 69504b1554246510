"""One pass over the rows of a text table, for what a parser would pass over in silence."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from allpass.data.tables.layout import SPACES, is_number, not_text, nul, rows, split_row
from allpass.errors import DataError

Array = NDArray[Any]

_CHUNK = 1 << 24  # bytes
_ROWS = 1 << 16


@dataclass
class Lines:
    """Lines of one kind: how many there are, and the number and the text of the first."""

    count: int = 0
    first: int = 0
    text: str = ""

    def add(self, count: int, first: int, text: str = "") -> None:
        """Take in more lines, of which ``first`` is the first."""
        if count and not self.count:
            self.first, self.text = first, text
        self.count += count


@dataclass
class Survey:
    """What stands in the rows of a text table.

    Args:
        short: Rows with too few fields: pandas reads the cells that they lack as empty.
        hashes: For each line that starts with ``#``: its number, its text, and whether it is a comment for certain,
            because a space follows or because it has another number of fields than a row.
        numeric: Whether the first row starts with a number.
        spread: For each column the cells that hold a line break.
        loose: Rows with text behind a closing quote; it is read as part of the field.
        headers: Numbers of the lines that repeat the header, as in files that were joined.
        gaps: Blank lines between rows; they are looked for in tables of one column.
        rows: How many rows there are, without those that start with ``#``.
        widest: The most fields in a row.
    """

    short: Lines = field(default_factory=Lines)
    hashes: list[tuple[int, str, bool]] = field(default_factory=list)
    numeric: bool = False
    spread: dict[int, Lines] = field(default_factory=dict)
    loose: Lines = field(default_factory=Lines)
    headers: list[int] = field(default_factory=list)
    gaps: Lines = field(default_factory=Lines)
    rows: int = 0
    widest: int = 0

    def comments(self, above: bool) -> list[tuple[int, str]]:
        """Number and text of the lines to skip; ``above`` says whether comments stand above the table.

        A line such as ``#a,b`` may be a comment, or a row whose id starts with ``#``. It is taken for a comment where
        rows start with a number, or where comments stand above the table and most rows start without ``#``.
        """
        others = self.numeric or (above and self.rows > len(self.hashes))
        return [(line, text) for line, text, certain in self.hashes if certain or others]


@dataclass(frozen=True)
class _Block:
    """Consecutive rows: the line each starts in, its number of fields (0: blank), whether it starts with ``#``.

    ``text`` gives the text of one of them; ``headers``, ``spread`` and ``loose`` are as in
    :class:`Survey`.
    """

    lines: Array
    fields: Array
    hashed: Array
    text: Callable[[int], str]
    headers: list[int] = field(default_factory=list)
    spread: dict[int, Lines] = field(default_factory=dict)
    loose: Lines = field(default_factory=Lines)


def survey(path: Path, start: int, line: int, width: int, separator: str, header: str = "") -> Survey:
    """Look at the rows from byte ``start``, the first of line number ``line``, where a row has ``width`` fields.

    ``header`` is the line of names above the rows, if there is one.

    Raises:
        DataError: A row has more fields, a quote is not closed, or the file is not text.
    """
    found, blank, last = Survey(), [np.empty(0, np.int64)], 0
    for block in _blocks(path, start, line, width, separator, header):
        filled = block.fields > 0
        data = filled & ~block.hashed
        long, short = (np.flatnonzero(data & wrong) for wrong in (block.fields > width, block.fields < width))
        if long.size:
            raise DataError(
                f"Line {block.lines[long[0]]:,} of {path.name!r} has {block.fields[long[0]]:,} fields; "
                f"expected {width:,}.",
                "Expected the same number of fields in every row; put quotes around a field with a separator in it.",
            )
        if short.size:
            found.short.add(short.size, int(block.lines[short[0]]), block.text(int(short[0])))
        if not found.rows and data.any():
            found.numeric = is_number(split_row(block.text(int(np.argmax(data))), separator)[0])
        for place in np.flatnonzero(block.hashed).tolist():
            text = block.text(place)
            certain = text[1:2] in ("", " ", "\t", "#") or bool(block.fields[place] != width)
            found.hashes.append((int(block.lines[place]), text, certain))
        found.headers += block.headers
        for column, cells in block.spread.items():
            found.spread.setdefault(column, Lines()).add(cells.count, cells.first)
        found.widest = max(found.widest, int(block.fields[filled].max(initial=0)))
        found.loose.add(block.loose.count, block.loose.first, block.loose.text)
        found.rows += int(np.count_nonzero(data))
        blank.append(block.lines[~filled])
        last = int(block.lines[filled][-1]) if filled.any() else last
    gaps = np.concatenate(blank)
    gaps = gaps[gaps < last]
    found.gaps.add(gaps.size, int(gaps[0]) if gaps.size else 0)
    return found


def without_lines(path: Path, start: int, line: int, skipped: set[int]) -> io.BytesIO:
    """The file from byte ``start``, the first of line number ``line``, without the lines of these numbers."""
    with path.open("rb") as file:
        file.seek(start)
        lines = _normal(file.read()).split(b"\n")
    return io.BytesIO(b"\n".join(text for number, text in enumerate(lines, line) if number not in skipped))


def _blocks(path: Path, start: int, line: int, width: int, separator: str, header: str) -> Iterator[_Block]:
    with path.open("rb") as file:
        file.seek(start)
        for chunk in _chunks(file):
            if b"\0" in chunk:
                raise nul(path)
            if (
                b'"' in chunk
            ):  # Quotes may hold separators and line breaks: from here on each row is read by itself.
                file.seek(start)
                yield from _quoted(file, path, line, width, separator, header)
                return
            block = _plain(chunk, line, width, separator, header)
            yield block
            start, line = start + len(chunk), line + block.lines.size


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    """The rest of the file in pieces that end where a line ends."""
    rest = b""
    while piece := file.read(_CHUNK):
        rest += piece
        # A carriage return at the very end may be half of a line break.
        end = 1 + max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, len(rest) - 1))
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _normal(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _plain(chunk: bytes, line: int, width: int, separator: str, header: str) -> _Block:
    """Lines without quotes, all at once."""
    text = _normal(chunk)
    text = text if text.endswith(b"\n") else text + b"\n"
    letters = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    solid = (letters != ord(" ")) & (letters != ord("\n"))
    if separator == SPACES:
        solid &= letters != ord("\t")
        fields = _count(solid & ~np.concatenate([[False], solid[:-1]]), starts)
    else:
        if separator != "\t":
            solid &= letters != ord("\t")
        separators = letters == ord(separator)
        fields = np.where(np.logical_or.reduceat(solid, starts), 1 + _count(separators, starts), 0)
        # Some programs end every row in a separator; the field behind it is empty.
        fields -= (fields == width + 1) & separators[np.maximum(ends - 1, 0)]
    headers: list[int] = []
    wanted, place = b"\n" + header.encode() + b"\n", -1
    framed = b"\n" + text
    while header and (place := framed.find(wanted, place + 1)) >= 0:
        headers.append(line + int(np.searchsorted(starts, place)))
    return _Block(
        headers=headers,
        lines=line + np.arange(ends.size),
        fields=fields,
        hashed=letters[starts] == ord("#"),
        text=lambda place: text[starts[place] : ends[place]].decode("utf-8", "replace"),
    )


def _count(marks: Array, starts: Array) -> Array:
    """How many marks there are from each start to the next."""
    places = np.flatnonzero(marks)
    return np.diff(np.searchsorted(places, np.append(starts, marks.size)))


def _quoted(
    file: BinaryIO, path: Path, line: int, width: int, separator: str, header: str
) -> Iterator[_Block]:
    """Rows with quotes in them, one by one."""
    lines: list[int] = []
    fields: list[int] = []
    texts: list[str] = []
    spread: dict[int, Lines] = {}

    def block() -> _Block:
        first = [text.lstrip(" ")[:1] for text in texts]
        taken = (
            np.array(lines, np.int64),
            np.array(fields, np.int64),
            np.array([c == "#" for c in first], bool),
        )
        return _Block(*taken, text=list(texts).__getitem__, headers=headers, spread=spread, loose=loose)

    loose, headers = Lines(), list[int]()
    decoded = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        for row in rows(decoded, path, line, separator):
            count = len(row.fields) if len(row.fields) > 1 or row.text.strip() else 0
            # Some programs end every row in a separator; the field behind it is empty.
            lines.append(row.line)
            fields.append(width if count == width + 1 and not row.fields[-1] else count)
            texts.append(row.text)
            headers += [row.line] * bool(header and row.text.strip() == header)
            loose.add(int(row.loose), row.line, row.text)
            for column, cell in enumerate(row.fields if row.after > row.line + 1 else ()):
                if "\n" in cell or "\r" in cell:
                    spread.setdefault(column, Lines()).add(1, row.line)
            if len(lines) == _ROWS:
                yield block()
                lines, fields, texts, headers, spread, loose = [], [], [], [], {}, Lines()
        yield block()
    except UnicodeDecodeError:
        raise not_text(path) from None
    finally:
        decoded.detach()  # the file is closed by who opened it
