"""What channels are worth with honest settings: every ACM network minus the networks without channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.cells import NOT_YET, Results, title_of
from allpass.papers.pages.tables.changes import MARKED, Change, change_of
from allpass.papers.pages.tables.pairs import INTERVALS

FAMILY = "ACM"
"""What the names of networks with channels begin with."""

PLAIN = ("MLP-2", "GCN")
"""One that sees no graph, and one that averages."""


_Graphs: TypeAlias = Mapping[str, Sequence[Literal[-1, 0, 1]]]
"""On which side of each plain network another one is, by graph; graphs on which a plain one learns nothing say so."""


def worth(results: Results) -> tuple[Block, ...]:
    """The section; nothing where no such pair has honest numbers.

    Args:
        results: The rows of a table.
    """
    tables = [table for plain in PLAIN if (table := _table(results, plain)) is not None]
    if not tables:
        return ()
    about = Text(f"Settings of both are chosen on validation nodes alone. {INTERVALS} {MARKED}")
    found = _sides([results])
    counted = [_counted(found)] if found else []
    return (Heading("What channels are worth with honest settings"), about, *counted, *tables)


def told_worth(tables: Sequence[Results]) -> tuple[str, ...]:
    """On which graphs the networks that were run on most are above both plain ones; nothing where that is not known.

    Args:
        tables: The rows of some tables.
    """
    found = _sides(tables)
    most = max(map(len, found.values()), default=0)
    told: dict[str, list[str]] = {}
    for row, graphs in found.items():
        if len(graphs) == most:
            told.setdefault(_alone(graphs) if most == 1 else _told(graphs), []).append(row)
    parts = [f"{_joined(rows)} {'are each' if len(rows) > 1 else 'is'} {text}" for text, rows in told.items()]
    return (f"With honest settings, by 95% intervals, {'; '.join(parts)}.",) if parts else ()


def _sides(tables: Sequence[Results]) -> dict[str, _Graphs]:
    """Where each network stands, on graphs on which both plain ones are run; one that learns nothing is above none."""
    found: dict[str, dict[str, list[Literal[-1, 0, 1]]]] = {}
    for results in tables:
        for row in _networks(results):
            by_plain = [_known(results, row, plain) for plain in PLAIN]
            for column in results.spec.columns:
                if all(column.name in known for known in by_plain):
                    changes = [known[column.name] for known in by_plain]
                    found.setdefault(row, {})[_named(column.name, changes)] = [
                        0 if change.ahead.side == 1 and not change.learns else change.ahead.side
                        for change in changes
                    ]
    return dict(found)


def _named(graph: str, changes: Sequence[Change]) -> str:
    """A graph, marked where it is no feat to be above a plain network."""
    idle = [plain for plain, change in zip(PLAIN, changes, strict=True) if not change.other_learns]
    return f"{graph} [where {_joined(idle)} learn{'s' * (len(idle) == 1)} nothing]" if idle else graph


def _parted(graphs: _Graphs) -> tuple[list[str], list[str], list[str], list[str]]:
    """The graphs on which a network is above both, above one and below none, neither above nor below, and below one."""
    above, partly, level, below = list[str](), list[str](), list[str](), list[str]()
    for name, sides in graphs.items():
        place = below if -1 in sides else above if 0 not in sides else partly if 1 in sides else level
        place.append(name)
    return above, partly, level, below


def _told(graphs: _Graphs) -> str:
    """Of several graphs: on which it is above both, and on which below one."""
    above, _, _, below = _parted(graphs)
    names = f" ({', '.join(above)})" if above else ""
    lost = f", and below one of them on {', '.join(below)}" if below else ""
    return f"above both {' and '.join(PLAIN)} on {len(above)} of {len(graphs)} graphs{names}{lost}"


def _alone(graphs: _Graphs) -> str:
    """Of one graph: what it is above, and what not."""
    ((name, sides),) = graphs.items()
    words = {1: "above", 0: "not above", -1: "below"}
    told = [
        f"{words[side]} {plain}"
        for side in words
        for plain, own in zip(PLAIN, sides, strict=True)
        if own == side
    ]
    return f"{', '.join(told)}, on {name}"


def _counted(found: Mapping[str, _Graphs]) -> Table:
    lines = []
    for row, graphs in found.items():
        parts = (f"{len(names)} ({', '.join(names)})" if names else "0" for names in _parted(graphs))
        lines.append((row, str(len(graphs)), *parts))
    plain = " and ".join(PLAIN)
    return Table(
        f"On how many graphs a network is above or below {plain} by these intervals. One that does no better than the "
        "most frequent class is above none, and is said to learn nothing.",
        (
            "network",
            "graphs",
            "above both",
            "above one, below none",
            "neither above nor below",
            "below one or both",
        ),
        tuple(lines),
    )


def _joined(names: Sequence[str]) -> str:
    """Names as they stand in a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


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
