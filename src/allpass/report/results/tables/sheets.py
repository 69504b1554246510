"""A whole table at a glance, in colours: as published, and ours of each kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from allpass.experiments.tables.spec import Cell
from allpass.experiments.tables.study import Kind
from allpass.report.results.page import Picture, Value
from allpass.report.results.shades import shaded
from allpass.report.results.sheet import sheet
from allpass.report.results.tables.cells import Results, title_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Places: TypeAlias = Callable[[str], tuple[str, str]]
"""Takes the title of a column apart: what it shares with others, and its own."""

_FEW = 2  # so few columns are read faster in a table


def sheets(results: Results, places: Places = lambda title: ("", title)) -> tuple[Picture, ...]:
    """The pictures; of the kinds that something is known of.

    Args:
        results: The rows of the table.
        places: Where its columns stand.
    """
    if len(results.spec.columns) <= _FEW:
        return ()
    kinds: dict[str, Kind | None] = {
        "published": None,
        "ours, same settings": "same",
        "ours, honest": "honest",
    }
    return tuple(
        Picture(
            f"{results.spec.id}-{kind or 'published'}",
            f"The whole table, {title}: means in percent, from red, the worst of a column, to green, the best, in "
            f"bold; –: {'not run' if kind else 'not published'}.",
            partial(_drawn, results, kind, places),
        )
        for title, kind in kinds.items()
        if any(_mean(results, cell, kind) is not None for cell in results.spec.cells)
    )


def _drawn(results: Results, kind: Kind | None, places: Places) -> Figure:
    known = [cell for cell in results.spec.cells if _mean(results, cell, kind) is not None]
    rows = [row for row in results.spec.rows if any(cell.row == row for cell in known)]
    groups: dict[str, dict[str, tuple[Value, ...]]] = {}
    for column in results.spec.columns:
        if any(cell.column == column for cell in known):
            means = [_mean(results, results.cell(row, column), kind) for row in rows]
            texts = ["–" if mean is None else f"{mean:.1f}" for mean in means]
            group, name = places(title_of(column, kind or "same"))
            groups.setdefault(group, {})[name] = shaded(means, texts)
    return sheet(rows, groups)


def _mean(results: Results, cell: Cell | None, kind: Kind | None) -> float | None:
    if kind is not None:
        return results.mean(cell, kind)
    return (
        cell.published[0] if cell is not None and cell.published and cell.searched else None
    )  # not a row of ours
