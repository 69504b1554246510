"""A diagnosis on the terminal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from allpass.diagnosis import Diagnosis

_MARKS = {"good": ("+", "green"), "bad": ("-", "red"), "note": ("·", "cyan")}


def show_diagnosis(diagnosis: Diagnosis, page: Path | None, console: Console | None = None) -> None:
    """Verdict, findings, metrics and what the data needed, in one screen or two."""
    out = console or Console()
    facts = diagnosis.facts
    out.print()
    out.print(Text(diagnosis.name, style="bold"), Text(f"({diagnosis.source})", style="dim"))
    out.print(
        f"{facts.nodes:,} nodes, {facts.edges:,} edges, {facts.features:,} features, {facts.classes} classes; "
        f"mean degree {facts.mean_degree:.1f}, {facts.components:,} component{'s' * (facts.components != 1)}"
    )
    out.print()
    out.print(Text(diagnosis.recommendation.summary, style="bold"))
    if diagnosis.recommendation.models:
        out.print("Try first, in this order:")
        out.print(Padding(_model_table(diagnosis), (0, 0, 0, 2)))
    out.print()
    for finding in diagnosis.findings:
        mark, colour = _MARKS[finding.kind]
        out.print(Text(f"{mark} {finding.title}", style=colour))
        out.print(Padding(Text(finding.text), (0, 0, 0, 2)))
    out.print()
    out.print(_metric_table(diagnosis))
    if len(diagnosis.account):
        out.print(Text("What was found in the data", style="bold"))
        for note in diagnosis.account:
            out.print(Padding(Text(f"{note.what} {note.cure}".strip()), (0, 0, 0, 2)))
    for convention in diagnosis.profile.notes:
        out.print(Text(convention, style="dim"))
    out.print(Text("Judged from measurements, before any training.", style="dim"))
    if page is not None:
        out.print()
        out.print(f"Report: {page}")


def _model_table(diagnosis: Diagnosis) -> Table:
    from allpass.models import resolve

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    for name in diagnosis.recommendation.models:
        table.add_row(Text(name), Text(resolve(name)[0].summary))
    return table


def _metric_table(diagnosis: Diagnosis) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("", style="dim")
    table.add_column("value", justify="right")
    table.add_column("meaning")
    for row in diagnosis.profile.rows:
        undefined = math.isnan(row.value)
        value = "-" if undefined else f"{row.value:.4f}"
        meaning = f"undefined: {row.reason}" if undefined else row.metric.meaning
        table.add_row(row.metric.name, row.metric.symbol, value, meaning)
    return table
