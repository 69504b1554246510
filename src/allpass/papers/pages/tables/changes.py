"""What it makes to change a network: rows of a table that are to be read against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.cells import NOT_YET, Results, signed, title_of
from allpass.papers.pages.tables.pairs import (
    INTERVALS,
    VERSIONS,
    Ahead,
    Mean,
    Version,
    difference,
    kind_of,
    mean_of,
)
from allpass.papers.tables.cell import Cell, Column

_IDLE, _FAILS = "○", "◐"
MARKED = (
    "They are not corrected for how many there are: expect 5% of them to leave out 0 by chance. "
    f"{_IDLE}: neither network does better than the most frequent class, {_FAILS}: one of them does not."
)
"""What is said of many differences."""

_UNTUNED = (
    "Nothing was tuned anew for a change at the same settings: where a network fails there, that is no effect of the "
    "change alone."
)
_ABOUT = f"{INTERVALS} {MARKED} {_UNTUNED}"
_UNLIKE = (
    "Honest changes are of corrected data where there are such. Intervals of ours allow for the nodes that splits "
    "share and are wider than those of published numbers, so counts cannot be compared between the two."
)


@dataclass(frozen=True)
class Change:
    """A row against the one that it changes.

    Args:
        ahead: The difference of their means.
        learns: Whether the row does better than the most frequent class.
        other_learns: Whether the other does.
    """

    ahead: Ahead
    learns: bool
    other_learns: bool

    @classmethod
    def between(cls, first: Mean, second: Mean) -> Change:
        """The first mean minus the second."""
        return cls(difference(first, second), first.learns, second.learns)

    @property
    def counts(self) -> bool:
        """Whether it says anything: one of the two does better than the most frequent class."""
        return self.learns or self.other_learns

    def __str__(self) -> str:
        return f"{self.ahead} {(_IDLE, _FAILS, '')[self.learns + self.other_learns]}".strip()


def changes(results: Results) -> tuple[Block, ...]:
    """The section: every such row minus the one that it changes.

    Args:
        results: The rows of the table.
    """
    found = {version: known for version in VERSIONS if (known := _known(results, version))}
    if not found:
        return ()
    return (
        Heading("What a change makes"),
        Text(_ABOUT),
        *(_table(results, version, known) for version, known in found.items()),
    )


def told_changes(results: Results) -> tuple[str, ...]:
    """What each change makes and how often it lowers the mean, a sentence each.

    What was published and what is honest are told on average; where an honest one says nothing, the published ones
    are told without its place too. Of the same
    settings it is the middle one of the places where both networks learn, and how far the others are off: nothing was
    tuned anew, so that a network that nearly fails would decide an average.

    Args:
        results: The rows of the table.
    """
    against = {cell.row: cell.against for cell in results.spec.cells}
    found: dict[str, dict[Version, dict[tuple[str, str], Change]]] = {}
    for version in VERSIONS:
        for place, change in _known(results, version).items():
            if change.counts:
                (_, _, name), (_, _, other) = (row.rpartition(": ") for row in (place[0], against[place[0]]))
                what = found.setdefault(f"“{name}” minus “{other}”", {})
                what.setdefault(version, {})[place] = change
    told = [
        f"{what}: "
        + "; ".join(
            f"{VERSIONS[version]} {(_middle if version == 'same' else _average)([*places.values()])}"
            + (_without(places, versions.get("honest", {})) if version == "published" else "")
            for version, places in versions.items()
        )
        + "."
        for what, versions in found.items()
    ]
    if any({"published", "honest"} <= versions.keys() for versions in found.values()):
        told.append(_UNLIKE)
    if any("same" in versions for versions in found.values()):
        told.append(_UNTUNED)
    return tuple(told)


def _average(found: Sequence[Change]) -> str:
    points = fmean(change.ahead.points for change in found)
    return f"{signed(points, 1)} points in the mean over graphs and networks ({_sides(found)})"


def _without(published: Mapping[tuple[str, str], Change], honest: Mapping[tuple[str, str], Change]) -> str:
    """The published average over the places of the honest ones, where these are fewer."""
    shared = [change for place, change in published.items() if place in honest]
    left = {column: None for _, column in published if column not in {column for _, column in honest}}
    if not shared or len(shared) == len(published):
        return ""
    points = signed(fmean(change.ahead.points for change in shared), 1)
    names = f", without {', '.join(left)}" if left else ""
    return f", {points} on the {len(shared)} where ours can be judged{names}"


def _middle(found: Sequence[Change]) -> str:
    both = [change for change in found if change.learns and change.other_learns]
    failed = len(found) - len(both)
    fails = f"one of the two does no better than the most frequent class on {failed} of {len(found)}"
    if not both:
        return fails
    points = [change.ahead.points for change in both]
    ends = f"{signed(min(points), 1)} to {signed(max(points), 1)}; " if len(points) > 1 else ""
    told = f"{signed(median(points), 1)} points in the middle ({ends}{_sides(both)})"
    return f"{told}; {fails}" if failed else told


def _sides(found: Sequence[Change]) -> str:
    sides = [change.ahead.side for change in found]
    raised = f" and raises it in {sides.count(1)}" if 1 in sides else ""
    return f"lowers the mean in {sides.count(-1)} of {len(sides)} by 95% intervals{raised}"


def _known(results: Results, version: Version) -> dict[tuple[str, str], Change]:
    """The differences that can be told, by row and column."""
    found = {}
    for cell in results.spec.cells:
        ours = not cell.searched  # and nothing was published of it
        if not cell.against or (ours and version == "published"):
            continue
        change = change_of(results, cell, results.cell(cell.against, cell.column), version)
        if change is not None:
            found[cell.row, cell.column.name] = change
    return found


def change_of(results: Results, cell: Cell | None, other: Cell | None, version: Version) -> Change | None:
    """One number minus another, of the same splits where they can be; nothing where one of them is not there.

    Args:
        results: The rows of the table.
        cell: The one.
        other: The other.
        version: Whose numbers.
    """
    places = (cell, other)
    fresh = all(results.get(place, "fresh") is not None for place in places)
    first, second = (mean_of(results, place, version, fresh=fresh) for place in places)
    return None if first is None or second is None else Change.between(first, second)


def _table(results: Results, version: Version, known: Mapping[tuple[str, str], Change]) -> Table:
    against = {cell.row: cell.against for cell in results.spec.cells}
    rows = [row for row in results.spec.rows if row in {row for row, _ in known}]
    columns = [column for column in results.spec.columns if column.name in {name for _, name in known}]
    return Table(
        f"In points, {VERSIONS[version]}.",
        ("rows", *(title_of(column, kind_of(version)) for column in columns)),
        tuple(
            (
                f"{row} minus {against[row]}",
                *(
                    str(known.get((row, column.name), _waiting(results, row, column, version)))
                    for column in columns
                ),
            )
            for row in rows
        ),
    )


def _waiting(results: Results, row: str, column: Column, version: Version) -> str:
    """What stands where there is no difference: whether one is to come."""
    cell = results.cell(row, column)
    places = [cell, results.cell(cell.against, column)] if cell is not None else []
    return NOT_YET if any(results.missing(place, kind_of(version)) == NOT_YET for place in places) else "–"
