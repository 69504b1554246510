"""The graphs of the synthetic study: how they are drawn, measured and trained on, and what their runs are called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch_geometric.data import Data

from allpass.data import regular_graph, splits
from allpass.metrics import METRICS, LabelledGraph, profile
from allpass.metrics.features import row_normalized
from allpass.papers.at_hand import content_hash, graph_of
from allpass.papers.measuring import Measured, key_of
from allpass.papers.synthetic.spec import SyntheticSpec
from allpass.train.fit import job_of
from allpass.train.job import Job
from allpass.train.runs.identity import identity
from allpass.train.runs.run import Key

METHOD = 1
"""Goes up when the same key would give other numbers."""


@dataclass(frozen=True, eq=False)
class Graphs:
    """Everything about the graphs that a task names by level, degree, dataset of features and number.

    Args:
        spec: What is drawn, trained and measured.
    """

    spec: SyntheticSpec

    def keys(self, about: Mapping[str, Any]) -> tuple[Key, ...]:
        """What identifies the runs of a task, graph by graph; no graph is drawn for that.

        Args:
            about: The task.
        """
        return _keys(self, json.dumps(about, sort_keys=True))

    def measured(self, about: Mapping[str, Any], number: int) -> Measured:
        """A metric of one graph, seen by its rows as networks see it.

        Args:
            about: The task.
            number: Which of its graphs.
        """
        data = self._graph(about, number)
        divided = data.x is not None and self.spec.protocol.scaling == "rows"
        x = row_normalized(data.x) if divided else data.x
        graph = LabelledGraph.build(data.edge_index, data.y, x, directed=True, neighbours="in")
        return Measured(profile(graph, [about["what"]]).to_dict())

    def job(self, about: Mapping[str, Any], number: int, device: str) -> Job:
        """The trainings on one graph.

        Args:
            about: The task.
            number: Which of its graphs.
            device: Where to train.
        """
        return self._job(about["what"], number, about["epochs"], self._graph(about, number), device)

    def key_of_metric(self, about: Mapping[str, Any], number: int) -> Key:
        """What identifies a metric of one graph, whatever else is measured of it; arguments of :meth:`measured`."""
        found = {"dataset": _name(about), "fingerprint": self._recipe(about, number)}
        return key_of(
            "synthetic", METHOD, settings={"metric": about["what"]}, seed=number, neighbours="in", **found
        )

    def keys_of_job(self, about: Mapping[str, Any], number: int) -> list[Key]:
        """What identifies the trainings on one graph; arguments of :meth:`measured`."""
        name, recipe = _name(about), self._recipe(about, number)
        outlines = _outlines(self, about["what"], number, about["epochs"])
        return [replace(key, dataset=name, fingerprint=recipe) for key in outlines]

    def _graph(self, about: Mapping[str, Any], number: int) -> Data:
        data = regular_graph(
            about["level"],
            num_classes=self.spec.classes,
            nodes_per_class=self.spec.nodes_per_class,
            intra_degree=about["intra_degree"],
            seed=number,
            features=graph_of(about["base"]) if about["base"] else None,
        )
        data.fingerprint = self._recipe(about, number)
        data.name = _name(about)
        return data

    def _recipe(self, about: Mapping[str, Any], number: int) -> str:
        """A hash of all that decides a graph, which is known before it is drawn."""
        return identity(
            {
                "generator": "regular_graph",
                "method": METHOD,
                "classes": self.spec.classes,
                "nodes_per_class": self.spec.nodes_per_class,
                "level": about["level"],
                "intra_degree": about["intra_degree"],
                "seed": number,
                "features": content_hash(about["base"]) if about["base"] else "",
            }
        )

    def _job(self, what: str, number: int, epochs: int, data: Data, device: str) -> Job:
        network, protocol = self.spec.models[what], self.spec.protocol
        if epochs:
            protocol = protocol.changed({"stop": {"max_epochs": epochs}})
        return job_of(
            network.model,
            data,
            splits(data, **{**protocol.splits, "seed": number}),
            network.settings,
            0,
            protocol.training(device),
        )


@cache
def _keys(graphs: Graphs, about: str) -> tuple[Key, ...]:
    given = json.loads(about)
    numbers = range(given["graphs"])
    if given["what"] in METRICS:
        return tuple(graphs.key_of_metric(given, number) for number in numbers)
    return tuple(key for number in numbers for key in graphs.keys_of_job(given, number))


@cache
def _outlines(graphs: Graphs, what: str, number: int, epochs: int) -> list[Key]:
    """The keys of graph ``number`` at any level: labels decide its split, and all else but the graph is the same."""
    y = torch.arange(graphs.spec.classes).repeat_interleave(graphs.spec.nodes_per_class)
    data = Data(x=torch.ones(len(y), 1), edge_index=torch.empty(2, 0, dtype=torch.long), y=y)
    job = graphs._job(what, number, epochs, data, "cpu")
    return [job.key(place) for place in range(len(job.wanted))]


def _name(about: Mapping[str, Any]) -> str:
    features = f", features of {about['base']}" if about["base"] else ""
    return f"regular, homophily {about['level']:g}{features}"
