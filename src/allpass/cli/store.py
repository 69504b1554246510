"""`allpass store`: what a file of runs holds, and several of them joined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from allpass.cli.help import Verb, Verbs, example

store = typer.Typer(cls=Verbs, no_args_is_help=True, epilog=example("allpass store list runs.db"))
_SHOWN = 5
"""As many runs that differ are named."""


@store.callback()
def about() -> None:
    """Files of runs: what they hold, and several joined into one."""


@store.command("list", cls=Verb, epilog=example("allpass store list runs.db"))
def list_runs(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file of runs.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print every run as JSON, without curves.")] = False,
) -> None:
    """Count the runs of a file by dataset and model, how they ended, and how long they took."""
    from allpass.train.runs.store import Store

    with Store(path, read_only=True) as opened:
        if as_json:
            runs = [run.to_dict() for run in opened.runs(curves=False)]
            typer.echo(json.dumps(runs, indent=2, ensure_ascii=False))
            return
        rows = opened.summary()
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table

    table = plain_table()
    for heading in ("dataset", "model", "runs", "done", "diverged", "minutes", "last"):
        table.add_column(heading, justify="left" if heading in ("dataset", "model", "last") else "right")
    for row in rows:
        counts = (f"{count:,}" for count in (row.runs, row.done, row.diverged))
        cells = row.dataset, row.model, *counts, f"{row.seconds / 60:,.1f}", row.last[:16].replace("T", " ")
        table.add_row(*map(Text, cells))
    Console().print(table if rows else Text("The file holds no runs."))


@store.command(cls=Verb, epilog=example("allpass store merge all.db runs-1.db runs-2.db"))
def merge(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The file that gets the runs; made where there is none.",
            show_default=False,
        ),
    ],
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE", help="The files to read.", show_default=False)
    ],
) -> None:
    """Join files of runs, from several machines say; a run that is there already stays as it is."""
    from allpass.train.runs.store import Store

    for source in sources:
        Store(source, read_only=True).close()  # each can be read, before anything is written
    with Store(target) as joined:
        for source in sources:
            merged = joined.merge(source)
            typer.echo(
                f"{source}: {merged.added:,} added, {merged.present:,} already there, "
                f"{len(merged.conflicts):,} with other numbers than those there"
            )
            for key in merged.conflicts[:_SHOWN]:
                typer.echo(
                    f"  kept as it was: {key.dataset}, {key.model}, {key.split}, seed {key.seed}, "
                    f"{key.identity}"
                )
            if len(merged.conflicts) > _SHOWN:
                typer.echo(f"  and {len(merged.conflicts) - _SHOWN:,} more")
        typer.echo(f"{target}: {len(joined):,} runs")
