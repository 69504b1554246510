"""The cells that do not agree with what was published, and what is known of each."""

from __future__ import annotations

from allpass.data.draft import many
from allpass.experiments.study import Row
from allpass.experiments.tables.cell import Cell, Column
from allpass.report.results.page import Block, Heading, Table
from allpass.report.results.tables.accepted import accepted
from allpass.report.results.tables.cells import (
    Results,
    allowed,
    compared,
    data_of,
    measured,
    number,
    printed,
    spread,
)
from allpass.report.results.tables.selection import bias_of

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
        known = [*reasons(results, cell, row), *([_UNKNOWN] if unexplained(results, cell, row) else [])]
        place = f"{cell.row}, {cell.column.name}"
        lines.append((place, measured(row), printed(cell), compared(row), " ".join(known)))
    if not lines:
        return ()
    return (
        Heading("Cells more than two standard errors below"),
        Table(
            "Every cell below the published mean by more than two standard errors that is also below the authors' own "
            "code, where that was run again. “No reason is known”: no change of the network explains it, and more is "
            "missing beyond these errors than a choice on test nodes is worth (measured on corrected data where there "
            "are such). On the splits of the source that is no reason, because ours has the setting that was chosen "
            "by these very nodes: there it is by how much the authors' own code, run again on this graph, falls short.",
            ("cell", "ours, same settings", "published", "difference", "what is known of it"),
            tuple(lines),
        ),
    )


def unexplained(results: Results, cell: Cell, row: Row) -> bool:
    """Whether no change is a reason, and more is missing than is known to be missing for others.

    That is what a choice on test nodes is worth; on the splits of the source, the shortfall of the authors' own code.

    Args:
        results: The rows of the table.
        cell: What was printed.
        row: Ours with the same settings, which does not agree.
    """
    if cell.incomparable or _mended(results, cell):
        return False
    missing = -(number(row, "published_difference") or 0.0) - allowed(cell, row)
    if cell.on_splits_of_source:
        return missing > max((points for _, points in shortfalls(results, cell.column)), default=0.0)
    bias = bias_of(results, cell.column)
    return bias is None or missing > bias.mean


def shortfalls(results: Results, column: Column) -> list[tuple[str, float]]:
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


def _mended(results: Results, cell: Cell) -> list[str]:
    """The rows of ours that change this one and agree with what was printed of it."""
    changed = [
        other for other in results.spec.cells if (other.against, other.column) == (cell.row, cell.column)
    ]
    rows = [(other, results.get(other, "same")) for other in changed if not other.searched]
    return [other.row for other, row in rows if row is not None and accepted(other, row)]


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
            for name, points in shortfalls(results, cell.column)
            if points > 0 and name != cell.row
        ]
    bias = bias_of(results, cell.column)
    if bias is not None and not cell.on_splits_of_source:
        found.append(
            f"Settings chosen on test nodes lift means on {bias.dataset} by {bias.mean:.2f} points "
            f"({bias.low:.2f} to {bias.high:.2f}, {many(bias.models, 'model')})."
        )
    return found
