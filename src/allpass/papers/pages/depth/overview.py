"""What was found of depth at a glance, in tables over all graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

from allpass.papers.depth.grid import Combination
from allpass.papers.pages.depth.findings import Findings, failures
from allpass.papers.pages.page import Table
from allpass.papers.pages.tables.cells import signed


def overview(findings: Findings) -> tuple[Table, ...]:
    """How deep combinations train, which learn at all, what helps, and what diverges."""
    tables = (_reach, _learning, _learning_deepest, _help, _divergence)
    return tuple(table(findings) for table in tables)


def _reach(findings: Findings) -> Table:
    datasets, activations = findings.present("datasets"), findings.present("activations")
    grid = findings.grid

    def cell(name: str, dataset: str) -> str:
        places = [(dataset, activation, name) for activation in activations]
        depths = [(findings.reach(*place), "+" * findings.may_grow(*place)) for place in places]
        return " / ".join("none" if depth is None else f"{depth}{more}" for depth, more in depths)

    return Table(
        "The depth to which each combination trains, surely–possibly: "
        + " / ".join(grid.activations[activation] for activation in activations)
        + ". 0: the shallowest network too does no better than the most frequent class; +: deeper ones are not run "
        "yet; none: none is.",
        ("initialisation", *(grid.datasets[dataset] for dataset in datasets)),
        tuple(
            (name, *(cell(name, dataset) for dataset in datasets))
            for name in findings.present("initialisations")
        ),
    )


def _learning(findings: Findings) -> Table:
    return Table(
        "Networks that do better than the most frequent class: the 95% interval of their accuracy lies above it. Over "
        "all datasets and activations, which are no independent trials: activations share splits.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, findings.present("initialisations"), partial(_learn, findings)),
    )


def _learning_deepest(findings: Findings) -> Table:
    deepest, datasets = findings.depths[-1], findings.present("datasets")

    def cell(name: str, dataset: str) -> str:
        return _learn(
            findings, [place for place in findings.networks(name, deepest) if place.dataset == dataset]
        )

    return Table(
        f"The same of the deepest networks, {deepest} layers, by dataset: how many activations.",
        ("initialisation", *(findings.grid.datasets[dataset] for dataset in datasets)),
        tuple(
            (name, *(cell(name, dataset) for dataset in datasets))
            for name in findings.present("initialisations")
        ),
    )


def _learn(findings: Findings, places: Sequence[Combination]) -> str:
    return f"{sum(map(findings.learns, places))} of {len(places)}" if places else "–"


def _help(findings: Findings) -> Table:
    def cell(places: Sequence[Combination]) -> str:
        places = [place for place in places if findings.has_rival(place)]
        if not places:
            return "–"
        ended = [place for place in places if not findings.diverges(place)]
        verdicts = [findings.verdict(place) for place in ended]
        told = [f"{verdicts.count(word)} {word}" for word in ("better", "worse") if word in verdicts]
        if len(ended) < len(places):
            rest = f", {_mean(findings, ended)} without" if ended else ""
            told.append(f"{len(places) - len(ended)} diverged{rest}")
        return f"{_mean(findings, places)} ({', '.join([f'of {len(places)}', *told])})"

    others = [name for name in findings.present("initialisations") if name != findings.grid.baseline]
    return Table(
        f"Accuracy against {findings.grid.baseline}, in points: the mean over datasets and activations, where "
        "what diverged has no right answer; how many are significantly better or worse; and how many diverged, with "
        "the mean without them.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, others, cell),
    )


def _mean(findings: Findings, places: Sequence[Combination]) -> str:
    return signed(fmean(findings.ahead(place).mean for place in places), 1)


def _divergence(findings: Findings) -> Table:
    def cell(places: Sequence[Combination]) -> str:
        rows = [findings.found[place] for place in places]
        diverged, exploded, tried = failures(rows)
        return f"{diverged} + {exploded} of {tried}" if rows else "–"

    return Table(
        "Runs that diverged + exploded, over all datasets, activations, splits and learning rates.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, findings.present("initialisations"), cell),
    )


def _by_depth(
    findings: Findings, names: Sequence[str], cell: Callable[[Sequence[Combination]], str]
) -> tuple[tuple[str, ...], ...]:
    """A line for each initialisation, with what a function says of its networks of every depth."""
    return tuple(
        (name, *(cell(findings.networks(name, depth)) for depth in findings.depths)) for name in names
    )
