"""What came of a reproduction: its page as files, and the numbers on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text as Line

from allpass.cli.plain import plain_table
from allpass.data.draft import many
from allpass.papers.pages.catalogue import PAGES
from allpass.papers.pages.csv_file import read_rows
from allpass.papers.pages.head import is_quick
from allpass.papers.pages.page import Page, Table, Value
from allpass.papers.pages.tables.cells import Results, as_table
from allpass.papers.pages.tables.settings import LEGEND, settings_of
from allpass.papers.pages.write import write
from allpass.papers.runner import Failure
from allpass.papers.study import Row, Study, merged
from allpass.papers.tables.study import TableStudy

_SHOWN = 25  # rows of a table on the terminal
_TITLES = 3  # of parts that one error stands in the way of


def put(study: Study, rows: Sequence[Row], folder: Path, *, shown: bool = True) -> None:
    """Write the page of rows, with those that stand there already, and say where it is.

    Args:
        study: What was reproduced.
        rows: What came of it.
        folder: Where the files go; made where there is none.
        shown: Whether the numbers are printed too.
    """
    console = Console()
    known = merged(study, _before(folder / f"{study.id}.csv", rows), rows)
    page = PAGES[study.id](study, known)
    quick = is_quick(rows)
    if quick:
        page = replace(page, findings=())  # nothing follows from such numbers
    folder.mkdir(parents=True, exist_ok=True)
    files = write(page, known, folder, study.id)
    if shown:
        _show(study, rows, page, console, quick=quick)
    names = ", ".join(file.name for file in files[:4])
    console.print(f"{many(len(known), 'row')}; {names} in {folder}", soft_wrap=True, markup=False)


def complain(failed: Sequence[Failure]) -> None:
    """Each error once on the standard error, with what it stands in the way of.

    Args:
        failed: What could not be done.
    """
    console = Console(stderr=True)
    titles = dict[str, list[str]]()
    for failure in failed:
        titles.setdefault(failure.error, []).append(failure.title)
    for error, parts in titles.items():
        more = f"; and {len(parts) - _TITLES} more" if len(parts) > _TITLES else ""
        console.print(
            f"Could not be done: {'; '.join(parts[:_TITLES])}{more}. {error}", markup=False, soft_wrap=True
        )


def _before(path: Path, rows: Sequence[Row]) -> list[Row]:
    """The rows that an earlier run left in the same folder; none where they are of another kind."""
    if not path.exists():
        return []
    found = read_rows(path)
    return found if all(row.keys() == rows[0].keys() for row in found) else []


def _show(study: Study, rows: Sequence[Row], page: Page, console: Console, *, quick: bool) -> None:
    """What came of it and, as far as a terminal can hold it, the numbers of this run or the first table of the page."""
    console.print(Line(page.title, style="bold"))
    if quick:
        console.print("A quick run: it proves the path, and its numbers mean nothing.", style="yellow")
    for finding in page.findings:
        console.print(Line(f"- {finding}"))
    table = next((block for block in page.blocks if isinstance(block, Table)), None)
    told: list[str] = []
    if isinstance(study, TableStudy) and len(rows) <= _SHOWN:
        table = as_table(Results(study, rows))
        told = [f"{row['row']}, {row['column']}, {row['kind']}: {settings_of(row)}" for row in rows]
    if table is None:
        return
    grid = plain_table()
    for heading in table.header:
        grid.add_column(Line(heading))
    for row in table.rows[:_SHOWN]:
        texts = (cell.text if isinstance(cell, Value) else cell for cell in row)
        grid.add_row(*map(Line, texts))
    console.print(Line(table.caption, style="dim"))
    console.print(grid)
    if len(table.rows) > _SHOWN:
        console.print(Line(f"and {len(table.rows) - _SHOWN:,} more rows on the page", style="dim"))
    for line in [f"Settings: {LEGEND}.", *told] if told else []:
        console.print(Line(line, style="dim"), soft_wrap=True)
