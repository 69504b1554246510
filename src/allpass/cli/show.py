"""A diagnosis on the terminal."""

from __future__ import annotations

import textwrap
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
from allpass.train.written import lead, mean, p_value, score_name

if TYPE_CHECKING:
    from allpass.diagnosis import Diagnosis, Facts, Verdict
    from allpass.train.compare import Comparison, Contender

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
    if verdict is not None:
        out.print(
            Text(
                "Trained models show whether the structure helps (+) or hurts (-); metrics explain (·).",
                style="dim",
            )
        )
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
        out.print(Text(f"{diagnosis.recommendation.heading}:"))
        out.print(Padding(_model_table(diagnosis), (0, 0, 0, 2)))
    if page is not None:
        out.print()
        out.print(Text(f"Report: {page}"))


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
    table.add_column(_in_lines(_score_name(verdict.comparison)), justify="right", no_wrap=True)
    if verdict.precision:
        table.add_column(_in_lines("average precision, %"), justify="right", no_wrap=True)

    def more(model: str) -> list[str]:
        return [f"{100 * verdict.precision[model]:.1f}"] if verdict.precision else []

    baseline = verdict.baseline
    table.add_row(
        "nothing", baseline.model, mean(verdict.comparison.score, baseline.estimate), *more(baseline.model)
    )
    for square, words in SQUARES.items():
        if (model := verdict.squares.get(square)) is not None:
            style = "bold" if model == verdict.model and model in verdict.predicts else ""
            score = mean(verdict.comparison.score, verdict.comparison[model].estimate)
            table.add_row(words, Text(model), score, *more(model), style=style)
    return table


def _show_training(out: Console, verdict: Verdict) -> None:
    """Every model that was trained, and why the others stopped."""
    compared = verdict.comparison
    out.print()
    bold = verdict.model in verdict.predicts
    table = comparison_table(compared, compared.best, nothing=verdict.baseline, bold=bold)
    out.print(Padding(table, (0, 0, 0, 2)))
    signs = _signs(compared, compared.best)
    if any(answer.interval and answer.difference.telling for answer in verdict.answers):
        signs += " P-values of the findings are of one comparison each."
    out.print(Padding(Text(signs, style="dim"), (0, 0, 0, 2)))
    for reason in dict.fromkeys(one.reason for one in verdict.stopped):
        names = ", ".join(one.model for one in verdict.stopped if one.reason == reason)
        out.print(Padding(Text(f"Stopped, {reason}: {names}", style="dim"), (0, 0, 0, 2)))
    if verdict.budget is not None:
        names = ",".join(one.model for one in compared.contenders)
        out.print(Text("  To repeat exactly these models without a limit of time:", style="dim"))
        out.print(Text(f"  --candidates {names}", style="dim"), soft_wrap=True)  # whole, to be copied


def _in_lines(heading: str) -> str:
    """A heading in lines of about one model's name, so that tables fit into 80 columns."""
    return textwrap.fill(heading, 14, break_long_words=False, break_on_hyphens=False)


def _score_name(compared: Comparison) -> str:
    return score_name(compared.score) + ", %" * compared.in_percent


def _model_table(diagnosis: Diagnosis) -> Table:
    from allpass.models import resolve

    table = Table.grid(padding=(0, 2))
    certain = diagnosis.verdict is None or diagnosis.verdict.model in diagnosis.verdict.predicts
    table.add_column(no_wrap=True, style="bold" if certain else "")
    for name in diagnosis.recommendation.models:
        summary, limit = resolve(name)[0].summary, diagnosis.recommendation.limits.get(name)
        table.add_row(Text(name), Text(f"{summary} ({limit})" if limit else summary))
    return table


def show_comparison(
    compared: Comparison, baseline: str, figure: Path | None, console: Console | None = None
) -> None:
    """Every model with its score, and how sure it is that they differ."""
    out = console or Console()
    out.print(comparison_table(compared, baseline, costs=True))
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
        out.print(Text(f"Figure: {figure}"))


def comparison_table(
    compared: Comparison,
    baseline: str,
    *,
    costs: bool = False,
    nothing: Contender | None = None,
    bold: bool = True,
) -> Table:
    """Scores with their intervals, and by how much each model is ahead of one of them.

    Args:
        compared: The scores.
        baseline: The model that the others are compared with.
        costs: Show how many epochs and how much time the training took.
        nothing: What guessing scores, as the first row.
        bold: Whether the best model is in bold.
    """
    ahead = compared.against(baseline)
    certain = any(found.telling for found in ahead.values())
    table = plain_table()
    table.add_column("model", no_wrap=True)
    for heading in (_score_name(compared), f"ahead of {baseline}"):
        table.add_column(_in_lines(heading), justify="right", no_wrap=True)
    for heading in (*(("p (Holm)",) if certain else ()), *(("epochs", "time") if costs else ())):
        table.add_column(heading, justify="right", no_wrap=True)

    if nothing is not None:
        table.add_row(nothing.model, mean(compared.score, nothing.estimate), style="dim")
    for one in compared.contenders:
        ahead_by, p = "", ""
        if (found := ahead.get(one.model)) is not None:
            ahead_by, p = lead(compared.score, found), p_value(found)
        is_best = one.model == compared.best
        name, style = f"{one.model} *" if is_best else one.model, "bold" if is_best and bold else ""
        row = [mean(compared.score, one.estimate), ahead_by, *((p,) if certain else ())]
        cost = (f"{one.epochs:.0f}", f"{one.seconds:.1f} s") if costs else ()
        table.add_row(Text(name, style=style), *row, *cost)
    return table


def _signs(compared: Comparison, baseline: str) -> str:
    """What the signs in the table of a comparison mean."""
    said = "*: chosen by its score on validation nodes."
    telling = [found.telling for found in compared.against(baseline).values()]
    if any(telling):
        said += " p (Holm): allows for the number of comparisons."
        if not all(telling):
            said += " –: no p-value, because the difference is the same on all splits."
    return said


def _metric_table(diagnosis: Diagnosis) -> Table:
    from allpass.report.tables import metric_table

    table = plain_table()
    table.add_column("metric", no_wrap=True)
    table.add_column("", style="dim")
    table.add_column("value", justify="right")
    table.add_column("meaning")
    for row in metric_table(diagnosis, digits=4):
        undefined = row.value == "undefined"
        value = "-" if undefined else row.value.replace("−", "-")
        meaning = f"undefined: {row.reason}" if undefined else row.meaning
        table.add_row(row.metric.name, row.metric.symbol, value, meaning)
    return table
