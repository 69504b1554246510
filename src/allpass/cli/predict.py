"""`allpass predict`: what a trained model says of the nodes of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.options import Device
from allpass.cli.target import Target, reads_graph, say_notes
from allpass.errors import InputError

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from allpass.train.trained import Trained


@reads_graph
def predict(
    checkpoint: Annotated[
        Path, typer.Argument(help="A folder that `allpass train` wrote.", show_default=False)
    ],
    graph: Target,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="CSV file to write; by default it is printed.", show_default=False
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column for the probability of every class.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Predict the rarer of two classes where its probability is at least this; by default the threshold "
            "that the training chose on validation nodes for a rare class, and the more likely class otherwise.",
            show_default=False,
        ),
    ] = None,
    new: Annotated[
        Path | None,
        typer.Option(
            help="Table of new nodes, joined to the graph of the training by the edges of --edges.",
            show_default=False,
        ),
    ] = None,
    only_unlabelled: Annotated[
        bool, typer.Option("--only-unlabelled", help="Leave out the nodes that have a label.")
    ] = False,
    device: Device = "auto",
) -> None:
    """Predict every node of a graph: the one of the training, new nodes that link to it, or another graph.

    Without TARGET the graph of the training is meant. The columns are the id, the prediction, its probability, whether
    the node is labelled, and whether the model learnt from it.
    """
    import csv
    import io

    from allpass.data.draft import many
    from allpass.files import check_writable, write_whole
    from allpass.train.checkpoint import load
    from allpass.train.predictions import table

    trained = load(checkpoint).on(device)
    if probabilities and trained.task == "regression":
        raise InputError(
            "The model predicts numbers; they have no probabilities.", "Leave out --probabilities."
        )
    if threshold is not None:
        trained = trained.at(threshold)
    if output is not None:
        check_writable(output)  # before minutes of work, not after
    data = load_for(trained, graph, new)
    headings, rows = table(trained, data, probabilities=probabilities, only_unlabelled=only_unlabelled)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows([_cell(value) for value in row] for row in rows)
    if output is None:
        typer.echo(text.getvalue(), nl=False)
        return
    write_whole(output, text.getvalue().encode("utf-8", "replace"))
    typer.echo(f"{output}: {many(len(rows), 'node')}")


def load_for(trained: Trained, graph: Target, new: Path | None = None) -> Data:
    """The graph that a model is asked about, its columns read as those of the training."""
    from allpass.data import DATASETS

    data = trained.read(graph.target, new=new, **graph.options)
    if graph.target not in DATASETS or new is not None:
        say_notes(data)
    return data


def _cell(value: Any) -> Any:
    """A value as the table has it; nothing for what is not known."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and abs(value) < 10 else value
