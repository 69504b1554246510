"""The examples of the report: small graphs whose every number can be checked by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.graph import FilterBank, matrix
from allpass.metrics import (
    LabelledGraph,
    aggregation_homophily,
    class_homophily,
    diversification_distinguishability,
    edge_homophily,
    feature_similarity,
    modified_aggregation_homophily,
    node_homophily,
)
from allpass.papers.at_hand import graph_of
from allpass.papers.measuring import Measured, finished, key_of, measure
from allpass.papers.result import Result, made
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.report.canvas import in_style, panels
from allpass.report.theme import light
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

METHOD = 1
"""Raise it when the same key would give other numbers."""

METRICS = ("H_edge", "H_node", "H_class", "H_agg", "H_agg_M", "DD", "DD_strict")
MATRICES = ("S_low", "S_high")
TOLERANCE = 5e-5
"""Known numbers have four digits."""

_CLASSES = ("low", "high", "both", "good")


@dataclass(frozen=True)
class Example:
    """One of the graphs.

    Args:
        dataset: A name of ``allpass.data.DATASETS``.
        title: What it shows.
        figure: Where it is drawn.
        places: Where to draw its nodes.
        known: Known metrics and similarity matrices by name.
    """

    dataset: str
    title: str
    figure: str
    places: Sequence[tuple[float, float]]
    known: Mapping[str, Any]

    def differences(self, measured: Mapping[str, Any]) -> dict[str, float]:
        """How far measured numbers are from known ones, by name: the largest difference of a matrix."""
        return {
            name: float(np.abs(np.asarray(measured[name]) - np.asarray(value)).max())
            for name, value in self.known.items()
        }


@dataclass(frozen=True, kw_only=True)
class Checked(Result):
    """A graph with its metrics, and its matrices and nodes as texts; nodes are counted from 1.

    Args:
        aggregated: The nodes that fulfil the condition of H_agg.
        diversified: Those that fulfil that of DD.
        drawn: Those with a mean similarity above 0 to another class.
        known: How many numbers and matrices are known, of which so many ``agree``.
    """

    place: ClassVar[tuple[str, ...]] = ("graph",)

    graph: str
    runs: int
    labels: str
    edges: str
    H_edge: float
    H_node: float
    H_class: float
    H_agg: float
    H_agg_M: float
    DD: float
    DD_strict: float
    S_low: str
    S_high: str
    aggregated: str
    diversified: str
    drawn: str
    known: int
    agree: int
    difference: float
    quick: bool


class ExamplesStudy:
    """Metrics and similarity matrices of the report's examples.

    Args:
        words: What is said of it.
        content: The entries of its file.
    """

    id = "examples"
    result = Checked

    def __init__(self, words: Words, content: Mapping[str, Any]) -> None:
        self.words = words
        self.graphs = {name: Example(**given) for name, given in content["graphs"].items()}

    def axes(self) -> dict[str, Sequence[str]]:
        """The graphs."""
        return {"graphs": list(self.graphs)}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Checked] = ()) -> list[Task]:  # noqa: ARG002
        """A task is a graph; a quick one is the same."""
        there = {result.graph for result in known}
        return [
            Task(OfStudy(self.id), self.graphs[name].title, {"graph": name}, gpu=0.0)
            for name in plan.choose(self.id, self.axes())["graphs"]
            if name not in there
        ]

    def keys(self, task: Task) -> list[Key]:
        data = graph_of(self.graphs[task.about["graph"]].dataset)
        found = {"dataset": data.name, "fingerprint": data.fingerprint}
        return [key_of(self.id, METHOD, filter="A_hat_rw", precision="float64", **found)]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, lambda key: measured(graph_of(key.dataset)))

    def results(self, plan: Plan, store: Store) -> list[Checked]:
        return [self._result(about["graph"], run, plan) for about, (run,) in finished(self, plan, store)]

    def _result(self, name: str, run: Run, plan: Plan) -> Checked:
        example = self.graphs[name]
        data = graph_of(example.dataset)
        matrices = {kind: run.curves[kind] for kind in MATRICES}
        texts: dict[str, Any] = {kind: _lines(values) for kind, values in matrices.items()}
        texts |= {kind: _nodes(run.curves[kind]) for kind in ("aggregated", "diversified", "drawn")}
        texts |= {metric: round(run.scores[metric], 6) for metric in METRICS}
        differences = example.differences({**run.scores, **matrices})
        return Checked(
            graph=name,
            runs=1,
            labels=" ".join(map(str, data.y.tolist())),
            edges=" ".join(f"{u + 1}-{v + 1}" for u, v in data.edge_index.T.tolist() if u < v),
            **texts,
            known=len(differences),
            agree=sum(difference <= TOLERANCE for difference in differences.values()),
            difference=round(max(differences.values()), 6),
            quick=plan.quick,
            **made([run]),
        )

    def facts(self, results: Sequence[Checked]) -> dict[str, object]:
        return {
            "known": sum(result.known for result in results),
            "agree": sum(result.agree for result in results),
        }

    def matrix(self, results: Sequence[Checked]) -> DataFrame:
        """Every metric, and the known number in brackets."""
        from pandas import DataFrame, Index

        lines = {
            self.graphs[one.graph].title: [
                _text(getattr(one, name), self.graphs[one.graph].known.get(name)) for name in METRICS
            ]
            for one in results
        }
        names = ("H_edge", "H_node", "H_class", "H_agg", "H_agg^M", "DD, own mean ≥ 0", "DD, own mean > 0")
        return DataFrame(lines, index=Index(names, name="metric"))

    @in_style
    def picture(self, results: Sequence[Checked]) -> Figure:
        """A line for each graph: the graph and its two similarity matrices."""
        figure, grid = panels(len(results), 3, 3.0 * len(results), width_ratios=(0.8, 1, 1))
        for (graph, low, high), one in zip(grid, results, strict=True):
            labels = [int(label) for label in one.labels.split()]
            _draw_graph(graph, one, self.graphs[one.graph].places, labels)
            graph.set_title(self.graphs[one.graph].title, fontsize=9, loc="left")
            for axes, text, title in ((low, one.S_low, "S(Â, X)"), (high, one.S_high, "S(I − Â, X)")):
                _draw_matrix(axes, text, labels)
                axes.set_title(title, fontsize=9, loc="left")
        return figure


def measured(data: Data) -> Measured:
    """The metrics of a graph whose features are its classes, its matrices S(Â, X) and S(I - Â, X), and its nodes.

    Args:
        data: The graph.
    """
    graph = LabelledGraph.build(data.edge_index, data.y, data.x)
    given = data.edge_index, data.x, data.y
    metrics = {
        "H_edge": edge_homophily(data.edge_index, data.y),
        "H_node": node_homophily(data.edge_index, data.y),
        "H_class": class_homophily(data.edge_index, data.y),
        "H_agg": aggregation_homophily(data.edge_index, data.y),
        "H_agg_M": modified_aggregation_homophily(data.edge_index, data.y),
        "DD": diversification_distinguishability(*given),
        "DD_strict": diversification_distinguishability(*given, strict=True),
    }
    signals = FilterBank.from_low_pass(matrix(graph.adjacency, "A_hat_rw")).analyze(data.x.double())
    high = feature_similarity(graph, high_pass=True)
    others = high.means.scatter(1, high.labels.unsqueeze(1), -np.inf)
    curves = {
        **{kind: (M @ M.mT).numpy() for kind, M in zip(MATRICES, signals, strict=True)},
        "aggregated": feature_similarity(graph).aggregates().numpy(),
        "diversified": high.diversifies().numpy(),
        "drawn": (others.amax(dim=1) > TOLERANCE).numpy(),
    }
    return Measured(metrics, curves)


def _draw_graph(
    axes: Axes, one: Checked, places: Sequence[tuple[float, float]], labels: Sequence[int]
) -> None:
    for edge in one.edges.split():
        ends = [places[int(node) - 1] for node in edge.split("-")]
        axes.plot(*zip(*ends, strict=True), color=light("neither"), linewidth=1.4, zorder=1)
    for node, (place, label) in enumerate(zip(places, labels, strict=True), 1):
        role = _CLASSES[label]
        over = light("on-high" if role == "high" else "on-low")
        axes.plot(*place, "o", color=light(role), markersize=13, zorder=2)
        axes.text(*place, str(node), color=over, ha="center", va="center_baseline", fontsize=8, zorder=3)
    axes.margins(0.15)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _draw_matrix(axes: Axes, text: str, labels: Sequence[int]) -> None:
    """A matrix in colours from orange (negative) to purple; lines separate the classes."""
    values = np.array([[float(value) for value in line.split()] for line in text.split(";")])
    top = np.abs(values).max() or 1.0
    size = len(values)
    axes.pcolormesh(
        np.arange(size + 1), np.arange(size + 1), values, cmap="PuOr", vmin=-1.8 * top, vmax=1.8 * top
    )
    for (row, column), value in np.ndenumerate(values):
        written = f"{value:.2f}".replace("-", "−").replace("0.", ".", 1) if value else "0"
        axes.text(column + 0.5, row + 0.5, written, ha="center", va="center", fontsize=5.5)
    for place in range(1, size):
        if labels[place - 1] != labels[place]:
            axes.axhline(place, color=light("muted"), linewidth=0.8)
            axes.axvline(place, color=light("muted"), linewidth=0.8)
    names = [str(node) for node in range(1, size + 1)]
    axes.set(xlim=(0, size), ylim=(size, 0))
    axes.set_xticks(np.arange(size) + 0.5, names)
    axes.set_yticks(np.arange(size) + 0.5, names)
    axes.tick_params(length=0)
    axes.set_aspect("equal")


def _text(ours: float, known: float | None) -> str:
    return f"{ours:.3f}" + ("" if known is None else f" ({known:.3f})")


def _lines(values: NDArray[np.float32]) -> str:
    """A matrix as text: its rows between semicolons."""
    return "; ".join(" ".join(f"{round(float(value), 4) + 0.0:.4f}" for value in row) for row in values)


def _nodes(which: NDArray[np.float32]) -> str:
    """Which nodes, counted from 1."""
    return " ".join(str(number) for number, chosen in enumerate(which, 1) if chosen)


STUDY = ExamplesStudy(*read_spec("examples"))
"""The study of the report's examples."""
