"""The page of the report's examples: graphs, similarity matrices as heat maps, and numbers beside the known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, cast

from allpass.papers.examples import MATRICES, METRICS, TOLERANCE, Example, ExamplesStudy
from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, of_kind
from allpass.papers.study import Row, Study
from allpass.report.canvas import in_style, panels
from allpass.report.theme import light
from allpass.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Matrix: TypeAlias = tuple[tuple[float, ...], ...]

_NAMES = {
    "H_edge": "H_edge",
    "H_node": "H_node",
    "H_class": "H_class",
    "H_agg": "H_agg",
    "H_agg_M": "H_agg^M",
    "DD": "diversification, own mean ≥ 0",
    "DD_strict": "diversification, own mean > 0",
    "S_low": "S(Â, X), largest difference",
    "S_high": "S(I − Â, X), largest difference",
}
_CLASSES = ("low", "high", "both", "good")
_PALE = 0.75  # strength of the strongest cell: what is written on it stays readable


@dataclass(frozen=True)
class _Shown:
    """A row with its texts as numbers; nodes are counted from 1."""

    row: Row
    example: Example

    @property
    def labels(self) -> list[int]:
        return [int(label) for label in self._words("labels")]

    @property
    def edges(self) -> list[tuple[int, int]]:
        pairs = (edge.split("-") for edge in self._words("edges"))
        return [(int(u), int(v)) for u, v in pairs]

    def nodes(self, name: str) -> list[int]:
        return [int(node) for node in self._words(name)]

    def metric(self, name: str) -> float:
        return float(cast(float, self.row[name]))

    def matrix(self, name: str) -> Matrix:
        return tuple(tuple(map(float, line.split())) for line in str(self.row[name]).split(";"))

    def difference(self, name: str) -> float:
        """From what is known."""
        if name in METRICS:
            return abs(self.metric(name) - self.example.known[name])
        pairs = zip(self.matrix(name), self.example.known[name], strict=True)
        return max(abs(ours - known) for line, row in pairs for ours, known in zip(line, row, strict=True))

    def _words(self, name: str) -> list[str]:
        return str(self.row[name]).split()


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``examples``.

    Args:
        study: The study.
        rows: Its rows.
    """
    graphs = of_kind(study, ExamplesStudy).graphs
    shown = [_Shown(row, graphs[str(row["graph"])]) for row in rows]
    blocks: list[Block] = [*head(study, rows)]
    known, agree = (sum(int(cast(int, row[name])) for row in rows) for name in ("known", "agree"))
    finding = (
        f"{agree} of {known} known numbers and matrices come out, to four digits; the notes name what is misprinted.",
    )
    if rows:
        blocks.append(
            Text(
                "The features of all graphs are their classes. Â averages a node and its neighbours; S(Â, X) = ÂX(ÂX)ᵀ "
                "says how alike two nodes are after averaging, S(I − Â, X) after the difference to the average."
            )
        )
    for one in shown:
        blocks += [
            Heading(one.example.title),
            Text(_words(one)),
            Picture(
                f"examples-{one.row['graph']}",
                f"{one.example.title} ({one.example.figure}): the graph, coloured by class, and its similarity "
                "matrices, blue above 0 and orange below.",
                partial(_drawn, one),
            ),
            _table(one),
        ]
    blocks += notes(study, rows)
    return Page(study.title, tuple(blocks), finding if rows else ())


def _words(one: _Shown) -> str:
    """What the numbers say."""
    size = len(one.labels)
    left_out = [node for node in range(1, size + 1) if node not in one.nodes("aggregated")]
    drawn = one.nodes("drawn")
    return " ".join(
        (
            f"Of {len(one.edges)} edges {_share(one.metric('H_edge'))} join nodes of one class.",
            f"After averaging {_of(size - len(left_out), size)} nodes are at least as near to their own class as to "
            "the others" + f"; {_listed(left_out)} not." * bool(left_out) + "." * (not left_out),
            f"Diversification sets {_of(len(one.nodes('diversified')), size)} nodes apart: on average they are not "
            "unlike their own class and not like the rest.",
            f"Yet {_of(len(drawn), size)} are drawn to a single other class: their mean similarity to it is above 0. "
            "The sign of the similarity does not tell those classes apart."
            if drawn
            else "No node has a mean similarity above 0 to any other class.",
        )
    )


def _share(value: float) -> str:
    return "none" if value == 0 else f"{value:.0%}"


def _of(part: int, size: int) -> str:
    return f"all {size}" if part == size else f"{part} of {size}"


def _listed(nodes: Sequence[int]) -> str:
    word = "node" if len(nodes) == 1 else "nodes"
    return f"{word} {', '.join(map(str, nodes))} {'is' if len(nodes) == 1 else 'are'}"


def _table(one: _Shown) -> Table:
    rows = [_line(one, name) for name in METRICS]
    rows += [_line(one, name) for name in MATRICES if name in one.example.known]
    return Table("Known and measured.", ("", "known", "ours", "verdict"), tuple(rows))


def _line(one: _Shown, name: str) -> tuple[str, str, str, str]:
    """A metric beside its known value; of a matrix the largest difference from the known one."""
    known = one.example.known.get(name)
    verdict = "" if known is None else "agrees" if one.difference(name) <= TOLERANCE else "differs"
    if name in MATRICES:
        return _NAMES[name], "0", f"{one.difference(name):.5f}", verdict
    return _NAMES[name], "–" if known is None else number(known), number(one.metric(name)), verdict


@in_style
def _drawn(one: _Shown) -> Figure:
    """The graph, and its two matrices."""
    height = 3.1 if len(one.labels) < 9 else 3.6
    figure, ((graph, low, high),) = panels(1, 3, height, width_ratios=(0.8, 1, 1))
    _graph(graph, one)
    for axes, name, title in (
        (low, "S_low", "S(Â, X), after averaging"),
        (high, "S_high", "S(I − Â, X), after the difference"),
    ):
        _heat(axes, one.matrix(name), one.labels)
        axes.set_title(title, fontsize=9, loc="left")
    return figure


def _graph(axes: Axes, one: _Shown) -> None:
    places = one.example.places
    for u, v in one.edges:
        ends = places[u - 1], places[v - 1]
        axes.plot(*zip(*ends, strict=True), color=light("neither"), linewidth=1.4, zorder=1)
    for node, (place, label) in enumerate(zip(places, one.labels, strict=True), 1):
        axes.plot(*place, "o", color=light(_CLASSES[label]), markersize=15, zorder=2)
        over = light("on-high" if _CLASSES[label] == "high" else "on-low")
        axes.text(*place, str(node), color=over, ha="center", va="center_baseline", fontsize=8.5, zorder=3)
    axes.margins(0.15)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _heat(axes: Axes, values: Matrix, labels: Sequence[int]) -> None:
    """A matrix with its numbers; lines part the classes."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    size = len(values)
    top = max(abs(value) for line in values for value in line) or 1.0
    cells, colours = [], []
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            cells.append([(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)])
            colours.append(to_rgba(light("low" if value > 0 else "high"), _PALE * abs(value) / top))
            text = "−" * (value < 0) + f"{abs(value):.2f}".removeprefix("0") if value else "0"
            axes.text(
                column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=6.5 if size > 8 else 7.5
            )
    axes.add_collection(PolyCollection(cells, facecolors=colours, linewidths=0), autolim=False)
    for place, (one, other) in enumerate(pairwise(labels), 1):
        if one != other:
            axes.axhline(place, color=light("muted"), linewidth=0.8)
            axes.axvline(place, color=light("muted"), linewidth=0.8)
    names = [str(node) for node in range(1, size + 1)]
    axes.set(xlim=(0, size), ylim=(size, 0), xlabel="node", ylabel="node")
    axes.set_xticks([place + 0.5 for place in range(size)], names)
    axes.set_yticks([place + 0.5 for place in range(size)], names)
    axes.tick_params(length=0)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set(visible=True, color=light("line"))
