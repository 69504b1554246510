"""`allpass diagnose`: does the structure of a graph help, every metric, and one HTML page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from allpass.cli.options import AsJson, Device, Score
from allpass.cli.target import Target, reads_graph
from allpass.errors import InputError

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@reads_graph
def diagnose(
    graph: Target,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
    verdict: Annotated[
        bool,
        typer.Option(" /--no-verdict", help="Measure alone, and train no models.", show_default=False),
    ] = True,
    budget: Annotated[
        str,
        typer.Option(
            help="Time for training: 60s, 5m, or none for no limit. Reading and measuring come on top."
        ),
    ] = "60s",
    candidates: Annotated[
        str | None,
        typer.Option(
            help="Compare exactly these models, separated by commas, without a limit of time.",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        str, typer.Option(help="How nodes are divided: stratified, random, stored, ...")
    ] = "stratified",
    score: Score = None,
    device: Device = "auto",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that train; by default one per core, and one for what takes seconds or for a GPU.",
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[bool, typer.Option("--metrics", help="Print the table of all metrics too.")] = False,
) -> None:
    """Find out whether the structure of a graph helps or hurts, and which model to use."""
    from allpass.cli.progress import steps
    from allpass.diagnosis import diagnose as run_diagnosis
    from allpass.diagnosis.diagnose import STEPS

    seconds = _seconds(budget)
    named = None if candidates is None else _names(candidates)
    if named and not verdict:
        raise InputError("Got --candidates and --no-verdict.", "Leave out one of them.")
    if html is not None:
        from allpass.report import check_writable

        check_writable(html)  # before minutes of work, not after
    with steps(STEPS + (html is not None)) as say:
        diagnosis = run_diagnosis(
            graph.target,
            verdict=verdict,
            splits=splits,
            score=score,
            budget=seconds,
            candidates=named,
            device=device,
            workers=workers,
            progress=say,
            **graph.options,
        )
        if html is not None:
            from allpass.report import write_page

            say("drawing the page")
            write_page(diagnosis, html)
    if as_json:
        typer.echo(json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False))
        return
    from allpass.cli.show import show_diagnosis

    show_diagnosis(diagnosis, html, metrics=metrics)


def _names(words: str) -> list[str]:
    found = [name.strip() for name in words.split(",") if name.strip()]
    if not found:
        raise InputError(
            f"Got --candidates {words}.", "Expected models separated by commas, such as trees,gcn."
        )
    return found


def _seconds(words: str) -> float | None:
    """A time such as ``60``, ``60s``, ``5m`` or ``1h``; nothing for ``none``.

    Example:
        >>> _seconds("90s"), _seconds("2m"), _seconds("none")
        (90.0, 120.0, None)
    """
    if words.strip().lower() == "none":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", words.strip().lower())
    if found is None or found[2] not in _UNITS or float(found[1]) == 0:
        raise InputError(f"Got --budget {words}.", "Expected a time such as 60s, 5m or 1h, or none.")
    return float(found[1]) * _UNITS[found[2]]
