"""The figures of the study of depth: accuracy over depth, and the sizes in every layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from allpass.papers.pages.depth.findings import Findings, combination_of, series
from allpass.papers.pages.tables.cells import number
from allpass.papers.study import Row
from allpass.report.canvas import in_style, legend, name_outer, panels
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = {
    "glorot": ("ink", "-", "o"),
    "he": ("high", "-", "s"),
    "forward": ("bad", "-", "^"),
    "degree-weighted": ("bad", "--", "v"),
    "backward": ("good", "-", "<"),
    "combined": ("good", "--", ">"),
    "forward-relu": ("bad", ":", "D"),
    "effective-degree": ("high", "--", "P"),
    "energy": ("low", "-", "X"),
    "energy-relu": ("low", "--", "*"),
}
"""Colour, line and marker of each initialisation."""

_OTHER = ("muted", "-.", "d")
_DIVERGED = "all runs diverged"
_QUANTITIES = (
    ("variance", "forward variance"),
    ("gradient_variance", "gradient variance"),
    ("energy", "energy"),
)
_MOMENTS = (("start", "at the start"), ("end", "after training"))


def _above(findings: Findings, dataset: str) -> float:
    """The ten above all accuracies of a dataset with their intervals, up to 100."""
    highest = [
        number(row, "high") or number(row, "mean") or 0.0
        for row in findings.rows
        if row["dataset"] == dataset
    ]
    return min(100.0, 10.0 * math.ceil(max(highest, default=100.0) / 10))


@in_style
def accuracy(findings: Findings, dataset: str) -> Figure:
    """Test accuracy over depth, a panel for each activation and a line for each initialisation.

    Args:
        findings: The rows.
        dataset: Of which graph.
    """
    activations, depths = findings.present("activations"), findings.depths
    names = findings.present("initialisations")
    figure, grid = _panels(-(-len(activations) // 2), min(2, len(activations)), 2.7)
    flat = [panel for row in grid for panel in row]
    for panel, activation in zip(flat, activations, strict=False):
        panel.set_title(findings.grid.activations[activation], fontsize=9, loc="left")
        for place, name in enumerate(names):
            rows = [row for depth in depths if (row := findings.row(dataset, activation, name, depth))]
            shift = 2 ** (0.04 * (place - (len(names) - 1) / 2))  # so that intervals stand side by side
            ended = [findings.diverges(combination_of(row)) for row in rows]
            means, low, high = (
                [
                    math.nan if gone or (value := number(row, key)) is None else value
                    for row, gone in zip(rows, ended, strict=True)
                ]
                for key in ("mean", "low", "high")
            )
            x = [int(row["layers"] or 0) * shift for row in rows]
            style = _style(name)
            panel.plot(x, means, label=name, markersize=3.5, linewidth=1.2, **style)
            panel.vlines(x, low, high, color=style["color"], alpha=0.45, linewidth=0.9)
            lost = [depth for depth, gone in zip(x, ended, strict=True) if gone]
            floor = [0.03 * _above(findings, dataset)] * len(lost)
            panel.plot(lost, floor, "x", color=style["color"], markersize=4)
        chance = [
            value for row in findings.rows if row["dataset"] == dataset and (value := number(row, "majority"))
        ]
        if chance:
            panel.axhline(chance[0], color=light("muted"), linewidth=0.8, linestyle=(0, (2, 3)))
        panel.set_xscale("log", base=2)
        panel.set_xticks(depths, [str(depth) for depth in depths])
        panel.minorticks_off()
        panel.set_ylim(0, _above(findings, dataset))
        panel.grid(axis="y")
    if any(map(findings.diverges, findings.found)):
        flat[0].plot([], [], "x", color=light("muted"), markersize=4, label=_DIVERGED)
    for panel in flat[len(activations) :]:
        panel.set_axis_off()
    name_outer(grid, "layers", ["accuracy on test nodes, %"] * len(grid))
    legend(figure, grid, 6)
    return figure


@in_style
def sizes(findings: Findings, dataset: str, layers: int) -> Figure:
    """What is in every layer, measured and predicted: a column for each activation.

    Args:
        findings: The rows.
        dataset: Of which graph.
        layers: Of networks this deep.
    """

    def draw(panel: Axes, row: Row, name: str, moment: str, quantity: str) -> None:
        colour = _style(name)["color"]
        measured = _numbers(series(row, f"{moment}_{quantity}"))
        panel.plot(range(1, len(measured) + 1), measured, color=colour, label=name)
        if moment == "start":
            _predicted(panel, series(row, f"independent_{quantity}"), ":", colour)
            if quantity != "gradient_variance":
                _predicted(panel, series(row, f"alike_{quantity}"), "--", colour)

    drawn = findings.grid.profiles["initialisations"]
    return _by_layer(
        findings,
        dataset,
        layers,
        [name for name in findings.present("initialisations") if name in drawn],
        draw,
    )


@in_style
def all_sizes(findings: Findings, dataset: str, layers: int) -> Figure:
    """What is measured in every layer from all initialisations; arguments of :func:`sizes`."""
    names = findings.present("initialisations")
    step = max(1, layers // 5)

    def draw(panel: Axes, row: Row, name: str, moment: str, quantity: str) -> None:
        measured = _numbers(series(row, f"{moment}_{quantity}"))
        marks = (names.index(name) % step, step)  # not all of them in one layer
        panel.plot(
            range(1, len(measured) + 1),
            measured,
            label=name,
            markevery=marks,
            markersize=3.2,
            linewidth=1,
            **_style(name),
        )

    return _by_layer(findings, dataset, layers, names, draw)


def _by_layer(
    findings: Findings,
    dataset: str,
    layers: int,
    names: Sequence[str],
    draw: Callable[[Axes, Row, str, str, str], None],
) -> Figure:
    """A panel for each activation, size and moment, with what a function draws of every initialisation."""
    activations = findings.present("activations")
    figure, grid = _panels(len(_MOMENTS) * len(_QUANTITIES), len(activations), 1.45)
    for column, activation in enumerate(activations):
        grid[0][column].set_title(findings.grid.activations[activation], fontsize=9, loc="left")
        for line, (quantity, moment) in enumerate((q, m) for q, _ in _QUANTITIES for m, _ in _MOMENTS):
            grid[line][column].grid(axis="y")
            for name in names:
                row = findings.row(dataset, activation, name, layers)
                if row is not None:
                    draw(grid[line][column], row, name, moment, quantity)
    sides = [f"{words}\n{moment}, log₁₀" for _, words in _QUANTITIES for _, moment in _MOMENTS]
    name_outer(grid, "layer", sides)
    figure.align_ylabels()
    legend(figure, grid, 5)
    return figure


def _predicted(panel: Axes, values: Sequence[float], line: str, colour: str) -> None:
    panel.plot(range(1, len(values) + 1), values, line, color=colour, linewidth=0.9, alpha=0.8)


def _numbers(values: Sequence[float]) -> list[float]:
    """Without what is infinite, which no axis can show."""
    return [value if math.isfinite(value) else math.nan for value in values]


def _style(name: str) -> dict[str, Any]:
    role, line, marker = _STYLES.get(name, _OTHER)
    return {"color": light(role), "linestyle": line, "marker": marker}


def _panels(rows: int, columns: int, height: float) -> tuple[Figure, list[list[Axes]]]:
    """Panels that share their axes: all of them the layers, those of a line what is measured there."""
    return panels(rows, columns, 0.6 + height * rows, sharex=True, sharey="row")
