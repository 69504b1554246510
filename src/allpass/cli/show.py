"""A diagnosis on the terminal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from allpass.cli.plain import plain_table
from allpass.cli.words import told
from allpass.data.draft import many

if TYPE_CHECKING:
    from allpass.diagnosis import Diagnosis
    from allpass.train.compare import Comparison
    from allpass.train.statistics import Estimate

_MARKS = {"good": ("+", "green"), "bad": ("-", "red"), "note": ("·", "cyan")}


def show_diagnosis(diagnosis: Diagnosis, page: Path | None, console: Console | None = None) -> None:
    """Verdict, findings, metrics and what the data needed, in one screen or two."""
    out = console or Console()
    facts = diagnosis.facts
    out.print()
    out.print(Text(diagnosis.name, style="bold"), Text(f"({diagnosis.source})", style="dim"))
    out.print(
        f"{facts.nodes:,} nodes, {facts.edges:,} edges, {facts.features:,} features, {facts.classes} classes; "
        f"mean degree {facts.mean_degree:.1f}, {many(facts.components, 'component')}"
    )
    out.print()
    out.print(Text(diagnosis.recommendation.summary, style="bold"))
    if diagnosis.recommendation.models:
        out.print("Try first, in this order:")
        out.print(Padding(_model_table(diagnosis), (0, 0, 0, 2)))
    if diagnosis.verdict is not None:
        out.print()
        compared = diagnosis.verdict.comparison
        out.print(Padding(comparison_table(compared, compared.best, costs=False), (0, 0, 0, 2)))
        of_one = "P-values of the findings are of one comparison each."
        out.print(Padding(Text(f"{_signs(compared, compared.best)} {of_one}", style="dim"), (0, 0, 0, 2)))
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
            out.print(Padding(Text(told(note)), (0, 0, 0, 2)))
    for convention in diagnosis.profile.notes:
        out.print(Text(convention, style="dim"))
    out.print(Text(_judged(diagnosis), style="dim"))
    if page is not None:
        out.print()
        out.print(f"Report: {page}")


def _judged(diagnosis: Diagnosis) -> str:
    """What the recommendation rests on."""
    if diagnosis.verdict is None:
        return f"Judged from measurements, before any training. {diagnosis.no_verdict}"
    splits = many(len(diagnosis.verdict.comparison.splits), "random split")
    return f"Judged from networks trained on {splits}, untuned (±: 95% interval), and from measurements."


def _model_table(diagnosis: Diagnosis) -> Table:
    from allpass.models import resolve

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    for name in diagnosis.recommendation.models:
        table.add_row(Text(name), Text(resolve(name)[0].summary))
    return table


def show_comparison(
    compared: Comparison, baseline: str, figure: Path | None, console: Console | None = None
) -> None:
    """Every model with its score, and how sure it is that they differ."""
    out = console or Console()
    out.print(comparison_table(compared, baseline))
    out.print()
    out.print(
        Text(
            f"{many(len(compared.splits), 'split')} of {compared.dataset} ({compared.shares}%); ±: 95% interval. "
            f"Intervals and p-values allow for what splits of one graph share (Nadeau and Bengio). "
            + _signs(compared, baseline),
            style="dim",
        )
    )
    if compared.in_deviations:
        out.print(Text("Errors are in standard deviations of the label.", style="dim"))
    diverged = [f"{one.model} ({one.diverged})" for one in compared.contenders if one.diverged]
    if diverged:
        out.print(Text(f"Runs whose loss was no number: {', '.join(diverged)}."))
    if figure is not None:
        out.print(f"Figure: {figure}")


def comparison_table(compared: Comparison, baseline: str, *, costs: bool = True) -> Table:
    """Scores with their intervals, by how much each model is ahead of one of them, and what the training cost."""
    from allpass.train.statistics import TELLING

    unit, digits = (100, 1) if compared.in_percent else (1, 3)
    score = compared.score.replace("_", " ") + ", %" * compared.in_percent
    table = plain_table()
    for heading in (
        "model",
        score,
        f"ahead of {baseline}",
        "p (Holm)",
        *(("epochs", "time") if costs else ()),
    ):
        table.add_column(heading, justify="left" if heading == "model" else "right", no_wrap=True)
    ahead = compared.against(baseline)

    def written(found: Estimate, sign: str = "") -> str:
        known = math.isfinite(found.margin) and found.count >= TELLING
        margin = f" ± {unit * found.margin:.{digits}f}" if known else ""
        return f"{unit * found.mean:{sign}.{digits}f}{margin}"

    for one in compared.contenders:
        lead, p = "", ""
        if (found := ahead.get(one.model)) is not None:
            lead, p = written(found, "+"), f"{found.p_value:.3f}" if found.telling else "–"
        name, style = (f"{one.model} *", "bold") if one.model == compared.best else (one.model, "")
        cost = (f"{one.epochs:.0f}", f"{one.seconds:.1f} s") if costs else ()
        table.add_row(Text(name, style=style), written(one.estimate), lead, p, *cost)
    return table


def _signs(compared: Comparison, baseline: str) -> str:
    """What the signs in the table of a comparison mean."""
    said = "*: chosen by its score on validation nodes. p (Holm): allows for the number of comparisons."
    if all(found.telling for found in compared.against(baseline).values()):
        return said
    return (
        f"{said} –: fewer than three splits, or the same difference on all of them, tell nothing of chance."
    )


def _metric_table(diagnosis: Diagnosis) -> Table:
    table = plain_table()
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
