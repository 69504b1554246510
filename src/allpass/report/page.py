"""The page of a diagnosis: one HTML file that needs nothing else."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from allpass import __version__
from allpass.data import DATASETS
from allpass.diagnosis import Diagnosis, Facts, Finding
from allpass.diagnosis.candidates import SQUARES
from allpass.diagnosis.verdict import Verdict
from allpass.files import write_whole
from allpass.metrics import METRICS
from allpass.models import resolve
from allpass.report import wording
from allpass.report.charts import all_charts
from allpass.report.environment import environment
from allpass.report.tables import MetricRow, metric_table
from allpass.report.theme import css_variables
from allpass.train.compare import Comparison, Contender
from allpass.train.written import score_name, small

KINDS = {"good": "Helps", "bad": "Hurts", "note": "Note"}
GROUPS = (
    ("From the labels", frozenset({"labels"})),
    ("From labels and features", frozenset({"labels", "features"})),
    ("From the features", frozenset({"features"})),
    ("From the numbers of the nodes", frozenset({"numbers"})),
)
CITATIONS = (
    "Luan, On Addressing the Limitations of Graph Neural Networks (the report that allpass implements)",
    "Luan et al., Break the Ceiling: Stronger Multi-scale Deep Graph Convolutional Networks, NeurIPS 2019",
    "Luan et al., Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022",
    "Luan et al., When Do Graph Neural Networks Help with Node Classification?, NeurIPS 2023",
)
_PACKAGES = ("torch", "torch-geometric", "numpy", "scipy", "scikit-learn")
_SHARES = {
    "both",
    "low-pass only",
    "high-pass only",
    "neither",
    "with_graph",
    "without_graph",
    "variance_left",
}
_SHARES |= {"low_band", "middle_band", "high_band", "largest"}
_DIFFERENCES = {"difference", "at_least", "at_most"}
_WHOLE = {"half_depth", "smallest"}


@dataclass(frozen=True)
class Tile:
    """A key fact: its name, the number, and a few words beside it."""

    name: str
    value: str
    beside: str


def render(diagnosis: Diagnosis) -> str:
    """The page as text. The same diagnosis gives the same page."""
    rows = metric_table(diagnosis)
    verdict, models = diagnosis.verdict, diagnosis.recommendation.models
    points = verdict is not None and verdict.comparison.in_percent
    certain = verdict is None or verdict.model in verdict.predicts
    kinds = [finding.kind for finding in diagnosis.findings] if verdict is None else []
    return (
        environment()
        .get_template("diagnosis.html.j2")
        .render(
            name=wording.clean(diagnosis.name),
            diagnosis=diagnosis,
            tally=[(kind, word, kinds.count(kind)) for kind, word in KINDS.items() if kind in kinds],
            kinds=KINDS,
            tiles=_tiles(diagnosis),
            findings=[(finding, _evidence(finding, points)) for finding in diagnosis.findings],
            metric_groups=_groups(rows),
            charts=all_charts(diagnosis),
            missing=_missing(diagnosis),
            first=models[0] if models and certain else "",
            score="" if verdict is None else score_name(verdict.comparison.score),
            command=_command(diagnosis),
            versions=_versions(),
            citations=CITATIONS,
            squares=[] if verdict is None else _squares(verdict),
            stopped=[] if verdict is None else _stopped(verdict),
            verdict_settings=_settings(diagnosis),
            models=[(name, _described(name, diagnosis.recommendation.limits)) for name in models],
            themes={theme: css_variables(theme) for theme in ("light", "dark")},
        )
    )


def write_page(diagnosis: Diagnosis, path: str | Path) -> Path:
    """Write the page to a file, whole or not at all; returns the path."""
    return write_whole(path, render(diagnosis).encode("utf-8", "replace"))


@dataclass(frozen=True)
class SquareRow:
    """A square of the verdict's table: what its models read, the best of them, and its score."""

    reads: str
    model: str
    score: str
    precision: str
    chosen: bool


def _squares(verdict: Verdict) -> list[SquareRow]:
    """The baseline and the best model of each square."""
    compared, baseline = verdict.comparison, verdict.baseline

    def row(reads: str, one: Contender) -> SquareRow:
        precision = f"{100 * verdict.precision[one.model]:.1f}%" if verdict.precision else ""
        chosen = one.model == verdict.model and one.model in verdict.predicts
        return SquareRow(reads, one.model, _score(compared, one), precision, chosen)

    squares = {words: verdict.squares.get(square) for square, words in SQUARES.items()}
    return [
        row("nothing", baseline),
        *(row(words, compared[model]) for words, model in squares.items() if model is not None),
    ]


def _score(compared: Comparison, one: Contender) -> str:
    mean = one.estimate.mean
    return f"{100 * mean:.1f}%" if compared.in_percent else wording.number(mean)


def _stopped(verdict: Verdict) -> list[tuple[str, str]]:
    """Models that did not run on all splits, by why."""
    reasons = dict.fromkeys(one.reason for one in verdict.stopped)
    return [
        (reason, ", ".join(one.model for one in verdict.stopped if one.reason == reason))
        for reason in reasons
    ]


def _described(model: str, limits: Mapping[str, str]) -> str:
    summary = resolve(model)[0].summary
    return f"{summary} ({limits[model]})" if model in limits else summary


def _tiles(diagnosis: Diagnosis) -> list[Tile]:
    facts = diagnosis.facts
    stored = (
        "directed as stored" if facts.directed else "stored once each" if facts.stored_once else "undirected"
    )
    unlabelled = facts.nodes - facts.labelled
    labels = f", {wording.count(unlabelled)} without label" if unlabelled and facts.labelled else ""
    return [
        Tile("Nodes", wording.count(facts.nodes), f"{wording.count(facts.isolated)} isolated{labels}"),
        Tile("Edges", wording.count(facts.edges), stored + (", weighted" if facts.weighted else "")),
        _label_tile(facts),
        Tile(
            "Features",
            wording.count(facts.features) if facts.features else "none",
            f"{wording.percent(facts.feature_density)} non-zero" if facts.features else "structure alone",
        ),
        Tile("Mean degree", f"{facts.mean_degree:,.1f}", f"at most {wording.count(facts.max_degree)}"),
        Tile(
            "Components",
            wording.count(facts.components),
            f"largest holds {wording.percent(facts.largest_component)}",
        ),
    ]


def _label_tile(facts: Facts) -> Tile:
    if facts.numbers is not None:
        low, middle, high = map(
            wording.short, (facts.numbers.minimum, facts.numbers.median, facts.numbers.maximum)
        )
        return Tile("Label", "number", f"{low} to {high}, median {middle}")
    if not facts.classes:
        return Tile("Classes", "none", "several numbers for each node" if facts.labelled else "no labels")
    share = wording.percent(max(facts.class_sizes) / max(facts.labelled, 1))
    return Tile("Classes", wording.count(facts.classes), f"largest holds {share}")


def _evidence(finding: Finding, points: bool) -> list[tuple[Any, str]]:
    """The numbers of a finding: a metric under its symbol, shares in percent, counts whole.

    Differences between shares are in points, as the sentences write them.
    """
    shown = []
    for name, value in finding.evidence.items():
        title = wording.symbol(METRICS[name].symbol) if name in METRICS else wording.words(name)
        text = wording.percent(value) if name in _SHARES else wording.number(value)
        if name == "p_value":
            text = small(value)
        if name in _WHOLE:
            text = f"{value:.0f}" if value == value else "never"
        if points and name in _DIFFERENCES:
            text = f"{100 * value:.1f} points".replace("-0.0 ", "0.0 ").replace("-", "−")
        shown.append((title, text))
    return shown


def _groups(rows: tuple[MetricRow, ...]) -> list[tuple[str, list[MetricRow]]]:
    groups = [(title, [row for row in rows if row.metric.needs == needs]) for title, needs in GROUPS]
    return [(title, members) for title, members in groups if members]


def _missing(diagnosis: Diagnosis) -> str:
    """What could not be measured at all, in one sentence."""
    facts = diagnosis.facts
    lacking = [word for word, has in (("labels", facts.labelled), ("features", facts.features)) if not has]
    if not lacking:
        return ""
    return f"The graph carries no {' and no '.join(lacking)}: the metrics that need them are left out."


def _command(diagnosis: Diagnosis) -> str:
    """What to type for the same numbers as JSON; empty where a name alone does not say which data it was."""
    named = diagnosis.name in DATASETS and diagnosis.source in (
        "embedded",
        "data folder",
        "cache",
        "download",
    )
    return f"allpass diagnose {shlex.quote(diagnosis.name)} --json" if named else ""


def _settings(diagnosis: Diagnosis) -> str:
    """The settings of the recommended model, as they are written in Python."""
    if diagnosis.verdict is None:
        return ""
    return ", ".join(f"{name}={value!r}" for name, value in diagnosis.verdict.settings.items())


def _versions() -> str:
    packages = ", ".join(f"{package} {metadata.version(package)}" for package in _PACKAGES)
    return f"allpass {__version__}, Python {platform.python_version()}, {packages}"
