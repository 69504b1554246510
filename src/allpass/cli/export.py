"""`allpass export`: a trained model as a program that torch runs without allpass, or the graph that it has learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from allpass.cli.target import Target, reads_graph
from allpass.errors import InputError


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
    learned_graph: Annotated[
        Path | None,
        typer.Option(
            "--learned-graph",
            help="Write the graph that the model has learned instead: every edge as a row of a .csv file, or a page "
            "with a picture as .html.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a trained model with torch.export, and check on a graph that it gives the same outputs."""
    if learned_graph is not None:
        _write_learned(checkpoint, graph, learned_graph)
        return
    from allpass.cli.predict import load_for
    from allpass.train.checkpoint import load
    from allpass.train.export import check_path
    from allpass.train.export import export as write

    check_path(output)
    trained = load(checkpoint)
    program = write(trained, load_for(trained, graph), output, fixed_graph=fixed_graph)
    inputs = ", ".join(program.graph_signature.user_inputs)
    typer.echo(f"{output}: takes {inputs}; the outputs are those of the model")


def _write_learned(checkpoint: Path, graph: Target, path: Path) -> None:
    from allpass.cli.predict import load_for
    from allpass.files import check_writable
    from allpass.train.checkpoint import load
    from allpass.train.learned_graph import changed
    from allpass.train.learned_graph import learned_graph as learned_by

    if path.suffix not in (".csv", ".html"):
        raise InputError(f"Got --learned-graph {str(path)!r}.", "Expected a file that ends in .csv or .html.")
    check_writable(path)
    trained = load(checkpoint)
    data = load_for(trained, graph)
    found = learned_by(trained, data)
    if path.suffix == ".csv":
        found.to_csv(path)
    else:
        from allpass.report.learned import write_learned

        write_learned(found, path, f"{data.get('name') or 'graph'}, {trained.model}")
    typer.echo("\n".join([*changed(found.summary()), f"Written: {path}"]))
