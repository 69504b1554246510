"""The cells that do not agree with what was published, and what is known of each."""

from __future__ import annotations

import math
from statistics import fmean, variance

from allpass.data.draft import many
from allpass.papers.pages.page import Block, Heading, Table, Text, listed
from allpass.papers.pages.tables.accepted import accepted
from allpass.papers.pages.tables.cells import (
    Results,
    allowed,
    compared,
    data_of,
    measured,
    number,
    printed,
    scores_of,
    spread,
)
from allpass.papers.pages.tables.chance import Chance
from allpass.papers.pages.tables.selection import bias_of
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell, Column

OTHER_SETTINGS = "Settings of "
"""What the names of rows of ours begin with that have the settings of another row."""
_REASONS = (
    "A variant of ours agrees. Most variants were found by a look at test accuracies.",
    "With the settings of another row it agrees: the printed ones may not be those of the number.",
    "Luck: the source keeps the best of its settings by test nodes, and its grid has at least as many as would be "
    "expected to give what is printed by chance, were all of them as good.",
    "Other settings do better than the published ones, which such a search would then not have kept.",
    "It agrees on new splits: those of the source may be others than are taken for them.",
    "No more is missing beyond two standard errors than a choice on test nodes is worth (measured on corrected data "
    "where there are such). On the splits of the source, where ours has the setting that was chosen by these very "
    "nodes, it is by how much the authors' own code, run again on this graph, falls short of what they printed.",
)
_UNKNOWN = "No reason is known that explains it."


def missed(results: Results, only: str = "") -> list[tuple[Cell, Row]]:
    """The cells that do not agree at the published settings, and ours of them; rows of ours do not count.

    Args:
        results: The rows of the table.
        only: What the names of the rows that are counted begin with.
    """
    found = [
        (cell, row)
        for cell in results.spec.cells
        if cell.searched and cell.row.startswith(only) and (row := results.get(cell, "same")) is not None
    ]
    return [(cell, row) for cell, row in found if accepted(cell, row) is False]


def below(results: Results) -> tuple[Block, ...]:
    """Every cell that does not agree, with what is known of it.

    Args:
        results: The rows of the table.
    """
    lines: list[tuple[str, ...]] = []
    for cell, row in missed(results):
        reason, known = reason_of(results, cell, row), reasons(results, cell, row)
        known = [f"Possible reason: {reason}."] * bool(reason) + known + _of_search(results, cell, row)
        known += [_UNKNOWN] * (not reason)
        place = f"{cell.row}, {cell.column.name}"
        lines.append((place, measured(row), printed(cell), compared(row), " ".join(known)))
    if not lines:
        return ()
    return (
        Heading("Cells more than two standard errors below"),
        Text("Any of these may be the reason of a cell, and none is shown to be:"),
        listed(_REASONS),
        Table(
            "Every cell below the published mean by more than two standard errors that is also below the authors' own "
            "code, where that was run again. “No reason is known”: none of those above.",
            ("cell", "ours, same settings", "published", "difference", "what is known of it"),
            tuple(lines),
        ),
    )


def reason_of(results: Results, cell: Cell, row: Row) -> str:
    """The first of the reasons that there are for a cell, in a word or two; empty where there is none.

    Args:
        results: The rows of the table.
        cell: What was printed.
        row: Ours with the same settings, which does not agree.
    """
    mended = _mended(results, cell)
    if any(not name.startswith(OTHER_SETTINGS) for name in mended):
        return "a variant of ours agrees"
    if mended:
        return "with the settings of another row it agrees"
    chance = Chance.of(results, cell, row)
    if chance and chance.enough:
        return "the best of many settings could be so lucky"
    if outdone(results, cell, row):
        return "other settings do better"
    fresh = results.get(cell, "fresh")
    if fresh is not None and accepted(cell, fresh):
        return "it agrees on new splits"
    missing = -(number(row, "published_difference") or 0.0) - allowed(cell, row)
    if cell.on_splits_of_source:
        short = max((points for _, points in lacks_of_code(results, cell.column)), default=-math.inf)
        return "beyond two errors the authors' own code lacks as much" if missing <= short else ""
    bias = bias_of(results, cell.column)
    return (
        "beyond two errors a choice on test nodes is worth as much" if bias and missing <= bias.mean else ""
    )


def lacks_of_code(results: Results, column: Column) -> list[tuple[str, float]]:
    """By how many points the authors' own code falls short of what they printed of a column, by row.

    Args:
        results: The rows of the table.
        column: The column.
    """
    return [
        (cell.row, (cell.beside or cell.published)[0] - cell.rerun[0])
        for cell in results.spec.cells
        if cell.column.name == column.name and cell.rerun and cell.published
    ]


def outdone(results: Results, cell: Cell, row: Row) -> tuple[str, float] | None:
    """Which other settings beat the published ones on the same data, and by how many points.

    A source that keeps the best of its settings by test nodes would not have kept the published ones then.

    Args:
        results: The rows of the table.
        cell: What was printed.
        row: Ours with the same settings; honest ones are held against those on new splits, where there are some.

    Returns:
        Nothing where no difference is beyond two standard errors.
    """
    pairs = [
        (f"The {other.row[0].lower()}{other.row[1:].partition(':')[0]}", results.get(other, "same"), row)
        for other in _rows_of_ours(results, cell)
        if other.row.startswith(OTHER_SETTINGS) and bool(other.drawn) is bool(cell.drawn)
    ]
    if cell.column.corrected is None:  # else honest numbers are of other data
        ours = results.get(cell, "fresh") or row
        pairs.insert(0, ("Honest settings", results.get(cell, "honest"), ours))
    for name, other, ours in pairs:
        first, second = () if other is None else scores_of(other), scores_of(ours)
        if min(len(first), len(second)) > 1:
            gain = fmean(first) - fmean(second)
            error = math.sqrt(variance(first) / len(first) + variance(second) / len(second))
            if gain > cell.errors * error:
                return name, gain
    return None


def _mended(results: Results, cell: Cell) -> list[str]:
    """The rows of ours that change this one and agree with what was printed of it."""
    rows = [(other, results.get(other, "same")) for other in _rows_of_ours(results, cell)]
    return [other.row for other, row in rows if row is not None and accepted(other, row)]


def _rows_of_ours(results: Results, cell: Cell) -> list[Cell]:
    """The cells that change something of this one."""
    place = (cell.row, cell.column)
    return [
        other for other in results.spec.cells if (other.against, other.column) == place and not other.searched
    ]


def reasons(results: Results, cell: Cell, row: Row) -> list[str]:
    """What rows and spec tell of a number that is not as published, a sentence each.

    Args:
        results: The rows of the table.
        cell: What was printed.
        row: Ours with the same settings.
    """
    found = [text for text in (cell.incomparable, cell.note) if text]
    if row["rerun"] is not None:
        found.append(
            f"The authors' own code gives {spread(cell.rerun)}; ours minus that: {compared(row, 'rerun')}."
        )
    if row["diverged"]:
        found.append(f"{row['diverged']} of {row['runs']} runs diverged.")
    fresh = results.get(cell, "fresh")
    if fresh is not None:
        found.append(f"On fresh splits: {measured(fresh)}.")
    found += [f"“{name}” agrees with it." for name in _mended(results, cell)]
    honest = results.get(cell, "honest")
    if honest is not None:
        found.append(f"Honest: {measured(honest)} on {data_of(cell.column)}.")
    if cell.on_splits_of_source:
        found += [
            f"The authors' own code for {name} falls short of its printed mean on this graph by {points:.2f} points."
            for name, points in lacks_of_code(results, cell.column)
            if points > 0 and name != cell.row
        ]
    bias = bias_of(results, cell.column)
    if bias is not None and not cell.on_splits_of_source:
        found.append(
            f"Settings chosen on test nodes lift means on {bias.dataset} by {bias.mean:.2f} points "
            f"({bias.low:.2f} to {bias.high:.2f}, {many(bias.models, 'model')})."
        )
    return found


def _of_search(results: Results, cell: Cell, row: Row) -> list[str]:
    """What is told by the search of the source, which keeps the best of its settings by test nodes."""
    found, beaten, chance = [], outdone(results, cell, row), Chance.of(results, cell, row)
    if beaten:
        name, gain = beaten
        found.append(
            f"{name} beat the published ones by {gain:.2f} points, so that a search by test nodes would not have kept "
            "these: number and settings seem not to belong together."
        )
    return [*found, chance.told()] if chance else found
