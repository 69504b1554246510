"""The figures of a page with all that belongs to them: how to read them, and their numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from markupsafe import Markup

from allpass.data.draft import many
from allpass.diagnosis import Diagnosis
from allpass.report import figures
from allpass.report.svg import inline_svg
from allpass.report.wording import clean, count, number, percent
from allpass.train.statistics import TELLING
from allpass.train.written import possible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 40  # classes in a figure; the largest ones where there are more


@dataclass(frozen=True)
class Chart:
    """A figure on the page.

    Args:
        key: Its id on the page.
        title: What it shows.
        reading: How to read it.
        svg: The picture.
        headers: Names of the columns of its numbers.
        rows: Its numbers.
    """

    key: str
    title: str
    reading: str
    svg: Markup
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def all_charts(diagnosis: Diagnosis) -> dict[str, Chart]:
    """Every figure that the diagnosis has the numbers of, by key."""
    drawn = (_comparison, _mixing, _classes, _numbers, _degrees, _spectrum, _smoothing, _separation)
    charts = (draw(diagnosis) for draw in drawn)
    return {chart.key: chart for chart in charts if chart is not None}


def shown_classes(sizes: Sequence[int]) -> list[int]:
    """Positions of the largest classes, in their own order."""
    largest = sorted(range(len(sizes)), key=lambda k: -sizes[k])[:SHOWN]
    return sorted(largest)


def _chart(
    key: str, title: str, reading: str, figure: Figure, headers: Sequence[str], rows: Sequence[Sequence[str]]
) -> Chart:
    table = tuple(tuple(row) for row in rows)
    return Chart(
        key, title, reading, inline_svg(figure, f"figure-{key}", title, reading), tuple(headers), table
    )


def _limit(diagnosis: Diagnosis) -> str:
    classes = len(diagnosis.facts.class_sizes)
    return f" Shown are the {SHOWN} largest of {count(classes)} classes." if classes > SHOWN else ""


def _comparison(diagnosis: Diagnosis) -> Chart | None:
    if diagnosis.verdict is None:
        return None
    verdict = diagnosis.verdict
    compared, baseline = verdict.comparison, verdict.baseline
    chosen = verdict.model if verdict.model in verdict.predicts else ""
    orange = "The model in orange did best on the validation nodes. " if chosen else ""
    return _chart(
        "comparison",
        "Trained on the same splits",
        f"{_meaning_of_dots(len(compared.splits))} {orange}Grey: the {baseline.model}.",
        figures.comparison(compared, baseline, highlighted=chosen),
        ("model", *(clean(name) for name in compared.splits), "mean", "from", "to", "epochs"),
        [
            (
                one.model,
                *map(number, one.scores),
                *map(number, (one.estimate.mean, *possible(compared.score, one.estimate))),
                f"{one.epochs:.0f}",
            )
            for one in (baseline, *compared.contenders)
        ],
    )


def _meaning_of_dots(splits: int) -> str:
    if splits == 1:
        return "Thick dots are scores on the test nodes of 1 split, too few for an interval."
    bars = (
        "bars their 95% intervals, wider for what splits of one graph share"
        if splits >= TELLING
        else "too few for an interval"
    )
    return (
        f"Thick dots are means on the test nodes of {splits} splits, {bars}. A thin line is one split: where lines run "
        "side by side the models differ alike on all splits."
    )


def _mixing(diagnosis: Diagnosis) -> Chart | None:
    mixing = diagnosis.mixing
    if mixing is None or len(mixing.class_names) < 2:
        return None
    kept = shown_classes(diagnosis.facts.class_sizes)
    names = [clean(mixing.class_names[k]) for k in kept]
    return _chart(
        "mixing",
        "Which classes meet",
        "Each row tells where the neighbours of one class belong, in percent. A strong diagonal means that classes "
        "keep to themselves; a strong cell beside it names the classes that mix." + _limit(diagnosis),
        figures.mixing_matrix(mixing, kept),
        ("class", *names),
        [(name, *(percent(mixing.shares[k][l]) for l in kept)) for name, k in zip(names, kept, strict=True)],
    )


def _classes(diagnosis: Diagnosis) -> Chart | None:
    facts = diagnosis.facts
    if not facts.class_sizes:
        return None
    kept = shown_classes(facts.class_sizes)
    unlabelled = facts.nodes - facts.labelled
    rest = f" {count(unlabelled)} nodes have no label." if unlabelled else ""
    return _chart(
        "classes",
        "Class sizes",
        f"Labelled nodes of each class and their share.{rest}{_limit(diagnosis)}",
        figures.class_sizes(facts, kept),
        ("class", "nodes", "share"),
        [
            (
                clean(facts.class_names[k]),
                count(facts.class_sizes[k]),
                percent(facts.class_sizes[k] / max(facts.labelled, 1)),
            )
            for k in kept
        ],
    )


def _numbers(diagnosis: Diagnosis) -> Chart | None:
    numbers = diagnosis.numbers
    if numbers is None:
        return None
    return _chart(
        "numbers",
        "A node and its neighbours",
        "Each cell counts nodes by their own number and the mean of their neighbours' numbers; darker cells hold more "
        "nodes. Along the line the two are equal: the closer the cells lie to it, the better an average over "
        "neighbours predicts. A flat band means that neighbours say nothing." + f" {numbers.sample}".rstrip(),
        figures.neighbour_means(numbers.points),
        ("numbers from", "to", "nodes", "mean of neighbours"),
        [
            (number(part[0][0]), number(part[-1][0]), count(len(part)), number(fmean(m for _, m in part)))
            for part in tenths(sorted(numbers.points))
        ],
    )


def tenths(points: Sequence[tuple[float, float]]) -> list[Sequence[tuple[float, float]]]:
    """The points in up to ten groups of about the same size, in their order."""
    ends = [round(len(points) * k / 10) for k in range(11)]
    return [points[start:stop] for start, stop in pairwise(ends) if start < stop]


def _degrees(diagnosis: Diagnosis) -> Chart:
    degrees = diagnosis.degrees
    return _chart(
        "degrees",
        "Neighbours of a node",
        "Nodes by their number of neighbours; each bin is twice as wide as the one before. A long tail to the right "
        "means hubs, whose averages wash out first.",
        figures.degree_histogram(degrees),
        ("neighbours", "nodes"),
        [(bin_.replace("-", "–"), count(n)) for bin_, n in zip(degrees.bins, degrees.counts, strict=True)],
    )


def _spectrum(diagnosis: Diagnosis) -> Chart:
    frequencies = diagnosis.frequencies
    reading = "Grey is the graph's own spectrum, which is what a random signal would have. " + (
        "Where the line of the labels rises above it, the labels live: on the left an averaging network keeps "
        "them, on the right it erases them. The percentages are the labels' energy in each third."
        if frequencies.labels
        else "Without labels that differ there is no label signal to compare it with."
    )
    edges = frequencies.edges
    labels = frequencies.labels
    return _chart(
        "spectrum",
        "Frequencies",
        reading,
        figures.spectrum(frequencies),
        ("from", "to", "random signal", *(["labels"] if labels else [])),
        [
            (
                f"{edges[k]:.2f}",
                f"{edges[k + 1]:.2f}",
                percent(share),
                *([percent(labels[k])] if labels else []),
            )
            for k, share in enumerate(frequencies.spectrum)
        ],
    )


def _smoothing(diagnosis: Diagnosis) -> Chart:
    smoothing = diagnosis.smoothing
    half = smoothing.half_depth
    when = "" if half is None else f" Half of the variance is gone after {many(half, 'round')}."
    return _chart(
        "smoothing",
        "Smoothing by depth",
        f"What is left of the differences between nodes after repeated averaging ({smoothing.signal}), each measure "
        f"relative to its start.{when} Curves that fall at once warn against deep networks that only average.",
        figures.smoothing_curves(smoothing),
        ("rounds", "variance", "distance of neighbours", "Dirichlet energy"),
        [
            (str(depth), *map(number, values))
            for depth, values in enumerate(
                zip(smoothing.variance, smoothing.distance, smoothing.energy, strict=True)
            )
        ],
    )


def _separation(diagnosis: Diagnosis) -> Chart | None:
    separation = diagnosis.separation
    if separation is None:
        return None
    facts = diagnosis.facts
    kept = shown_classes(facts.class_sizes)
    groups = [group for group, _, _ in figures.STACK]
    rows = [("all nodes", separation.shares)]
    rows += [(clean(facts.class_names[k]), separation.by_class[k]) for k in kept]
    return _chart(
        "separation",
        "Which filter sets nodes apart",
        f"Judged on the {separation.signal}. Low-pass is the average over neighbours, high-pass the difference to "
        "them. “High-pass only” is what a network that only averages gives away." + _limit(diagnosis),
        figures.filter_separation(separation, facts.class_names, kept),
        ("nodes", *groups),
        [(name, *(percent(shares[group]) for group in groups)) for name, shares in rows],
    )
