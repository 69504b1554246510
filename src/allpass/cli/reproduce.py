"""`allpass reproduce`: run a published table or figure again and compare our numbers with the printed ones."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allpass.cli.machines import check_executor, ray
from allpass.cli.options import DataDir
from allpass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from allpass.papers.runner import Failure
    from allpass.train.executors.executor import Executor


def reproduce(
    context: typer.Context,
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
            help="Parts of it, separated by commas: for a table rows, columns, ROW/COLUMN, same, tuned or (in some) "
            "seeds and fresh; may be repeated.",
            show_default=False,
        ),
    ] = None,
    executor: Annotated[str, typer.Option(help="What does the work: local, or a Ray cluster.")] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            help="Where the head of the Ray cluster is; by default the cluster of this machine, or this machine alone.",
            show_default=False,
        ),
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
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Rows of an earlier run, such as docs/results/ID.csv: what they hold is not run again.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the page, its picture, its table in LaTeX and its rows. Quick runs go to OUT/quick."
        ),
    ] = Path("results"),
    data_dir: DataDir = None,
) -> None:
    """Run a published table or figure again. After a stop, the same command continues."""
    if name is None:
        _check_alone(context, listed)
        _list()
        return
    if not listed:
        out = out / "quick" if quick else out
        _announce(name, store, out)
    from allpass.cli.progress import STOPPED, reproducing, say_stopped, stoppable
    from allpass.cli.reproduced import complain, put
    from allpass.data.named.fetch import data_folders
    from allpass.papers.catalogue import STUDIES
    from allpass.papers.publish import check_free
    from allpass.papers.result import read_results
    from allpass.papers.runner import reproduce as run
    from allpass.papers.study import Plan
    from allpass.train.runs.store import Store

    if data_dir is not None:
        data_folders(data_dir)  # raises where there is none
        os.environ["ALLPASS_DATA"] = str(data_dir.absolute())  # where worker processes look
    name = name.lower()
    if name not in STUDIES:
        raise InputError(f"There is nothing named {name!r} to reproduce.", did_you_mean(name, STUDIES))
    study = STUDIES[name]
    if listed:
        _list_cells(study.words.title, study.axes())
        return
    plan = Plan(_names(cells or [], [part for names in study.axes().values() for part in names]), quick)
    if cells and not plan.cells:
        raise InputError("There is no name in --cells.", "Name some parts, or leave it out for all of them.")
    if resume is not None and not resume.exists():
        raise InputError(
            f"There is no file {str(resume)!r}.", "Give the CSV file of an earlier run to --resume."
        )
    known = [] if resume is None else read_results(resume, study.result)
    check_free(study, out)  # before hours of work, not after
    machines = _executor(executor, address, workers, device)
    plan.check(name, [part for names in study.axes().values() for part in names])  # before the store is made
    failed: list[Failure] = []
    stopped = False
    with Store(store) as opened, stoppable(opened):
        try:
            with reproducing() as on_progress:
                failed = run(study, opened, machines, plan, on_progress, known)
        except KeyboardInterrupt:  # finished rows are written; a second Ctrl-C skips that
            stopped = True
            say_stopped(opened)
        complain(failed)
        results = study.results(plan, opened)
        if results or known:
            whole = not (quick or stopped or failed or plan.cells)
            put(study, results, known, out, whole=whole, quick=quick, shown=not stopped)
    if stopped:
        raise typer.Exit(STOPPED)
    if not results and not known:
        raise InputError(f"Nothing of {name!r} could be run.", "See the message for each part above.")
    if failed:
        raise typer.Exit(1)


def _check_alone(context: typer.Context, listed: bool) -> None:
    """An error where options are given without an ID."""
    sources = {option: context.get_parameter_source(str(option.name)) for option in context.command.params}
    asked = [option.opts[0] for option, source in sources.items() if source and source.name == "COMMANDLINE"]
    if asked and not listed:
        raise InputError(
            f"{asked[0]} is for one reproduction, and none is named.",
            "Name an ID, as in allpass reproduce rank --quick; allpass reproduce --list has all.",
        )


def _announce(name: str, store: Path, out: Path) -> None:
    """A first line on a terminal: importing the rest takes seconds."""
    if sys.stderr.isatty():
        typer.echo(f"Reproducing {name}: runs are kept in {store}, the page is written to {out}", err=True)


def _list() -> None:
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.papers.catalogue import STUDIES

    table = plain_table()
    for heading in ("ID", "what it shows"):
        table.add_column(heading)
    for name, study in STUDIES.items():
        table.add_row(name, study.words.title)
    console = Console()
    console.print(table)
    console.print(
        "\nallpass reproduce ID --list shows all cells of one; ID --quick checks in minutes that it works."
    )


def _list_cells(title: str, axes: Mapping[str, Sequence[str]]) -> None:
    """The names that --cells may have."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    console.print(title, style="bold")
    for axis, names in axes.items():
        if axis == "cells":
            console.print(
                f"single cells: {len(names):,}, such as {names[0]!r}; a row and a column name where they meet"
            )
        else:
            console.print(f"{axis}: " + ", ".join(repr(name) if "," in name else name for name in names))


def _names(cells: list[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names between commas; a known name that contains commas stays whole."""
    whole = (re.escape(name) for name in sorted(known, key=len, reverse=True) if "," in name)
    name = re.compile(rf"\s*(?:{'|'.join((*whole, '[^,]'))})[^,]*", re.IGNORECASE)
    found = (text.strip() for part in cells for text in name.findall(part))
    return tuple(text for text in found if text)


def _executor(name: str, address: str | None, workers: int | None, device: str | None) -> Executor:
    from allpass.train.executors import Local

    check_executor(name, address, {"--workers": workers, "--device": device})
    return ray(address) if name == "ray" else Local(device or "cpu", 1 if workers is None else workers)
