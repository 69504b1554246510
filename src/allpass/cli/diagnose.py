"""`allpass diagnose`: every metric, the findings, a recommendation, and one HTML page."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.target import Target, reads_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

@reads_graph
def diagnose(
    graph: Target,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
) -> None:
    """Measure whether the structure of a graph helps or hurts, and say what to try first."""
    from allpass.diagnosis import diagnose as run_diagnosis

    if html is not None:
        from allpass.report import check_writable

        check_writable(html)  # before minutes of work, not after
    with _progress() as say:
        diagnosis = run_diagnosis(graph.target, progress=say, **graph.options)
        if html is not None:
            from allpass.report import write_page

            say("drawing the page")
            write_page(diagnosis, html)
    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False))
        return
    from allpass.cli.show import show_diagnosis

    show_diagnosis(diagnosis, html)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A bar on the terminal, nothing anywhere else; it moves on with each step's name."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from allpass.metrics import METRICS

    columns: tuple[Any, ...] = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=len(METRICS) + 7)
        yield lambda step: bar.update(task, description=step, advance=1)
