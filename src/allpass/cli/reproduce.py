"""`allpass reproduce`: a published table or figure, run again, with our number beside the printed one."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allpass.cli.options import DataDir
from allpass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from allpass.experiments.executors.executor import Executor
    from allpass.experiments.runner import Failure
    from allpass.experiments.study import Row, Study
    from allpass.report.results.page import Page

_EXECUTORS = ("local", "ray")
_SHOWN = 25  # rows of a table on the terminal
_TITLES = 3  # of parts that one error stands in the way of


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="What to reproduce; see --list.", show_default=False)
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List everything there is to reproduce, or the cells of an ID.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few short runs, which prove the path and no number.")
    ] = False,
    cells: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts of it, separated by commas: rows, columns, ROW/COLUMN, same, honest or (in some) fresh for a "
            "table; may be repeated.",
            show_default=False,
        ),
    ] = None,
    executor: Annotated[str, typer.Option(help="What does the work: local, or a Ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Where the head of the Ray cluster is.", show_default=False)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes on this machine; 1 by default.", show_default=False)
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="Where this machine trains: cpu by default, or cuda.", show_default=False),
    ] = None,
    store: Annotated[
        Path, typer.Option(help="File of runs: those it holds are read, new ones are added.")
    ] = Path("runs.db"),
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the page (Markdown, LaTeX, HTML), its pictures and its rows; of quick runs, quick in it."
        ),
    ] = Path("results"),
    data_dir: DataDir = None,
) -> None:
    """Run a published table or figure again; stopped, the same command goes on where it was."""
    if name is None:
        _list()
        return
    from rich.console import Console

    from allpass.cli.progress import reproducing, stoppable
    from allpass.data.draft import many
    from allpass.data.named.fetch import data_folders
    from allpass.experiments.catalogue import STUDIES
    from allpass.experiments.runner import reproduce as run
    from allpass.experiments.study import Plan, merged
    from allpass.files import check_folder
    from allpass.report.results.catalogue import PAGES
    from allpass.report.results.write import write
    from allpass.train.runs.store import Store

    if data_dir is not None:
        data_folders(data_dir)  # complains where there is none
        os.environ["ALLPASS_DATA"] = str(data_dir.absolute())  # where the processes look that do the work
    name = name.lower()
    if name not in STUDIES:
        raise InputError(f"There is nothing named {name!r} to reproduce.", did_you_mean(name, STUDIES))
    study = STUDIES[name]
    if listed:
        _list_cells(study)
        return
    plan = Plan(_names(cells or [], study.cells()), quick)
    if cells and not plan.cells:
        raise InputError("There is no name in --cells.", "Name some parts, or leave it out for all of them.")
    plan.check(name, study.cells())  # before the file of runs is made
    out = check_folder(out / "quick" if quick else out)  # before hours of work, not after
    machines = _executor(executor, address, workers, device)
    with Store(store) as opened, stoppable(opened):
        if not study.tasks(plan, opened):
            raise InputError(
                f"Of {name!r} nothing that is named can be run: no settings were published of it, allpass has no such "
                "model, or a quick run leaves it out.",
                f"Name other --cells (allpass reproduce {name} --list names all), or leave out --quick.",
            )
        with reproducing() as look:
            failed = run(study, opened, machines, plan, look)
        rows = study.rows(plan, opened)
    console = Console()
    _complain(failed, Console(stderr=True))
    if not rows:
        raise InputError(f"Nothing of {name!r} could be done.", "See what was said of each part above.")
    known = merged(study, _before(out / f"{name}.csv", rows), rows)
    page = PAGES[name](study, known)
    idle = any(row.get("quick") for row in rows)
    if idle:
        page = replace(page, findings=())  # nothing follows from such numbers
    out.mkdir(parents=True, exist_ok=True)
    files = write(page, known, out, name)
    _show(study, rows, page, console, quick=idle)
    console.print(
        f"{many(len(known), 'row')}; {', '.join(file.name for file in files[:4])} in {out}", soft_wrap=True
    )
    if failed:
        raise typer.Exit(1)


def _before(path: Path, rows: Sequence[Row]) -> list[Row]:
    """The rows that an earlier run left in the same folder; none where they are of another kind."""
    from allpass.report.results.csv_file import read_rows

    if not path.exists():
        return []
    found = read_rows(path)
    return found if all(row.keys() == rows[0].keys() for row in found) else []


def _list() -> None:
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.experiments.catalogue import STUDIES

    table = plain_table()
    for heading in ("ID", "what it shows", "cells"):
        table.add_column(heading)
    for name, study in STUDIES.items():
        cells = list(study.cells())
        table.add_row(name, study.title, ", ".join(cells[:3]) + (", ..." if len(cells) > 3 else ""))
    console = Console()
    console.print(table)
    console.print(
        "\nallpass reproduce ID --list names all cells of one; ID --quick proves the path in minutes."
    )


def _list_cells(study: Study) -> None:
    """The names that --cells may have."""
    from rich.console import Console

    single = [name for name in study.cells() if "/" in name]
    console = Console()
    console.print(study.title, style="bold")
    console.print(", ".join(name for name in study.cells() if "/" not in name), markup=False)
    if single:
        console.print(f"and {len(single):,} single cells, such as {single[0]}", markup=False)


def _names(cells: list[str], known: Sequence[str]) -> tuple[str, ...]:
    """What stands between commas; a known name that has commas itself stays whole."""
    whole = (re.escape(name) for name in sorted(known, key=len, reverse=True) if "," in name)
    name = re.compile(rf"\s*(?:{'|'.join((*whole, '[^,]'))})[^,]*", re.IGNORECASE)
    found = (text.strip() for part in cells for text in name.findall(part))
    return tuple(text for text in found if text)


def _executor(name: str, address: str | None, workers: int | None, device: str | None) -> Executor:
    from allpass.experiments.executors import Local, RayCluster

    if name not in _EXECUTORS:
        raise InputError(f"There is no executor {name!r}.", did_you_mean(name, _EXECUTORS))
    if name == "ray":
        for option, given in (("--workers", workers), ("--device", device)):
            if given is not None:
                raise InputError(
                    f"{option} is for this machine alone: a Ray cluster uses all CPUs and GPUs that it has.",
                    f"Leave out {option}, or --executor ray.",
                )
        return RayCluster(address)
    if address is not None:
        raise InputError("An address is for a Ray cluster.", "Add --executor ray, or leave out --address.")
    return Local(device or "cpu", 1 if workers is None else workers)


def _complain(failed: list[Failure], console: Console) -> None:
    """Each error once, with what it stands in the way of."""
    titles = dict[str, list[str]]()
    for failure in failed:
        titles.setdefault(failure.error, []).append(failure.title)
    for error, parts in titles.items():
        more = f"; and {len(parts) - _TITLES} more" if len(parts) > _TITLES else ""
        console.print(
            f"Could not be done: {'; '.join(parts[:_TITLES])}{more}. {error}", markup=False, soft_wrap=True
        )


def _show(study: Study, rows: Sequence[Row], page: Page, console: Console, *, quick: bool) -> None:
    """What came of it and, as far as a terminal can hold it, the numbers of this run or the first table of the page."""
    from rich.text import Text as Line

    from allpass.cli.plain import plain_table
    from allpass.experiments.tables.study import TableStudy
    from allpass.report.results.page import Table, Value
    from allpass.report.results.tables.cells import Results, as_table

    console.print(Line(page.title, style="bold"))
    if quick:
        console.print("A quick run: it proves the path, and its numbers mean nothing.", style="yellow")
    for finding in page.findings:
        console.print(Line(f"- {finding}"))
    table = next((block for block in page.blocks if isinstance(block, Table)), None)
    if isinstance(study, TableStudy) and len(rows) <= _SHOWN:
        table = as_table(Results(study, rows))
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
