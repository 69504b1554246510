"""Everything that is known of the cells of a table, column by column, and what its source leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from allpass.papers.pages.page import Block, Heading, Table, Text, Value, listed
from allpass.papers.pages.shades import shaded
from allpass.papers.pages.tables.cells import (
    Results,
    comparable,
    compared,
    data_of,
    judged,
    printed,
    spread,
)
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell, Column

_HEADERS: dict[Kind, tuple[str, str]] = {
    "same": ("ours, {settings}", "difference to published; to the rerun"),
    "fresh": ("ours, {settings}, {splits}", "difference to published"),
    "honest": ("ours, honest", "honest minus published"),
}
_EXPLANATION = (
    "Numbers are mean ± deviation in percent, with the deviation as the source defines it (where it prints a 95% "
    "interval, a note says so, and the comparison allows for it); n counts runs. Differences "
    "are ours minus theirs in points, with Welch's 95% interval, and agree within two standard errors; the runs of a "
    "mean that was printed without deviation are taken to differ as ours do. Where the source prints another number "
    "beside the settings than in its table, ours is compared with that one, because these settings made it. Honest "
    "numbers are of a setting chosen on validation nodes among as many as were tried, on corrected data where the data "
    "have a known defect: there they cannot be compared with what was published."
)


def details(results: Results) -> tuple[Block, ...]:
    """A table for every column with everything that is known of its cells.

    Args:
        results: The rows of the table.
    """
    blocks: list[Block] = [Heading("Column by column"), Text(_EXPLANATION)]
    for column in results.spec.columns:
        cells = [cell for cell in results.spec.cells if cell.column.name == column.name]
        shown = shaded(
            [_first(cell.published) if comparable(cell, None) else None for cell in cells],
            [printed(cell) for cell in cells],
        )
        ours = {kind: _of_kind(results, cells, kind) for kind in results.kinds}
        words = {"settings": results.same_settings, "splits": results.other_splits}
        titles = [title.format(**words) for kind in ours for title in _HEADERS[kind]]
        header = ("row", "published", "authors' code, rerun", *titles, "published in")
        lines: list[tuple[Value | str, ...]] = []
        for place, cell in enumerate(cells):
            line: list[Value | str] = [cell.row, shown[place], spread(cell.rerun)]
            for kind, values in ours.items():
                line += [values[place], _difference(results, cell, kind)]
            lines.append((*line, cell.table if cell.published else ""))
        blocks.append(Table(_caption(column), header, tuple(lines)))
    return tuple(blocks)


def notes(results: Results) -> tuple[Block, ...]:
    """What the source leaves open, and what every row has to be told of.

    Args:
        results: The rows of the table.
    """
    spec = results.spec
    blocks: list[Block] = [Heading("What differs from the source, and why"), listed(spec.notes)]
    for title, told in (
        ("Not comparable", [(cell, cell.incomparable) for cell in spec.cells]),
        ("Of rows and cells", [(cell, cell.note) for cell in spec.cells]),
    ):
        lines = _grouped(told)
        if lines:
            blocks += [Heading(title), listed(lines)]
    return tuple(blocks)


def _of_kind(results: Results, cells: Sequence[Cell], kind: Kind) -> tuple[Value, ...]:
    means = [results.mean(cell, kind) if comparable(cell, kind) else None for cell in cells]
    return shaded(means, [results.text(cell, kind) for cell in cells])


def _difference(results: Results, cell: Cell, kind: Kind) -> str:
    row = results.get(cell, kind)
    if row is None:
        return ""
    rerun = compared(row, "rerun") if kind == "same" and cell.settings is not None else ""
    return "; ".join(part for part in (judged(cell, row), f"to the rerun {rerun}" if rerun else "") if part)


def _caption(column: Column) -> str:
    score = f" The score is {column.score}." if column.score else ""
    honest = "" if column.corrected is None else f" Honest numbers are of {data_of(column)}."
    note = f" {column.note}" if column.note else ""
    return f"{column.name} ({column.dataset}).{note}{score}{honest}"


def _grouped(told: Sequence[tuple[Cell, str]]) -> list[str]:
    """What is said of cells, once for all columns of a row that it is said of."""
    size = Counter(cell.row for cell, _ in told)
    places: dict[tuple[str, str], list[str]] = {}
    for cell, text in told:
        if text:
            places.setdefault((cell.row, text), []).append(cell.column.name)
    return [
        f"{row}: {text}" if len(columns) == size[row] else f"{row} ({', '.join(columns)}): {text}"
        for (row, text), columns in places.items()
    ]


def _first(numbers: Sequence[float]) -> float | None:
    return numbers[0] if numbers else None
