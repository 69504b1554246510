"""The page of the table with few labels: what the proposed networks reach, and a sheet of colours per graph."""

from __future__ import annotations

from collections.abc import Sequence

from allpass.papers.pages.head import head, made
from allpass.papers.pages.page import Block, Heading, Page, Table, Text, Value
from allpass.papers.pages.shades import shaded
from allpass.papers.pages.tables.cells import Results, spread
from allpass.papers.pages.tables.columns import details, notes
from allpass.papers.pages.tables.proposed import finding, reached
from allpass.papers.pages.tables.settings import settings
from allpass.papers.pages.tables.sheets import sheets
from allpass.papers.study import Row, Study
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell, Column

_TITLES: dict[Kind, str] = {
    "same": "ours, settings of the November 2019 manuscript or, for rows of other papers, of our models",
    "honest": "ours, honest: settings chosen on validation nodes of the other two graphs, disjoint splits",
}


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``table1``.

    Args:
        study: The study.
        rows: Its rows.
    """
    results = Results(study, rows)
    return Page(
        study.title,
        (
            *head(study, rows),
            *sheets(results, _by_rate),
            *reached(results),
            *(block for columns in _by_graph(results) for block in _sheets(results, columns)),
            *details(results),
            *settings(results),
            *notes(results),
            *made(study, rows),
        ),
        finding(results),
    )


def _by_rate(title: str) -> tuple[str, str]:
    """The graph of a column, and its share of labelled nodes."""
    graph, rate = title.rsplit(maxsplit=1)
    return graph, rate


def _by_graph(results: Results) -> list[list[Column]]:
    """The columns of each dataset."""
    found: dict[str, list[Column]] = {}
    for column in results.spec.columns:
        found.setdefault(column.dataset, []).append(column)
    return list(found.values())


def _sheets(results: Results, columns: Sequence[Column]) -> list[Block]:
    """Three tables of one graph: published, same settings, honest."""
    graph = columns[0].name.rsplit(maxsplit=1)[0]
    header = ("method", *(column.name.rsplit(maxsplit=1)[1] for column in columns))
    reading = "by share of labelled nodes; accuracy in percent, the best of a column bold."
    rows = results.spec.rows
    cells = [[results.cell(row, column) for row in rows] for column in columns]
    published = [_published(column) for column in cells]
    blocks: list[Block] = [
        Heading(graph),
        Table.of_columns(f"{graph}, published; {reading}", header, rows, published),
    ]
    for kind, title in _TITLES.items():
        shown = [
            row for row in rows if any(results.get(results.cell(row, column), kind) for column in columns)
        ]
        ours = [
            _ours(results, [results.cell(row, column) for row in shown], kind) for column in columns if shown
        ]
        if shown:
            blocks.append(Table.of_columns(f"{graph}, {title}; {reading}", header, shown, ours))
        if len(shown) < len(rows):
            waiting = ", ".join(row for row in rows if row not in shown)
            blocks.append(Text(f"{graph}, {kind}, not run yet: {waiting}."))
    return blocks


def _published(cells: Sequence[Cell | None]) -> tuple[Value, ...]:
    texts = [spread(cell.published if cell else (), 1) or "not published" for cell in cells]
    return shaded([cell.published[0] if cell and cell.published else None for cell in cells], texts)


def _ours(results: Results, cells: Sequence[Cell | None], kind: Kind) -> tuple[Value, ...]:
    means = [results.mean(cell, kind) for cell in cells]
    texts = [
        results.missing(cell, kind) if mean is None else _with_runs(results, cell, kind, mean)
        for cell, mean in zip(cells, means, strict=True)
    ]
    return shaded(means, texts)


def _with_runs(results: Results, cell: Cell | None, kind: Kind, mean: float) -> str:
    """The mean; with the number of runs where that is not the one of the column."""
    row = results.get(cell, kind)
    usual = cell is not None and row is not None and row["runs"] == cell.column.protocol.splits.get("count")
    return f"{mean:.1f}" if usual or row is None else f"{mean:.1f} (n = {row['runs']})"
