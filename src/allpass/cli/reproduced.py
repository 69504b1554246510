"""The outcome of a reproduction: its page as files, and its table on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from allpass.cli.plain import plain_table
from allpass.cli.words import LONGEST, shortened
from allpass.data.draft import many
from allpass.errors import InputError
from allpass.papers.publish import write
from allpass.papers.result import R, merged, read_results
from allpass.papers.runner import Failure
from allpass.papers.study import Study

_SHOWN = 25  # rows of a table on the terminal
_TITLES = 3  # parts that one error names


def put(
    study: Study[R],
    results: Sequence[R],
    known: Sequence[R],
    folder: Path,
    *,
    whole: bool = True,
    quick: bool = False,
    shown: bool = True,
) -> None:
    """Write the page of rows together with earlier ones, and say where it is.

    Args:
        study: What was reproduced.
        results: The rows of this run.
        known: The rows that it resumed from.
        folder: Where the files go.
        whole: Whether all of the study was run.
        quick: Whether they are of a quick run.
        shown: Whether the table is printed too.
    """
    console = Console()
    try:
        before = read_results(folder / f"{study.id}.csv", study.result)
    except InputError:  # of another version
        before = []
    rows = merged(merged(before, known), results)
    facts = study.facts(rows) if whole else None
    files = write(study, rows, folder, facts, quick=quick)
    if shown:
        _show(study, results or rows, console, quick=quick)
    names = ", ".join(path.name for path in files)
    console.print(f"{many(len(rows), 'row')}; {names} in {folder}", soft_wrap=True, markup=False)


def complain(failed: Sequence[Failure]) -> None:
    """Print each error once on the standard error, with the parts that it stopped.

    Args:
        failed: The tasks that failed.
    """
    console = Console(stderr=True)
    titles = dict[str, list[str]]()
    for failure in failed:
        titles.setdefault(failure.error, []).append(failure.title)
    for error, parts in titles.items():
        more = f"; and {len(parts) - _TITLES} more" if len(parts) > _TITLES else ""
        console.print(
            f"Failed: {'; '.join(parts[:_TITLES])}{more}. {shortened(error, LONGEST)}",
            markup=False,
            soft_wrap=True,
        )


def _show(study: Study[R], results: Sequence[R], console: Console, *, quick: bool) -> None:
    """Title and table, as far as a terminal can hold it."""
    console.print(Text(study.words.title, style="bold"))
    if quick:
        console.print("Quick run: its numbers mean nothing.", style="yellow")
    frame = study.matrix(results).reset_index()
    grid = plain_table()
    for heading in frame.columns:
        grid.add_column(Text(str(heading)))
    for line in frame.head(_SHOWN).itertuples(index=False):
        grid.add_row(*(Text(str(cell).replace("**", "")) for cell in line))
    console.print(grid)
    if len(frame) > _SHOWN:
        console.print(f"and {len(frame) - _SHOWN:,} more rows on the page")
    console.print(Text(study.words.table, style="dim"), soft_wrap=True)
