"""`allpass predict`: what a trained model says of the nodes of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.target import Target, reads_graph
from allpass.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
) -> None:
    """Predict every node of a graph: the one of the training, or another with the same features."""
    import csv
    import io

    from allpass.files import write_whole
    from allpass.report import check_writable
    from allpass.train.checkpoint import load

    trained = load(checkpoint)
    if probabilities and trained.task == "regression":
        raise InputError("The model tells numbers; they have no probabilities.", "Leave out --probabilities.")
    if threshold is not None:
        trained = trained.at(threshold)
    if output is not None:
        check_writable(output)  # before minutes of work, not after
    table = io.StringIO()
    data = load_for(trained, graph)
    csv.writer(table, lineterminator="\n").writerows(_rows(trained, data, probabilities))
    if output is None:
        typer.echo(table.getvalue(), nl=False)
        return
    write_whole(output, table.getvalue().encode())
    typer.echo(f"{output}: {table.getvalue().count(chr(10)) - 1:,} nodes")


def load_for(trained: Trained, graph: Target) -> Data:
    """The graph, its labels read as those of the training; new nodes may have none, so none are asked for."""
    from allpass.data import DATASETS
    from allpass.data.tables.node_table import NoLabelColumnError

    known = {"task": "regression" if trained.task == "regression" else "classification"}
    options = {**({} if graph.target in DATASETS else known), **graph.options}
    if trained.encodings:
        options["encodings"] = trained.encodings
    try:
        return Target(graph.target, options).load()
    except NoLabelColumnError:
        return Target(graph.target, {**options, "label": False}).load()


def _rows(trained: Trained, data: Data, every: bool) -> Iterator[list[Any]]:
    """The heading and a row for each node: its own id, what is predicted, and how likely that is."""
    ids = data.get("node_ids") or range(data.num_nodes)
    if trained.task == "regression":
        numbers = trained.outputs(data)
        several = (
            [f"prediction {n}" for n in range(numbers.shape[1])] if numbers.shape[1] > 1 else ["prediction"]
        )
        yield ["node", *several]
        yield from ([node, *row] for node, row in zip(ids, numbers.tolist(), strict=True))
        return
    chances = trained.probabilities(data)
    names = trained.class_names or tuple(map(str, range(chances.shape[1])))
    yield [
        "node",
        "prediction",
        "probability",
        *(f"p({name})" for name in names[: chances.shape[1]] if every),
    ]
    chosen = trained.classes(chances).tolist()
    for node, row, c in zip(ids, chances.tolist(), chosen, strict=True):
        yield [node, names[c], f"{row[c]:.6g}", *(f"{chance:.6g}" for chance in row if every)]
