"""The page of the study of depth: how deep each combination trains, what helps, and whether predictions hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

from allpass.papers.depth.grid import Combination
from allpass.papers.pages.depth import figures
from allpass.papers.pages.depth.findings import Findings
from allpass.papers.pages.depth.overview import overview
from allpass.papers.pages.depth.predictions import predictions
from allpass.papers.pages.depth.summary import finding, summary
from allpass.papers.pages.depth.trained import training
from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, Value
from allpass.papers.pages.shades import shaded
from allpass.papers.pages.tables.cells import NOT_YET, number
from allpass.papers.study import Row, Study

_SIZES = "sizes in every layer in powers of ten (log10), the median of the runs"
_ENDS = (
    "Energy is the sum of squares of all signals. A line ends where single precision does, and what diverged in all "
    "runs has none after training."
)
_SIGNS = {"better": " ▲", "worse": " ▼", "": ""}


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``depth``.

    Args:
        study: The study.
        rows: Its rows.
    """
    blocks: list[Block] = [*head(study, rows)]
    if rows:
        findings = Findings(study, rows)
        blocks += [
            Heading("What was found"),
            Text(summary(findings)),
            *overview(findings),
            *predictions(findings),
            *training(findings),
        ]
        for dataset in findings.present("datasets"):
            blocks += _of_dataset(findings, dataset)
    blocks += notes(study, rows)
    return Page(study.title, tuple(blocks), finding(findings) if rows else ())


def _of_dataset(findings: Findings, dataset: str) -> list[Block]:
    title = findings.grid.datasets[dataset]
    chance = next(row["majority"] for row in findings.rows if row["dataset"] == dataset)
    blocks: list[Block] = [
        Heading(title),
        Picture(
            f"depth-{dataset}",
            f"{title}: accuracy over depth, mean of the splits with its 95% interval; points of one depth stand side "
            "by side, and a cross at the bottom stands for what diverged in all runs. The dotted line is what the most "
            f"frequent class gives, {chance:.1f}%.",
            partial(figures.accuracy, findings, dataset),
        ),
        _accuracies(findings, dataset),
    ]
    drawn = [
        depth
        for depth in findings.grid.profiles["depths"]
        if any((place.dataset, place.layers) == (dataset, depth) for place in findings.found)
    ]
    blocks += [
        Picture(
            f"depth-{dataset}-{depth}",
            f"{title}, {depth} layers: {_SIZES}, from {len(findings.grid.profiles['initialisations'])} of the "
            "initialisations. Lines: measured. Dotted: predicted for independent neighbours; dashed: for neighbours "
            f"that are the same (not of gradients). {_ENDS}",
            partial(figures.sizes, findings, dataset, depth),
        )
        for depth in drawn
    ]
    blocks += [
        Picture(
            f"depth-{dataset}-{depth}-all",
            f"{title}, {depth} layers: {_SIZES}, as measured from all initialisations. The file of rows has the same "
            f"of the other depths. {_ENDS}",
            partial(figures.all_sizes, findings, dataset, depth),
        )
        for depth in drawn[-1:]
    ]
    growths = _growths(findings, dataset)
    return blocks if growths is None else [*blocks, growths]


def _accuracies(findings: Findings, dataset: str) -> Table:
    grid, lines = findings.grid, []
    for activation, name in product(findings.present("activations"), findings.present("initialisations")):
        places = [Combination(dataset, activation, name, depth) for depth in findings.depths]
        rows = [findings.found.get(place) for place in places]
        if any(row is not None for row in rows):
            lines.append((f"{grid.activations[activation]}, {name}", places, rows))
    columns = [
        shaded(
            [number(rows[column], "mean") for _, _, rows in lines],
            [_accuracy(findings, places[column]) for _, places, _ in lines],
        )
        for column in range(len(findings.depths))
    ]
    body: list[tuple[Value | str, ...]] = [
        (name, *(column[line] for column in columns)) for line, (name, _, _) in enumerate(lines)
    ]
    return Table(
        f"{grid.datasets[dataset]}: mean accuracy in percent with half of its 95% interval over splits of this graph. "
        f"▲ and ▼: significantly better or worse than {grid.baseline}; best of a column in bold.",
        ("activation, initialisation", *(f"{depth} layers" for depth in findings.depths)),
        tuple(body),
    )


def _accuracy(findings: Findings, place: Combination) -> str:
    row = findings.found.get(place)
    mean, low, high = (number(row, name) for name in ("mean", "low", "high"))
    if row is None or mean is None:
        return NOT_YET
    if findings.diverges(place):
        return "diverged"
    margin = "" if low is None or high is None else f" ± {(high - low) / 2:.1f}"
    diverged = f" ({row['diverged']} diverged)" if row["diverged"] else ""
    return f"{mean:.1f}{margin}{_SIGNS[findings.verdict(place)]}{diverged}"


def _growths(findings: Findings, dataset: str) -> Table | None:
    """Of the deepest networks whose layers are drawn."""
    grid = findings.grid
    deep = [depth for depth in findings.depths if depth in grid.profiles["depths"]]
    activations, lines = findings.present("activations"), []
    for name in findings.present("initialisations") if deep else ():
        places = [Combination(dataset, activation, name, deep[-1]) for activation in activations]
        if any(place in findings.found for place in places):
            lines.append((name, *(_factor(findings, place) for place in places)))
    if not lines:
        return None
    return Table(
        f"{grid.datasets[dataset]}, {deep[-1]} layers: by what the forward variance is multiplied in a hidden layer "
        "before training; in brackets what was predicted for neighbours that are independent and for the same. "
        "–: not run yet.",
        ("initialisation", *(grid.activations[activation] for activation in activations)),
        tuple(lines),
    )


def _factor(findings: Findings, place: Combination) -> str:
    if place not in findings.found:
        return "–"
    growth = findings.growth(place)
    if growth is None:
        return "out of range"
    derived = [value for value in (growth.independent, growth.alike) if value is not None]
    return f"{10**growth.measured:.3g} ({'; '.join(f'{10**value:.3g}' for value in derived)})"
