"""What both adjacency studies share: a run is an arm on one split of a graph, a row what it found, a gain is paired."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.papers.adjacency.arms import ARMS, PRETRAINING, TRAINING, measure_arm, settings_of
from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Plan
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.runs.run import Run
from allpass.train.statistics import Difference, paired

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

OVERLAP = 1 / 3
"""Test nodes over training nodes of splits of 60/20/20."""

_STYLES = {
    "top-k": ("low", "o"),
    "sampled": ("both", "s"),
    "bandit": ("high", "^"),
    "fourth channel": ("good", "D"),
    "top-k of X": ("bad", "v"),
    "averaged top-k of X": ("muted", "P"),
}


@dataclass(frozen=True, kw_only=True)
class Trial(Result):
    """An arm on one split, or on one drawn graph.

    Args:
        arm: Graph and arm.
        seed: The number of the split or of the drawn graph, and the seed of the weights.
        test: Score on test nodes with the settings that validation nodes chose.
        setting: The number of these settings.
        kept: Edges of the learned graph, of which the given graph lacks ``added``; ``dropped`` of it are gone.
        homophily_test: Share of edges at test nodes that are within a class.
        homophily_train: The same of edges between training nodes.
        channel_test: Mean weight of the learned channel at test nodes.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    graph: str
    seed: int
    test: float
    val: float
    setting: int
    epochs: int
    kept: int | None = None
    added: int | None = None
    dropped: int | None = None
    homophily_test: float | None = None
    homophily_test_given: float | None = None
    homophily_train: float | None = None
    homophily_train_given: float | None = None
    h_agg_test: float | None = None
    h_agg_test_given: float | None = None
    channel_test: float | None = None

    @property
    def method(self) -> str:
        """The arm without its graph."""
        return self.arm.partition("/")[2]


class AdjacencyTrials(SeededStudy[Trial]):
    """Arms on graphs."""

    result = Trial
    overlap: ClassVar[float]
    """By which intervals allow for nodes that runs share; 0 where every run has a graph of its own."""
    names: ClassVar[Sequence[str]]
    """The graphs, in order."""
    methods: ClassVar[Sequence[str]] = tuple(ARMS)
    panels: ClassVar[Sequence[str]] = ("GCN", "ACM-GCN", "MLP on base", "kNN of base")
    """What learners are compared with in the picture."""

    @abstractmethod
    def problem(self, graph: str, seed: int) -> tuple[Data, Split]:
        """The graph of a run, and its split."""

    def axes(self) -> Mapping[str, Sequence[str]]:
        """Graphs, arms, and both."""
        return {"graphs": self.names, "arms": self.methods}

    def chosen(self, plan: Plan) -> list[str]:
        quick = {"graphs": self.names[:1], "arms": ["GCN", "top-k"]}
        found = plan.choose(self.id, self.axes(), quick)
        pairs = (f"{graph}/{method}" for graph in found["graphs"] for method in found["arms"])
        return [arm for arm in pairs if arm in self.arms]

    def measure(self, arm: str, seed: int) -> Measured:
        graph = arm.partition("/")[0]
        data, split = self.problem(graph, seed)
        return measure_arm(self.arms[arm], data, split, seed)

    def row(self, arm: str, run: Run) -> Trial:
        known = {field.name: field.type for field in fields(Trial)}
        found = {
            name: int(value) if str(known[name]).startswith("int") else float(f"{value:.6g}")
            for name, value in run.scores.items()
            if name in known
        }
        graph = arm.partition("/")[0]
        return Trial(arm=arm, graph=graph, seed=run.key.seed, **found, **made([run]))  # type: ignore[arg-type]

    def shown(self, results: Sequence[Trial]) -> list[str]:
        """The graphs on which every arm was run with every seed."""
        there = {(one.arm, one.seed) for one in results}
        return [
            graph
            for graph in self.names
            if all((arm, seed) in there for arm in self.of_graph(graph) for seed in self.seeds_of(arm))
        ]

    def of_graph(self, graph: str) -> list[str]:
        """The arms of a graph."""
        return [arm for arm in self.arms if arm.partition("/")[0] == graph]

    def gain(self, results: Sequence[Trial], graph: str, first: str, second: str) -> Difference | None:
        """By how many points one arm is above another on the seeds that both have; None below three of them."""
        ours, theirs = (values(results, f"{graph}/{method}", "test") for method in (first, second))
        both = sorted(set(ours) & set(theirs))
        if len(both) < 3:
            return None
        sides = ([100 * side[seed] for seed in both] for side in (ours, theirs))
        return paired(*sides, overlap=self.overlap)

    def beats(self, results: Sequence[Trial], graph: str, learner: str, others: Sequence[str]) -> bool:
        """Whether a learner is above each of some arms, with every interval above 0."""
        gains = [self.gain(results, graph, learner, other) for other in others]
        return all(gain is not None and gain.low > 0 for gain in gains)

    def matrix(self, results: Sequence[Trial]) -> DataFrame:
        """Mean test scores in percent of arms with every seed; bold: the best of a graph."""
        from pandas import DataFrame, Index

        columns = {}
        for graph in self.names:
            arms = {method: values(results, f"{graph}/{method}", "test") for method in self.methods}
            if any(arms.values()):
                whole = {
                    name: len(found) == len(self.seeds_of(f"{graph}/{name}"))
                    for name, found in arms.items()
                    if found
                }
                means = {
                    name: float(np.mean(list(arms[name].values())))
                    for name, all_there in whole.items()
                    if all_there
                }
                best = max(means.values(), default=None)
                columns[graph] = [_cell(means.get(name), means.get(name) == best) for name in self.methods]
        return DataFrame(columns, index=Index(list(self.methods), name="arm"))

    @in_style
    def picture(self, results: Sequence[Trial]) -> Figure:
        """The gains of learners over networks on the given graph and over controls."""
        graphs = [graph for graph in self.names if any(one.graph == graph for one in results)]
        height = 1.3 + 0.42 * len(graphs)
        figure, (row,) = panels(1, len(self.panels), height, sharex=True, sharey=True)
        for axes, other in zip(row, self.panels, strict=True):
            axes.axvline(0, color=light("muted"), linewidth=0.8)
            for place, (learner, (role, marker)) in enumerate(_STYLES.items()):
                found = [
                    (line, self.gain(results, graph, learner, other)) for line, graph in enumerate(graphs)
                ]
                there = [(line, gain) for line, gain in found if gain is not None]
                if learner not in self.methods or not there:
                    continue
                at = [line + 0.15 * (place - 2) for line, _ in there]
                mid = [gain.mean for _, gain in there]
                reach = [gain.margin for _, gain in there]
                axes.errorbar(
                    mid,
                    at,
                    xerr=reach,
                    fmt=marker,
                    color=light(role),
                    label=learner,
                    markersize=3,
                    linewidth=1,
                )
            axes.set_title(f"minus {other}")
            axes.set_xlabel("points")
            axes.set_yticks(range(len(graphs)), graphs)
            axes.grid(axis="x")
        row[0].set_ylim(len(graphs) - 0.5, -0.5)
        legend(figure, [row])
        return figure


def arms_on(
    graphs: Mapping[str, Mapping[str, object]], methods: Sequence[str] = tuple(ARMS)
) -> dict[str, dict]:  # type: ignore[type-arg]
    """The settings of every arm on every graph: what decides a run.

    Args:
        graphs: What is known of each graph, by name.
        methods: Names of ``ARMS``.
    """
    shared = {"training": TRAINING, "pretraining": PRETRAINING}
    return {
        f"{name}/{method}": {**ARMS[method], **graph, **shared}
        for name, graph in graphs.items()
        for method in methods
    }


def values(results: Sequence[Trial], arm: str, name: str) -> dict[int, float]:
    """A number of an arm by seed, where it is known."""
    found = {one.seed: getattr(one, name) for one in results if one.arm == arm}
    return {seed: value for seed, value in found.items() if value is not None}


def mean(results: Sequence[Trial], arm: str, name: str) -> float | None:
    """The mean of a number of an arm."""
    found = values(results, arm, name)
    return float(np.mean(list(found.values()))) if found else None


def points(gain: Difference | None) -> str:
    """A gain with its interval, such as ``+1.2 [0.3, 2.1]``."""
    if gain is None:
        return "not run"
    return f"{gain.mean:+.1f} [{gain.low:.1f}, {gain.high:.1f}]".replace("-", "−")


def _cell(value: float | None, best: bool) -> str:
    if value is None:
        return "–"
    return f"**{100 * value:.1f}**" if best else f"{100 * value:.1f}"


NUMBER_OF_SETTINGS = len(settings_of(ARMS["GCN"]))
"""Settings that each arm chooses among."""
