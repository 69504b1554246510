"""`allpass diagnose`: every metric, the findings, a recommendation, and one HTML page."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TABLES = "Your own tables"
OPTIONS = (
    "edges",
    "nodes",
    "label",
    "features",
    "id_column",
    "source_column",
    "target_column",
    "weight",
    "undirected",
    "unknown_nodes",
    "nan",
    "task",
    "data_dir",
)
"""The options of `allpass.load` that have a flag here."""


def diagnose(
    target: Annotated[
        str | None,
        typer.Argument(
            help="A dataset's name (see `allpass datasets`), a file, or a folder with edges.* and nodes.*"
        ),
    ] = None,
    edges: Annotated[
        Path | None, typer.Option(help="Edge table: CSV, TSV or Parquet.", rich_help_panel=_TABLES)
    ] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="Node table: CSV, TSV or Parquet.", rich_help_panel=_TABLES)
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="Column of the node table that holds the class.", rich_help_panel=_TABLES),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            help="Feature columns, separated by commas; by default all others.", rich_help_panel=_TABLES
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="Column of the node table that names the node.", rich_help_panel=_TABLES),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="Column of the edge table where an edge starts.", rich_help_panel=_TABLES),
    ] = None,
    destination: Annotated[
        str | None, typer.Option(help="Column of the edge table where an edge ends.", rich_help_panel=_TABLES)
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of the edge table with edge weights.", rich_help_panel=_TABLES)
    ] = None,
    undirected: Annotated[
        bool,
        typer.Option(
            "--undirected", help="Each row of the edge table is an edge both ways.", rich_help_panel=_TABLES
        ),
    ] = False,
    unknown_nodes: Annotated[
        str | None,
        typer.Option(
            help="Edges to nodes that the node table lacks: error, drop or add.", rich_help_panel=_TABLES
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="What the label is: classification or regression.", rich_help_panel=_TABLES),
    ] = None,
    nan: Annotated[
        str | None,
        typer.Option(
            help="Missing feature values: error, zero or mean; by default the median, with a column that says so.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with dataset files; also $ALLPASS_DATA.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
) -> None:
    """Measure whether the structure of a graph helps or hurts, and say what to try first."""
    from allpass.diagnosis import diagnose as run_diagnosis

    given = {
        "edges": edges,
        "nodes": nodes,
        "label": label,
        "features": features.split(",") if features is not None else None,
        "id_column": id_column,
        "source_column": source,
        "target_column": destination,
        "weight": weight,
        "undirected": undirected or None,
        "unknown_nodes": unknown_nodes,
        "nan": nan,
        "task": task,
        "data_dir": data_dir,
    }
    if html is not None:
        from allpass.report import check_writable

        check_writable(html)  # before minutes of work, not after
    with _progress() as say:
        diagnosis = run_diagnosis(target, progress=say, **{k: v for k, v in given.items() if v is not None})
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
