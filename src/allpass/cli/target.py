"""The options that say how a graph is read, the same for every verb that takes one."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.groups import grouped
from allpass.cli.options import DataDir
from allpass.errors import InputError

if TYPE_CHECKING:
    from torch_geometric.data import Data

_TABLES = "Your own tables"


@dataclass(frozen=True)
class Target:
    """What a verb was pointed at.

    Args:
        target: A name, a file or a folder; nothing where tables are given.
        options: The options of :func:`allpass.load` that were given.
    """

    target: str | None
    options: dict[str, Any]

    def load(self) -> Data:
        """The graph; what was found in data of one's own and mended is told on the error stream."""
        from allpass.data import DATASETS, load

        data = load(self.target, **self.options)
        if self.target not in DATASETS:  # what is to be known of those stands in `allpass diagnose`
            say_notes(data)
        return data


def say_notes(data: Data) -> None:
    """Say on the error stream what the columns were taken for, and what was found in the data and mended."""
    from rich.console import Console

    from allpass.cli.roles import show_roles
    from allpass.cli.words import told

    out = Console(stderr=True, highlight=False, markup=False)
    show_roles(data.get("roles") or (), out)
    for note in data.account:
        if note.code != "undirected":  # as most graphs are
            out.print(told(note), soft_wrap=True)


def default_model(data: Data) -> str:
    """The model to train when none is named: ACM ends in ReLU, so it cannot predict numbers below the mean."""
    return "sage" if is_regression(data) else "acm-gcn"


def is_regression(data: Data) -> bool:
    """Whether the labels are numbers to predict."""
    return data.y is not None and bool(data.y.is_floating_point())


def _declared(
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
    no_label: Annotated[
        bool, typer.Option("--no-label", help="Read a graph without labels.", rich_help_panel=_TABLES)
    ] = False,
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
    no_id: Annotated[
        bool,
        typer.Option("--no-id", help="Nodes go by their row number.", rich_help_panel=_TABLES),
    ] = False,
    drop: Annotated[
        str | None, typer.Option(help="Columns to leave out, separated by commas.", rich_help_panel=_TABLES)
    ] = None,
    numbers: Annotated[
        str | None,
        typer.Option("--number", help="Columns to use as numbers, such as codes.", rich_help_panel=_TABLES),
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option(
            "--category",
            help="Columns to make one 0/1 column a value of, also of numbers.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            help="Columns of free text whose words become features (TF-IDF, 2,000 words).",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    source_column: Annotated[
        str | None,
        typer.Option(
            "--source", help="Column of the edge table where an edge starts.", rich_help_panel=_TABLES
        ),
    ] = None,
    target_column: Annotated[
        str | None,
        typer.Option(
            "--destination", help="Column of the edge table where an edge ends.", rich_help_panel=_TABLES
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of the edge table with edge weights.", rich_help_panel=_TABLES)
    ] = None,
    no_weight: Annotated[
        bool, typer.Option("--no-weight", help="Read the edges without weights.", rich_help_panel=_TABLES)
    ] = False,
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
    missing_labels: Annotated[
        str | None,
        typer.Option(
            help="Values of the label column that mean a missing label, with commas between; '' makes classes of all.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="What the label is: classification or regression; by default what its values suggest.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    nan: Annotated[
        str | None,
        typer.Option(
            help="Missing feature values: error, zero or mean; by default median, with a column that says so.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    unlabelled: Annotated[
        str | None,
        typer.Option(
            help="Nodes without a label of a named dataset: missing, zero or drop.", show_default=False
        ),
    ] = None,
    features_from: Annotated[
        str | None,
        typer.Option(
            help="Make features from the structure: identity, degree or position; for a graph without features.",
            show_default=False,
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """The argument TARGET and the options that say how a graph is read; never called."""


_WITHOUT = {"no_label": "label", "no_weight": "weight", "no_id": "id_column"}
_LISTS = ("features", "drop", "numbers", "categories", "text")
OPTIONS = tuple(
    name for name in inspect.signature(_declared).parameters if name != "target" and name not in _WITHOUT
)
"""The options of `allpass.load` that have a flag."""


def _target(given: dict[str, Any]) -> Target:
    options = {name: given[name] for name in OPTIONS}
    for flag, name in _WITHOUT.items():
        if given[flag]:
            options[name] = _none(flag.removeprefix("no_"), options[name])
    for name in _LISTS:
        if options[name] is not None:
            options[name] = options[name].split(",")
    options["undirected"] = options["undirected"] or None
    return Target(given["target"], {name: value for name, value in options.items() if value is not None})


def _none(name: str, given: str | None) -> bool:
    """What `allpass.load` takes for none at all, unless a column is named too."""
    if given is not None:
        raise InputError(f"Got both --{name} {given} and --no-{name}.", "Leave one of them out.")
    return False


reads_graph = grouped("graph", _declared, _target)
"""Gives a verb the argument TARGET and all options of reading; it gets them as its parameter ``graph``."""
