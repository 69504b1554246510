"""A page of results as parts that every format can show: Markdown, LaTeX, HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from allpass.errors import InputError
from allpass.papers.study import Row, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

S = TypeVar("S")


@dataclass(frozen=True)
class Value:
    """What stands in a table.

    Args:
        text: The text, in plain characters: each format escapes what it has to.
        best: Whether it is the best of its column.
        shade: Where it stands between the worst (0) and the best (1) of its column; nothing where that says nothing.
    """

    text: str
    best: bool = False
    shade: float | None = None


@dataclass(frozen=True)
class Text:
    """Paragraphs, separated by empty lines, and lists whose lines begin with a dash; plain characters.

    Args:
        text: What is said.
    """

    text: str

    def parts(self) -> tuple[str | tuple[str, ...], ...]:
        r"""Its paragraphs, and its lists as one text an entry; a line that begins with two spaces continues an entry.

        Example:
            >>> Text("All of it.\n\n- one\n- two\n  of them").parts()
            ('All of it.', ('one', 'two of them'))
        """
        found: list[str | tuple[str, ...]] = []
        for kind, lines in groupby(self.text.splitlines(), _kind):
            if kind == "list":
                found.append(tuple("\n".join(lines)[2:].replace("\n  ", " ").split("\n- ")))
            elif kind == "paragraph":
                found.append(" ".join(line.strip() for line in lines))
        return tuple(found)


@dataclass(frozen=True)
class Heading:
    """The title of what follows.

    Args:
        text: What is said.
    """

    text: str


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        caption: What it shows, and how to read it.
        header: The names of its columns; the first one is that of the rows.
        rows: What stands in it; a plain text is a value without more.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Value | str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise InputError(
                    f"Got a row of {len(row)} cells under {len(self.header)} headers.",
                    "Give one cell a header.",
                )

    @classmethod
    def of_columns(
        cls, caption: str, header: tuple[str, ...], names: Sequence[str], columns: Sequence[Sequence[Value]]
    ) -> Table:
        """A table out of its columns.

        Args:
            caption: As of a table.
            header: As of a table.
            names: The names of the rows.
            columns: What stands beside them, column by column.
        """
        return cls(caption, header, tuple(zip(names, *columns, strict=True)))

    @property
    def in_colour(self) -> bool:
        """Whether some of its values have shades."""
        return any(value.shade is not None for row in self.values() for value in row)

    def values(self) -> Iterator[tuple[Value, ...]]:
        """Its rows, with every text as a value."""
        for row in self.rows:
            yield tuple(Value(cell) if isinstance(cell, str) else cell for cell in row)


@dataclass(frozen=True)
class Picture:
    """A picture.

    Args:
        name: Its file name, without an ending.
        caption: What it shows, and how to read it.
        draw: Draws it.
    """

    name: str
    caption: str
    draw: Callable[[], Figure] = field(repr=False)


Block: TypeAlias = Text | Heading | Table | Picture


@dataclass(frozen=True)
class Page:
    """A page.

    Args:
        title: Its title.
        blocks: What stands on it, in order.
        findings: What came of it, the most important first; nothing where nothing can be said yet.
    """

    title: str
    blocks: tuple[Block, ...]
    findings: tuple[str, ...] = ()

    def below_title(self) -> tuple[Block, ...]:
        """What came of it, and then the blocks."""
        return (listed(self.findings), *self.blocks) if self.findings else self.blocks


Builder: TypeAlias = Callable[[Study, Sequence[Row]], Page]
"""Makes the page of a study from its rows and from nothing else that was measured."""


def of_kind(study: Study, kind: type[S]) -> S:
    """A study as one of the kind that a page is for.

    Args:
        study: The study.
        kind: Its class.
    """
    if not isinstance(study, kind):
        raise InputError(f"The study {study.id!r} is no {kind.__name__}.", "Use the page of its own kind.")
    return study


def listed(lines: Sequence[str]) -> Text:
    """Lines as a list.

    Args:
        lines: The entries, each on one line.
    """
    return Text("\n".join(f"- {line}" for line in lines))


def _kind(line: str) -> str:
    if line.startswith(("- ", "  ")):
        return "list"
    return "paragraph" if line.strip() else "nothing"
