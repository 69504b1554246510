"""A plain account of what was found in the data and what was done about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Note:
    """One thing worth knowing about the data.

    Args:
        code: Short stable name, for programs: ``"duplicate-edges"``.
        count: How many nodes, edges or values it concerns.
        what: What was found and what was done, in one sentence.
        cure: What the reader can do about it; empty when nothing needs doing.
    """

    code: str
    count: int
    what: str
    cure: str = ""


class Account:
    """The notes of one dataset, in the order they were made.

    Example:
        >>> account = Account()
        >>> account.add("self-loops", 3, "3 self-loops were kept.")
        >>> [note.code for note in account]
        ['self-loops']
    """

    def __init__(self) -> None:
        self._notes: list[Note] = []

    def add(self, code: str, count: int, what: str, cure: str = "") -> None:
        """Write a note, unless it concerns nothing at all."""
        if count:
            self._notes.append(Note(code, count, what, cure))

    def extend(self, notes: Iterable[Note]) -> None:
        """Take in the notes of another account."""
        self._notes.extend(notes)

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes)

    def __len__(self) -> int:
        return len(self._notes)

    def __contains__(self, code: object) -> bool:
        return any(note.code == code for note in self._notes)

    def to_list(self) -> list[dict[str, str | int]]:
        """The notes as plain dictionaries, for JSON."""
        return [asdict(note) for note in self._notes]

    def __repr__(self) -> str:
        return f"Account({', '.join(note.code for note in self._notes)})"
