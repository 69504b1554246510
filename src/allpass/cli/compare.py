"""`allpass compare`: several models on the same splits, with paired tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from allpass.cli.machines import uses_machines
from allpass.cli.options import AsJson, Count, Seed, Splits
from allpass.cli.target import Target, default_model, reads_graph
from allpass.cli.training import Training, say_score, trains
from allpass.errors import UnknownNameError, did_you_mean


@reads_graph
@uses_machines
@trains
def compare(
    graph: Target,
    training: Training,
    machines: dict[str, Any],
    models: Annotated[
        str | None,
        typer.Option(
            help="Models by name, separated by commas (see `allpass models`); by default mlp-2, gcn and acm-gcn, "
            "or sage in place of acm-gcn when the label is a number.",
            show_default=False,
        ),
    ] = None,
    splits: Splits = "stratified",
    count: Count = 10,
    seed: Seed = 0,
    against: Annotated[
        str,
        typer.Option(
            help="The model that the others are tested against; by default the one that validation chooses.",
            show_default=False,
        ),
    ] = "",
    store: Annotated[
        Path | None, typer.Option(help="File of runs: those it holds are read, new ones are added.")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw it: .svg, .pdf or .png.")] = None,
    as_json: AsJson = False,
) -> None:
    """Train models on the same splits and test which of them is ahead."""
    from allpass.cli.progress import stoppable
    from allpass.cli.progress import training as progress
    from allpass.train.compare import compare as run_comparison
    from allpass.train.given import divide
    from allpass.train.runs.store import Store

    if figure is not None:
        from allpass.report.canvas import check_figure

        check_figure(figure)  # before minutes of work, not after
    data = graph.load()
    listed = f"mlp-2,gcn,{default_model(data)}" if models is None else models
    names = [name.strip() for name in listed.split(",") if name.strip()]
    if against and against not in names:
        raise UnknownNameError(f"The model {against!r} is not compared.", did_you_mean(against, names))
    say_score(data, training)
    folds = divide(data, splits, count=count, seed=seed)
    opened = None if store is None else Store(store)
    try:
        with stoppable(opened), progress("comparing") as on_progress:
            compared = run_comparison(
                names, data, folds, store=opened, seeds=seed, on_progress=on_progress, **machines, **training
            )
    finally:
        if opened is not None:
            opened.close()
    baseline = against or compared.best
    if figure is not None:
        from allpass.report.canvas import save
        from allpass.report.figures import comparison

        save(comparison(compared), figure)
    if as_json:
        typer.echo(json.dumps(compared.to_dict(baseline), indent=2, ensure_ascii=False))
        return
    from allpass.cli.show import show_comparison

    show_comparison(compared, baseline, figure)
