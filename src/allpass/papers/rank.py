"""Figure 1 of the report: how many independent features are left in every layer of a deep random network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast, get_args

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import MATRICES, Operator, components
from allpass.models.rank import Architecture, hidden_ranks
from allpass.nn.activations import ACTIVATIONS
from allpass.papers.checks import at, check_keys, check_name
from allpass.papers.content import named, parse_content, read_text
from allpass.papers.measuring import Measured, measure, stored
from allpass.papers.origin import origin
from allpass.papers.study import OfStudy, Plan, Row
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

METHOD = 1
"""Goes up when the same key would give other numbers."""


@dataclass(frozen=True)
class RankStudy:
    """Ranks of the hidden features of networks with random weights, layer by layer.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        notes: What differs from the source, and why.
        seeds: Draws of graph, features and weights.
        margin: How far a known value may lie outside the range over all draws.
        layers: The layers whose ranks are known.
        graph: ``nodes`` and ``p`` of the random graph, and its number of ``features``.
        network: ``depth``, ``width``, ``blocks`` and ``filter`` of :func:`allpass.models.hidden_ranks`.
        networks: The architectures, with their names for people.
        activations: The activations, with their names for people.
        known: The known ranks at ``layers``, by architecture and activation.
        curves: What can be read off the source's curves of each architecture: the layer up to which the identity is
            ``full``, the one by which ReLU is ``gone``, and the last rank of ``tanh``.
        quick: ``seeds``, ``depth`` and ``activations`` that prove the path.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    seeds: int
    margin: int
    layers: tuple[int, ...]
    graph: Mapping[str, Any]
    network: Mapping[str, Any]
    networks: Mapping[str, str]
    activations: Mapping[str, str]
    known: Mapping[str, Mapping[str, Sequence[int]]]
    curves: Mapping[str, Mapping[str, str]]
    quick: Mapping[str, Any]

    place: ClassVar[tuple[str, ...]] = ("network", "activation")

    def cells(self) -> Sequence[str]:
        """Architectures and activations."""
        return (*self.networks, *self.activations)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - all is known from the start
        """A task is an architecture with an activation, for all seeds."""
        size = self.quick if plan.quick else {"seeds": self.seeds, "depth": self.network["depth"]}
        return [
            Task(
                OfStudy(self.id),
                f"{self.networks[network]} with {self.activations[activation]}",
                {
                    "network": network,
                    "activation": activation,
                    "seeds": size["seeds"],
                    "depth": size["depth"],
                },
                gpu=0.0,
            )
            for network, activation in self._asked(plan)
        ]

    def keys(self, task: Task) -> list[Key]:
        return [
            Key(
                dataset="G({nodes}, {p:g})".format(**self.graph),
                fingerprint="",  # it is drawn: the numbers in the protocol and the seed say how
                model=task.about["network"],
                settings={**self.network, **{name: task.about[name] for name in ("activation", "depth")}},
                split="",
                split_hash="",
                seed=seed,
                protocol={"study": self.id, "method": METHOD, "precision": "float64", **self.graph},
            )
            for seed in range(task.about["seeds"])
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, partial(self._ranks, device=device))

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is an architecture with an activation; numbers of all layers are one text, in their order."""
        found = []
        for task in self.tasks(plan, store):
            runs = stored(self.keys(task), store)
            if runs is not None:
                found.append(self._row(task.about["network"], task.about["activation"], runs, plan))
        return found

    def checks(
        self, network: str, activation: str, low: Sequence[int], high: Sequence[int]
    ) -> list[tuple[int, int, bool]]:
        """Every known rank with its layer, and whether it is no further from the range there than the margin.

        Args:
            network: The architecture.
            activation: The activation.
            low: The lowest rank of every layer that there is.
            high: The highest.
        """
        known = self.known.get(network, {}).get(activation, ())
        return [
            (layer, rank, low[layer - 1] - self.margin <= rank <= high[layer - 1] + self.margin)
            for layer, rank in zip(self.layers, known, strict=False)
            if layer <= len(low)
        ]

    def _asked(self, plan: Plan) -> list[tuple[str, str]]:
        axes = {"network": list(self.networks), "activation": list(self.activations)}
        chosen = named(plan, self.id, axes, {"activation": self.quick["activations"]})
        return [(network, activation) for network in chosen["network"] for activation in chosen["activation"]]

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
            {"rank": ranks[-1], "components": components(A).count},
            {"rank": np.array(ranks, dtype=np.float32)},
        )

    def _row(self, network: str, activation: str, runs: Sequence[Run], plan: Plan) -> Row:
        ranks = np.stack([run.curves["rank"] for run in runs]).astype(np.int64)  # [runs, depth]
        low, high = ranks.min(axis=0).tolist(), ranks.max(axis=0).tolist()
        checks = self.checks(network, activation, low, high)
        return {
            "network": network,
            "activation": activation,
            "runs": len(runs),
            "graphs_in_parts": sum(run.scores["components"] > 1 for run in runs),
            "mean": _joined(ranks.mean(axis=0).round(2).tolist()),
            "deviation": _joined(ranks.std(axis=0).round(2).tolist()),
            "low": _joined(low),
            "high": _joined(high),
            "known": len(checks),
            "within": None if plan.quick else sum(holds for *_, holds in checks),
            "quick": plan.quick,
            **origin(runs),
        }


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


def parse_study(text: str) -> RankStudy:
    """The study of a TOML text, checked: every name in it exists, and there is a known rank for every layer named."""
    entries = (
        "seeds",
        "margin",
        "layers",
        "graph",
        "network",
        "networks",
        "activations",
        "known",
        "curves",
        "quick",
    )
    content = parse_content(text, "rank", entries)
    with at("rank, graph"):
        check_keys(content["graph"], (), needed=("nodes", "p", "features"))
    with at("rank, network"):
        check_keys(content["network"], (), needed=("depth", "width", "blocks", "filter"))
        check_name("matrix", content["network"]["filter"], MATRICES.names)
    with at("rank, networks"):
        for network in content["networks"]:
            check_name("architecture", network, get_args(Architecture))
    with at("rank, activations"):
        for activation in content["activations"]:
            check_name("activation", activation, ACTIVATIONS.names)
    with at("rank, quick"):
        check_keys(content["quick"], (), needed=("seeds", "depth", "activations"))
        for activation in content["quick"]["activations"]:
            check_name("activation", activation, content["activations"])
    for network in content["networks"]:
        with at(f"rank, curves, {network}"):
            check_keys(content["curves"].get(network), (), needed=("full", "gone", "tanh"))
    for network, by_activation in content["known"].items():
        with at(f"rank, known, {network}"):
            check_name("network", network, content["networks"])
            for activation, ranks in by_activation.items():
                check_name("activation", activation, content["activations"])
                if len(ranks) != len(content["layers"]):
                    raise InputError(
                        f"{activation} has {len(ranks)} ranks for {len(content['layers'])} layers.",
                        "Give one for every layer.",
                    )
    return RankStudy(**{**content, "layers": tuple(content["layers"])})


def _joined(values: Sequence[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


STUDY = parse_study(read_text("rank"))
"""The study of the report's figure."""
