"""`allpass reproduce`: a published table or figure, run again, with our number beside the printed one."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allpass.cli.machines import check_executor, ray
from allpass.cli.options import DataDir
from allpass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from allpass.papers.runner import Failure
    from allpass.papers.study import Plan, Study
    from allpass.train.executors.executor import Executor
    from allpass.train.runs.store import Store

_AXES = {
    "row": "rows: ",
    "column": "columns: ",
    "graph": "graphs, each with all of its columns: ",
    "kind": "kinds of numbers: ",
}


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
            help="Parts of it, separated by commas: for a table rows, columns, graphs, ROW/COLUMN, same, honest or (in "
            "some) again and fresh; may be repeated.",
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
        _check_alone(context, listed)
        _list()
        return
    if not listed:
        out = out / "quick" if quick else out
        _announce(name, store, out)
    from allpass.cli.progress import STOPPED, reproducing, say_stopped, stoppable
    from allpass.cli.reproduced import complain, put
    from allpass.data.named.fetch import data_folders
    from allpass.files import check_folder
    from allpass.papers.catalogue import STUDIES
    from allpass.papers.runner import reproduce as run
    from allpass.papers.study import Plan
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
    check_folder(out)  # before hours of work, not after
    machines = _executor(executor, address, workers, device)
    failed: list[Failure] = []
    stopped = False
    with Store(store) as opened, stoppable(opened):
        if not study.tasks(plan, opened):
            raise _nothing(study, plan, opened)
        try:
            with reproducing() as on_progress:
                failed = run(study, opened, machines, plan, on_progress)
        except KeyboardInterrupt:  # what is finished has its page; pressed again, it is left out
            stopped = True
            say_stopped(opened)
        complain(failed)
        rows = study.rows(plan, opened)
        if rows:
            put(study, rows, out, shown=not stopped)
    if stopped:
        raise typer.Exit(STOPPED)
    if not rows:
        raise InputError(f"Nothing of {name!r} could be done.", "See what was said of each part above.")
    if failed:
        raise typer.Exit(1)


def _check_alone(context: typer.Context, listed: bool) -> None:
    """An error where something is asked of a reproduction and none is named."""
    sources = {option: context.get_parameter_source(str(option.name)) for option in context.command.params}
    asked = [option.opts[0] for option, source in sources.items() if source and source.name == "COMMANDLINE"]
    if asked and not listed:
        raise InputError(
            f"{asked[0]} is for one reproduction, and none is named.",
            "Name an ID, as in allpass reproduce rank --quick; allpass reproduce --list has all.",
        )


def _announce(name: str, store: Path, out: Path) -> None:
    """A first line for whoever waits at a terminal: what follows takes seconds to be imported."""
    if sys.stderr.isatty():
        typer.echo(f"Reproducing {name}: runs are kept in {store}, the page is written to {out}", err=True)


def _nothing(study: Study, plan: Plan, store: Store) -> InputError:
    """The error where a plan leaves nothing to do."""
    from allpass.papers.tables.study import TableStudy

    why = f": {study.refusal(plan)}" if isinstance(study, TableStudy) else ""
    cure = f"Name other --cells; allpass reproduce {study.id} --list names all."
    if plan.quick and study.tasks(replace(plan, quick=False), store):
        cure = "Leave out --quick, or name other --cells."
    return InputError(f"Of {study.id!r} nothing that is named can be run{why}.", cure)


def _list() -> None:
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.papers.catalogue import STUDIES

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

    from allpass.papers.tables.study import TableStudy

    lines = {"": study.cells()}
    if isinstance(study, TableStudy):
        axes = study.axes()
        lines = {title: axes[axis] for axis, title in _AXES.items() if axes[axis]}
    console = Console(highlight=False, markup=False)
    console.print(study.title, style="bold")
    for title, names in lines.items():
        quoted = (repr(name) if "," in name else name for name in names)
        console.print(title + ", ".join(quoted))
    if isinstance(study, TableStudy):
        first = f"{axes['row'][0]},{axes['column'][0]}"
        console.print(f"single cells: {len(axes['cell']):,}, such as {axes['cell'][0]}")
        console.print(f"Rows and columns name the cells where they meet, as in --cells {first!r}")


def _names(cells: list[str], known: Sequence[str]) -> tuple[str, ...]:
    """What stands between commas; a known name that has commas itself stays whole."""
    whole = (re.escape(name) for name in sorted(known, key=len, reverse=True) if "," in name)
    name = re.compile(rf"\s*(?:{'|'.join((*whole, '[^,]'))})[^,]*", re.IGNORECASE)
    found = (text.strip() for part in cells for text in name.findall(part))
    return tuple(text for text in found if text)


def _executor(name: str, address: str | None, workers: int | None, device: str | None) -> Executor:
    from allpass.train.executors import Local

    check_executor(name, address, {"--workers": workers, "--device": device})
    return ray(address) if name == "ray" else Local(device or "cpu", 1 if workers is None else workers)
