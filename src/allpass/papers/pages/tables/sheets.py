"""A whole table at a glance, in colours: as published, and ours of each kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from allpass.papers.pages.page import Picture, Value
from allpass.papers.pages.shades import SCALE, shaded
from allpass.papers.pages.sheet import sheet
from allpass.papers.pages.tables.cells import Results, comparable, shortened, title_of
from allpass.papers.study import Row
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Places: TypeAlias = Callable[[str], tuple[str, str]]
"""Takes the title of a column apart: what it shares with others, and its own."""

_FEW = 2  # so few columns are read faster in a table
_FEWER = "*"  # of fewer runs than the others


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
        f"ours, {results.same_settings}": "same",
        "ours, honest": "honest",
    }
    return tuple(
        Picture(
            f"{results.spec.id}-{kind or 'published'}",
            f"The whole table, {title}: means in percent, the best of a column in bold; –: "
            f"{'not run' if kind else 'not published'}. {SCALE}{_marks(results, kind)}",
            partial(_drawn, results, kind, places),
        )
        for title, kind in kinds.items()
        if any(_mean(results, cell, kind) is not None for cell in results.spec.cells)
    )


def _marks(results: Results, kind: Kind | None) -> str:
    """What else has to be said of some of the numbers."""
    known = [cell for cell in results.spec.cells if _mean(results, cell, kind) is not None]
    apart = any(not comparable(cell, kind) for cell in known)
    runs = sorted(
        {int(row["runs"] or 0) for cell in known if (row := _fewer(results, cell, kind)) is not None}
    )
    return " In brackets: made by another protocol, and not compared." * apart + (
        f" {_FEWER}: fewer runs than in the other cells ({' or '.join(map(str, runs))})." if runs else ""
    )


def _fewer(results: Results, cell: Cell | None, kind: Kind | None) -> Row | None:
    """What was measured of a cell, where it was of fewer runs than planned."""
    row = results.get(cell, kind) if kind else None
    return row if cell is not None and row is not None and shortened(cell, row) else None


def _drawn(results: Results, kind: Kind | None, places: Places) -> Figure:
    known = [cell for cell in results.spec.cells if _mean(results, cell, kind) is not None]
    rows = [row for row in results.spec.rows if any(cell.row == row for cell in known)]
    groups: dict[str, dict[str, tuple[Value, ...]]] = {}
    for column in results.spec.columns:
        if any(cell.column == column for cell in known):
            cells = [results.cell(row, column) for row in rows]
            means = [_mean(results, cell, kind) for cell in cells]
            scaled = [
                mean if cell is not None and comparable(cell, kind) else None
                for cell, mean in zip(cells, means, strict=True)
            ]
            group, name = places(title_of(column, kind or "same"))
            texts = [_text(results, cell, kind) for cell in cells]
            groups.setdefault(group, {})[name] = shaded(scaled, texts)
    return sheet(rows, groups)


def _text(results: Results, cell: Cell | None, kind: Kind | None) -> str:
    mean = _mean(results, cell, kind)
    if cell is None or mean is None:
        return "–"
    text = f"{mean:.1f}{'' if _fewer(results, cell, kind) is None else _FEWER}"
    return text if comparable(cell, kind) else f"({text})"


def _mean(results: Results, cell: Cell | None, kind: Kind | None) -> float | None:
    if cell is None or cell.variant:
        return None
    if kind is not None:
        return results.mean(cell, kind)
    return cell.published[0] if cell.published else None
