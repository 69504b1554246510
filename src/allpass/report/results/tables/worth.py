"""What channels are worth with honest settings: every ACM network minus the networks without channels."""

from __future__ import annotations

from allpass.report.results.page import Block, Heading, Table, Text
from allpass.report.results.tables.cells import Results, title_of
from allpass.report.results.tables.changes import MARKED, Change, change_of
from allpass.report.results.tables.pairs import INTERVALS

FAMILY = "ACM"
"""What the names of networks with channels begin with."""

PLAIN = ("MLP-2", "GCN")
"""One that sees no graph, and one that averages."""


def worth(results: Results) -> tuple[Block, ...]:
    """The section; nothing where no such pair has honest numbers.

    Args:
        results: The rows of a table.
    """
    tables = [table for plain in PLAIN if (table := _table(results, plain)) is not None]
    if not tables:
        return ()
    about = Text(f"Settings of both are chosen on validation nodes alone. {INTERVALS} {MARKED}")
    return (Heading("What channels are worth with honest settings"), about, *tables)


def told_worth(results: Results) -> str:
    """On how many graphs each network is above and below the plain ones; empty where nothing is known.

    Args:
        results: The rows of a table.
    """
    parts = []
    for row in _networks(results):
        told = []
        for plain in PLAIN:
            sides = [found.ahead.side for found in _known(results, row, plain).values() if found.learning]
            if sides:
                wins, losses = sides.count(1), sides.count(-1)
                told.append(f"above {plain} on {wins} of {len(sides)} graphs and below it on {losses}")
        if told:
            parts.append(f"{row} is {', '.join(told)}")
    return f"With honest settings, by 95% intervals: {'; '.join(parts)}." if parts else ""


def _networks(results: Results) -> list[str]:
    return [row for row in results.spec.rows if row.startswith(FAMILY)]


def _known(results: Results, row: str, plain: str) -> dict[str, Change]:
    """The differences that can be told, by column."""
    found = {
        column.name: change_of(results, results.cell(row, column), results.cell(plain, column), "honest")
        for column in results.spec.columns
    }
    return {name: change for name, change in found.items() if change is not None}


def _table(results: Results, plain: str) -> Table | None:
    known = {row: found for row in _networks(results) if (found := _known(results, row, plain))}
    columns = [
        column for column in results.spec.columns if any(column.name in found for found in known.values())
    ]
    if not columns:
        return None
    return Table(
        f"Minus {plain}, in points.",
        ("network", *(title_of(column, "honest") for column in columns)),
        tuple(
            (row, *(str(found.get(column.name, "not run yet")) for column in columns))
            for row, found in known.items()
        ),
    )
