"""What it makes to change one thing of a network: rows of a table that are to be read against another."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.report.results.page import Block, Heading, Table
from allpass.report.results.tables.cells import Results, title_of
from allpass.report.results.tables.pairs import VERSIONS, Ahead, Version, difference, kind_of, mean_of

_INTERVAL = ", with the 95% interval over the splits, taken as independent"


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
        *(_table(results, version, known) for version, known in found.items()),
    )


def told_changes(results: Results) -> str:
    """How many changes lower or raise the mean, by what each kind of numbers says; empty where there are none.

    Args:
        results: The rows of the table.
    """
    parts = []
    for version, title in VERSIONS.items():
        sides = [_side(ahead, version) for ahead in _known(results, version).values()]
        if sides:
            parts.append(
                f"{title}, {sides.count(-1)} of {len(sides)} lower the mean and {sides.count(1)} raise it"
            )
    return f"Of changes of one thing, {'; '.join(parts)} (ours by 95% intervals)." if parts else ""


def _side(ahead: Ahead, version: Version) -> int:
    """Printed means have no splits to pair: their sign alone."""
    return (ahead.points > 0) - (ahead.points < 0) if version == "published" else ahead.side


def _known(results: Results, version: Version) -> dict[tuple[str, str], Ahead]:
    """The differences that can be told, by row and column."""
    found = {}
    for cell in results.spec.cells:
        ours = not cell.searched  # and nothing was published of it
        if cell.against and not (ours and version == "published"):
            one = mean_of(results, cell, version)
            other = mean_of(results, results.cell(cell.against, cell.column), version)
            if one is not None and other is not None:
                found[cell.row, cell.column.name] = difference(one, other)
    return found


def _table(results: Results, version: Version, known: Mapping[tuple[str, str], Ahead]) -> Table:
    against = {cell.row: cell.against for cell in results.spec.cells}
    rows = [row for row in results.spec.rows if row in {row for row, _ in known}]
    columns = [column for column in results.spec.columns if column.name in {name for _, name in known}]
    return Table(
        f"In points, {VERSIONS[version]}{'' if version == 'published' else _INTERVAL}.",
        ("rows", *(title_of(column, kind_of(version)) for column in columns)),
        tuple(
            (
                f"{row} minus {against[row]}",
                *(str(known.get((row, column.name), "not run yet")) for column in columns),
            )
            for row in rows
        ),
    )
