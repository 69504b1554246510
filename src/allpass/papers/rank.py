"""Figure 1 of the report: how many independent features are left in every layer of a deep random network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from allpass.graph import Operator, components
from allpass.models.rank import Architecture, hidden_ranks
from allpass.papers.measuring import Measured, finished, key_of, measure
from allpass.papers.result import Result, made
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.report.canvas import in_style, legend, name_outer, panels
from allpass.report.theme import light
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

METHOD = 1
"""Raise it when the same key would give other numbers."""

GONE = 3
"""Below this mean rank a network has collapsed; a graph of two components keeps 2."""

_LINES = {"tanh": ("low", "-"), "identity": ("both", "--"), "relu": ("high", "-.")}


@dataclass(frozen=True, kw_only=True)
class Ranks(Result):
    """Ranks of one architecture with one activation; texts have a number for each layer.

    Args:
        graphs_in_parts: How many of the graphs have more than one component.
        known: How many ranks are known from an independent computation.
        within: How many of them lie within the margin of the range of our draws; None of a quick run.
    """

    place: ClassVar[tuple[str, ...]] = ("network", "activation")

    network: str
    activation: str
    runs: int
    graphs_in_parts: int
    mean: str
    deviation: str
    low: str
    high: str
    known: int
    within: int | None
    quick: bool

    @property
    def means(self) -> list[float]:
        """The mean rank in each layer."""
        return [float(rank) for rank in str(self.mean).split()]

    def until(self, rank: float) -> int:
        """The last layer before the mean falls below a rank."""
        return next((layer for layer, mean in enumerate(self.means) if mean < rank), len(self.means))


class RankStudy:
    """Ranks of the hidden features of networks with random weights, layer by layer.

    Args:
        words: What is said of it.
        content: The entries of its file.
    """

    id = "rank"
    result = Ranks

    def __init__(self, words: Words, content: Mapping[str, Any]) -> None:
        self.words = words
        self.seeds: int = content["seeds"]
        self.margin: int = content["margin"]
        self.layers: Sequence[int] = content["layers"]
        self.graph: Mapping[str, Any] = content["graph"]
        self.network: Mapping[str, Any] = content["network"]
        self.networks: Mapping[str, str] = content["networks"]
        self.activations: Mapping[str, str] = content["activations"]
        self.known: Mapping[str, Mapping[str, Sequence[int]]] = content["known"]
        self.curves: Mapping[str, Mapping[str, str]] = content["curves"]
        self.quick: Mapping[str, Any] = content["quick"]

    def axes(self) -> dict[str, Sequence[str]]:
        """Architectures and activations."""
        return {"networks": list(self.networks), "activations": list(self.activations)}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Ranks] = ()) -> list[Task]:  # noqa: ARG002
        """A task is an architecture with an activation, for all seeds."""
        whole = {"seeds": self.seeds, "depth": self.network["depth"]}
        size = {name: self.quick[name] for name in whole} if plan.quick else whole
        chosen = plan.choose(self.id, self.axes(), {"activations": self.quick["activations"]})
        there = {(result.network, result.activation) for result in known}
        return [
            Task(
                OfStudy(self.id),
                f"{self.networks[network]} with {self.activations[activation]}",
                {"network": network, "activation": activation, **size},
                gpu=0.0,
            )
            for network in chosen["networks"]
            for activation in chosen["activations"]
            if (network, activation) not in there
        ]

    def keys(self, task: Task) -> list[Key]:
        return [
            key_of(
                self.id,
                METHOD,
                dataset="G({nodes}, {p:g})".format(**self.graph),
                model=task.about["network"],
                settings={**self.network, **{name: task.about[name] for name in ("activation", "depth")}},
                seed=seed,
                precision="float64",
                **self.graph,
            )
            for seed in range(task.about["seeds"])
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, partial(self._ranks, device=device))

    def results(self, plan: Plan, store: Store) -> list[Ranks]:
        done = finished(self, plan, store)
        return [self._result(about["network"], about["activation"], runs, plan) for about, runs in done]

    def _ranks(self, key: Key, device: str) -> Measured:
        x, A = drawn(**self.graph, seed=key.seed)
        ranks = hidden_ranks(
            cast(Architecture, key.model),
            x=x.to(device),
            edge_index=A.to(device),
            seed=key.seed,
            **key.settings,
        )
        return Measured(
            {"rank": ranks[-1], "components": components(A).count}, {"rank": np.array(ranks, float)}
        )

    def _result(self, network: str, activation: str, runs: Sequence[Run], plan: Plan) -> Ranks:
        ranks = np.stack([run.curves["rank"] for run in runs]).astype(np.int64)  # [runs, depth]
        low, high = ranks.min(axis=0).tolist(), ranks.max(axis=0).tolist()
        known = self.known.get(network, {}).get(activation, ())
        holds = [
            low[layer - 1] - self.margin <= rank <= high[layer - 1] + self.margin
            for layer, rank in zip(self.layers, known, strict=False)
            if layer <= len(low)
        ]
        return Ranks(
            network=network,
            activation=activation,
            runs=len(runs),
            graphs_in_parts=sum(run.scores["components"] > 1 for run in runs),
            mean=_joined(ranks.mean(axis=0).round(2).tolist()),
            deviation=_joined(ranks.std(axis=0).round(2).tolist()),
            low=_joined(low),
            high=_joined(high),
            known=len(holds),
            within=None if plan.quick else sum(holds),
            quick=plan.quick,
            **made(runs),
        )

    def facts(self, results: Sequence[Ranks]) -> dict[str, object]:
        relu, tanh = ([one for one in results if one.activation == name] for name in ("relu", "tanh"))
        return {
            "known": sum(result.known for result in results),
            "within": sum(result.within or 0 for result in results),
            "relu_gone": f"{min(one.until(GONE) + 1 for one in relu)} to {max(one.until(GONE) + 1 for one in relu)}",
            "tanh_last": f"{min(one.means[-1] for one in tanh):.0f} to {max(one.means[-1] for one in tanh):.0f}",
        }

    def matrix(self, results: Sequence[Ranks]) -> DataFrame:
        """Landmarks of each curve; in brackets what the printed curves show."""
        from pandas import DataFrame, Index

        full = self.network["width"] - 0.5
        lines = [
            (
                self.networks[one.network],
                self.activations[one.activation],
                f"{one.until(full)}{self._read(one, 'identity', 'full')}",
                f"{_after(one, GONE)}{self._read(one, 'relu', 'gone')}",
                f"{one.means[-1]:.1f} ± {float(str(one.deviation).split()[-1]):.1f}{self._read(one, 'tanh', 'tanh')}",
            )
            for one in sorted(results, key=self._order)
        ]
        landmarks = ["full up to layer", f"below {GONE} from layer", "rank in the last layer"]
        return DataFrame(lines, columns=Index(["network", "activation", *landmarks])).set_index("network")

    def _order(self, one: Ranks) -> tuple[int, int]:
        return list(self.networks).index(one.network), list(self.activations).index(one.activation)

    def _read(self, one: Ranks, activation: str, landmark: str) -> str:
        return f" ({self.curves[one.network][landmark]})" if one.activation == activation else ""

    @in_style
    def picture(self, results: Sequence[Ranks]) -> Figure:
        """A panel for each architecture, with three activations."""
        figure, (grid,) = panels(1, len(self.networks), 3.1, sharex=True, sharey=True)
        for panel, (network, title) in zip(grid, self.networks.items(), strict=True):
            panel.set_title(title, fontsize=9, loc="left")
            panel.grid(axis="y")
            for one in results:
                if one.network == network and one.activation in _LINES:
                    role, line = _LINES[one.activation]
                    layers = range(1, len(one.means) + 1)
                    panel.plot(
                        layers, one.means, line, color=light(role), label=self.activations[one.activation]
                    )
        name_outer([grid], "layer", ["mean rank"])
        grid[0].set(xlim=(0, self.network["depth"]), ylim=(0, 1.05 * self.network["width"]))
        legend(figure, [grid])
        return figure


def drawn(nodes: int, p: float, features: int, seed: int) -> tuple[Tensor, Operator]:
    """The random graph G(nodes, p), and features of N(0, 1) divided by the sums of their rows.

    Args:
        nodes: Number of nodes.
        p: Probability of every edge.
        features: Number of features.
        seed: Decides both.
    """
    A = Operator.from_networkx(nx.fast_gnp_random_graph(nodes, p, seed=seed), dtype=torch.float64)
    x = torch.from_numpy(np.random.default_rng(seed).standard_normal((nodes, features)))
    return x / x.sum(dim=1, keepdim=True), A


def _after(one: Ranks, rank: float) -> str:
    layer = one.until(rank) + 1
    return str(layer) if layer <= len(one.means) else "never"


def _joined(values: Sequence[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


STUDY = RankStudy(*read_spec("rank"))
"""The study of the report's figure."""
