"""`allpass diagnose`: every metric, the findings, a recommendation, and one HTML page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from allpass.cli.options import AsJson
from allpass.cli.target import Target, reads_graph


@reads_graph
def diagnose(
    graph: Target,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
    verdict: Annotated[
        bool,
        typer.Option(
            " /--no-verdict",
            help="Measure alone, and train no networks to compare.",
            show_default=False,
        ),
    ] = True,
) -> None:
    """Measure whether the structure of a graph helps or hurts, and say what to try first."""
    from allpass.cli.progress import steps
    from allpass.diagnosis import diagnose as run_diagnosis
    from allpass.diagnosis.diagnose import STEPS

    if html is not None:
        from allpass.report import check_writable

        check_writable(html)  # before minutes of work, not after
    with steps(STEPS + (html is not None)) as say:
        diagnosis = run_diagnosis(graph.target, verdict=verdict, progress=say, **graph.options)
        if html is not None:
            from allpass.report import write_page

            say("drawing the page")
            write_page(diagnosis, html)
    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False))
        return
    from allpass.cli.show import show_diagnosis

    show_diagnosis(diagnosis, html)
