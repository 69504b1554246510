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
from allpass.cli.roles import show_roles
from allpass.cli.words import told
from allpass.data.draft import many
from allpass.report.wording import short

if TYPE_CHECKING:
    from allpass.diagnosis import Diagnosis, Facts, Verdict
    from allpass.train.compare import Comparison
    from allpass.train.statistics import Estimate

_MARKS = {"good": ("+", "green"), "bad": ("-", "red"), "note": ("·", "cyan")}


def show_diagnosis(
    diagnosis: Diagnosis, page: Path | None, console: Console | None = None, *, metrics: bool = False
) -> None:
    """What was found in the data, findings, the trained models, and last the verdict.

    Args:
        diagnosis: What to show.
        page: Where the HTML page was written.
        console: Where to print.
        metrics: Print the table of metrics too.
    """
    out, facts, verdict = console or Console(), diagnosis.facts, diagnosis.verdict
    out.print()
    out.print(Text(diagnosis.name, style="bold"), Text(f"({diagnosis.source})", style="dim"))
    out.print(
        f"{facts.nodes:,} nodes, {facts.edges:,} edges, {facts.features:,} features, {_labels(facts)}; "
        f"mean degree {facts.mean_degree:.1f}, {many(facts.components, 'component')}"
    )
    show_roles(diagnosis.roles, out)
    for note in diagnosis.account:
        out.print(Padding(Text(told(note), style="dim"), (0, 0, 0, 2)))
    out.print()
    for finding in diagnosis.findings:
        mark, colour = _MARKS[finding.kind]
        out.print(Text(f"{mark} {finding.title}", style=colour))
        out.print(Padding(Text(finding.text), (0, 0, 0, 2)))
    out.print()
    if metrics:
        out.print(_metric_table(diagnosis))
    for convention in diagnosis.conventions:
        out.print(Text(convention, style="dim"))
    if verdict is not None:
        _show_training(out, verdict)
    out.print(Text(_judged(diagnosis), style="dim"))
    out.print()
    out.print(Text(diagnosis.recommendation.summary, style="bold"))
    if verdict is not None:
        out.print(Padding(_square_table(verdict), (0, 0, 0, 2)))
        out.print()
    if diagnosis.recommendation.models:
        out.print("Use, best first:" if verdict is not None else "Try first, in this order:")
        out.print(Padding(_model_table(diagnosis), (0, 0, 0, 2)))
    if page is not None:
        out.print()
        out.print(f"Report: {page}")


def _labels(facts: Facts) -> str:
    """What the labels are: so many classes, or numbers and their range."""
    if facts.numbers is None:
        return (
            "several numbers as label" if facts.labelled and not facts.classes else f"{facts.classes} classes"
        )
    ends = f"{short(facts.numbers.minimum)} to {short(facts.numbers.maximum)}, median {short(facts.numbers.median)}"
    unlabelled = facts.nodes - facts.labelled
    return f"a number as label ({ends}{f'; {unlabelled:,} nodes without' if unlabelled else ''})"


def _judged(diagnosis: Diagnosis) -> str:
    """What the recommendation rests on."""
    if diagnosis.verdict is None:
        return f"Judged from measurements, before any training. {diagnosis.no_verdict}"
    return diagnosis.verdict.protocol


def _square_table(verdict: Verdict) -> Table:
    """The baseline and the best model of each square."""
    from allpass.diagnosis.candidates import SQUARES

    table = plain_table()
    table.add_column("reads", no_wrap=True)
    table.add_column("best model", no_wrap=True)
    table.add_column(_score_name(verdict.comparison), justify="right", no_wrap=True)
    if verdict.precision:
        table.add_column("average precision, %", justify="right", no_wrap=True)

    def more(model: str) -> list[str]:
        return [f"{100 * verdict.precision[model]:.1f}"] if verdict.precision else []

    baseline = verdict.baseline
    table.add_row(
        "nothing", baseline.model, _written(verdict.comparison, baseline.estimate), *more(baseline.model)
    )
    for square, words in SQUARES.items():
        if (model := verdict.squares.get(square)) is not None:
            style = "bold" if model == verdict.model else ""
            score = _written(verdict.comparison, verdict.comparison[model].estimate)
            table.add_row(words, Text(model), score, *more(model), style=style)
    return table


def _show_training(out: Console, verdict: Verdict) -> None:
    """Every model that was trained, and why the others stopped."""
    compared = verdict.comparison
    out.print()
    out.print(Padding(comparison_table(compared, compared.best, costs=False), (0, 0, 0, 2)))
    signs = f"{_signs(compared, compared.best)} P-values of the findings are of one comparison each."
    out.print(Padding(Text(signs, style="dim"), (0, 0, 0, 2)))
    for reason in dict.fromkeys(one.reason for one in verdict.stopped):
        names = ", ".join(one.model for one in verdict.stopped if one.reason == reason)
        out.print(Padding(Text(f"Stopped, {reason}: {names}", style="dim"), (0, 0, 0, 2)))
    if verdict.budget is not None:
        names = ",".join(one.model for one in compared.contenders)
        repeat = f"To repeat exactly these models without a limit of time: --candidates {names}"
        out.print(Padding(Text(repeat, style="dim"), (0, 0, 0, 2)))


def _score_name(compared: Comparison) -> str:
    return compared.score.replace("_", " ") + ", %" * compared.in_percent


def _model_table(diagnosis: Diagnosis) -> Table:
    from allpass.diagnosis.verdict import limits
    from allpass.models import resolve

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    for name in diagnosis.recommendation.models:
        summary, limit = resolve(name)[0].summary, limits(name)
        table.add_row(Text(name), Text(f"{summary} ({limit})" if limit else summary))
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
    table = plain_table()
    for heading in (
        "model",
        _score_name(compared),
        f"ahead of {baseline}",
        "p (Holm)",
        *(("epochs", "time") if costs else ()),
    ):
        table.add_column(heading, justify="left" if heading == "model" else "right", no_wrap=True)
    ahead = compared.against(baseline)

    for one in compared.contenders:
        lead, p = "", ""
        if (found := ahead.get(one.model)) is not None:
            lead, p = _written(compared, found, "+"), f"{found.p_value:.3f}" if found.telling else "–"
        name, style = (f"{one.model} *", "bold") if one.model == compared.best else (one.model, "")
        cost = (f"{one.epochs:.0f}", f"{one.seconds:.1f} s") if costs else ()
        table.add_row(Text(name, style=style), _written(compared, one.estimate), lead, p, *cost)
    return table


def _written(compared: Comparison, found: Estimate, sign: str = "") -> str:
    """A mean with half the width of its interval, where splits are enough for one."""
    from allpass.train.statistics import TELLING

    unit, digits = (100, 1) if compared.in_percent else (1, 3)
    known = math.isfinite(found.margin) and found.count >= TELLING
    margin = f" ± {unit * found.margin:.{digits}f}" if known else ""
    return f"{unit * found.mean:{sign}.{digits}f}{margin}"


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
