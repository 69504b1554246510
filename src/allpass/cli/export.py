"""`allpass export`: a trained model as a program that torch runs without allpass."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from allpass.cli.target import Target, reads_graph


@reads_graph
def export(
    checkpoint: Annotated[
        Path, typer.Argument(help="A folder that `allpass train` wrote.", show_default=False)
    ],
    graph: Target,
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write, ending in .pt2.")] = Path(
        "model.pt2"
    ),
    fixed_graph: Annotated[
        bool,
        typer.Option("--fixed-graph", help="Keep the graph in the program, which then takes features alone."),
    ] = False,
) -> None:
    """Write a trained model with torch.export, and check on a graph that it gives the same outputs."""
    from allpass.cli.predict import load_for
    from allpass.train.checkpoint import load
    from allpass.train.export import check_path
    from allpass.train.export import export as write

    check_path(output)
    trained = load(checkpoint)
    program = write(trained, load_for(trained, graph), output, fixed_graph=fixed_graph)
    inputs = ", ".join(program.graph_signature.user_inputs)
    typer.echo(f"{output}: takes {inputs}; the outputs are those of the model")
