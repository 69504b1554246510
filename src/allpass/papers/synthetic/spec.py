"""The file of the synthetic graphs: levels of homophily, networks and their settings, and what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from allpass.papers.tables.protocol import Protocol


@dataclass(frozen=True)
class Place:
    """Graphs that differ in their random numbers alone.

    Args:
        series: The list of levels it belongs to; empty for networks that see no graph.
        level: The edge homophily that is asked for.
        intra_degree: Neighbours of each node in its own class.
    """

    series: str = ""
    level: float = 0.5
    intra_degree: int = 2


@dataclass(frozen=True)
class Network:
    """A model of the study.

    Args:
        name: Its name in tables.
        model: A name of ``allpass.models.MODELS``.
        settings: What is tried; each level takes the best on validation nodes.
        graph: Whether it sees the graph at all.
        printed: The name of the published network that it is compared with.
    """

    name: str
    model: str
    settings: tuple[Mapping[str, Any], ...]
    graph: bool
    printed: str


@dataclass(frozen=True)
class SyntheticSpec:
    """What is drawn, trained and measured.

    Args:
        graphs: Graphs of each level.
        bases: Datasets that lend their features.
        tolerance: Points within which a mean counts as reproduced.
        metrics: What is measured of every graph, names of ``METRICS``.
        published: Means and deviations by base and printed network, in the order of the first list of levels.
    """

    classes: int
    nodes_per_class: int
    graphs: int
    bases: Sequence[str]
    tolerance: float
    metrics: Sequence[str]
    protocol: Protocol
    models: Mapping[str, Network]
    series: Mapping[str, tuple[Place, ...]]
    published: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]
    quick: Mapping[str, Any]


def parse_synthetic(content: Mapping[str, Any]) -> SyntheticSpec:
    """The spec of the entries of a file.

    Args:
        content: The entries.
    """
    series = {
        name: tuple(
            Place(name, level, part["intra_degree"]) for part in given["parts"] for level in part["levels"]
        )
        for name, given in content["series"].items()
    }
    models = {name: _network(name, given) for name, given in content["models"].items()}
    protocol = Protocol().changed(content["protocol"])
    return SyntheticSpec(**{**content, "series": series, "models": models, "protocol": protocol})


def _network(name: str, given: Mapping[str, Any]) -> Network:
    space = given.get("space", {})
    tried = tuple(
        {**given["settings"], **dict(zip(space, values, strict=True))} for values in product(*space.values())
    )
    return Network(name, given["model"], tried, given.get("graph", True), given.get("printed", name))
