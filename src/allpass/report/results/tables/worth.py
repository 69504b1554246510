"""What channels are worth with honest settings: every ACM network minus the networks without channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from allpass.report.results.page import Block, Heading, Table, Text
from allpass.report.results.tables.cells import NOT_YET, Results, title_of
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


def told_worth(tables: Sequence[Results]) -> tuple[str, ...]:
    """On which graphs each network is above both plain ones, or one of them; nothing where that is not known.

    Args:
        tables: The rows of some tables.
    """
    found: dict[str, dict[str, list[Change]]] = {}
    for results in tables:
        for row in _networks(results):
            by_plain = [_known(results, row, plain) for plain in PLAIN]
            for column in results.spec.columns:
                if all(column.name in known for known in by_plain):
                    found.setdefault(row, {})[column.name] = [known[column.name] for known in by_plain]
    parts = [f"{row} is {_told(graphs)}" for row, graphs in found.items()]
    told = f"With honest settings, against {' and '.join(PLAIN)} by 95% intervals: {'; '.join(parts)}."
    return (told,) if parts else ()


def _told(graphs: Mapping[str, Sequence[Change]]) -> str:
    """Where a network is above both, above one and below none, and below one; one that learns nothing is above none."""
    above, partly, below = [], [], []
    for name, changes in graphs.items():
        sides = [change.ahead.side if change.learns else min(change.ahead.side, 0) for change in changes]
        if all(side == 1 for side in sides):
            above.append(name)
        elif -1 in sides:
            below.append(name)
        elif 1 in sides:
            partly.append(name)
    names = f" ({', '.join(above)})" if above else ""
    lost = f", below one on {', '.join(below)}" if below else ""
    return f"above both on {len(above)} of {len(graphs)} graphs{names}, above one on {len(partly)} more{lost}"


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
            (row, *(str(found.get(column.name, NOT_YET)) for column in columns))
            for row, found in known.items()
        ),
    )
