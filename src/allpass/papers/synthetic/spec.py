"""The file of the synthetic graphs: levels of homophily, networks and their settings, and what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from allpass.data import DATASETS
from allpass.errors import InputError
from allpass.metrics import METRICS
from allpass.papers.checks import at, check_keys, check_name, check_numbers, check_settings_of
from allpass.papers.content import parse_content
from allpass.papers.tables.protocol import Protocol

_OWN = (
    "classes",
    "nodes_per_class",
    "graphs",
    "bases",
    "fixed_on",
    "tolerance",
    "metrics",
    "quick",
    "protocol",
    "models",
    "series",
    "published",
)


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
        settings: What is tried; each level takes the best on validation.
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
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        notes: What differs from the source, and why.
        classes: Classes of every graph.
        nodes_per_class: Nodes of each class.
        graphs: Graphs of each level.
        bases: Datasets that lend their features.
        fixed_on: The one of them whose test accuracies were seen before settings were fixed.
        tolerance: Points within which a mean counts as reproduced.
        metrics: What is measured of every graph, names of ``METRICS``.
        protocol: How networks are trained.
        models: The networks by name.
        series: The places of each list of levels.
        titles: What each list is, in words.
        published: Means and deviations by base and printed network, in the order of the first list of levels.
        quick: ``bases``, ``series``, ``levels``, ``graphs`` and ``epochs`` that prove the path.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    classes: int
    nodes_per_class: int
    graphs: int
    bases: tuple[str, ...]
    fixed_on: str
    tolerance: float
    metrics: tuple[str, ...]
    protocol: Protocol
    models: Mapping[str, Network]
    series: Mapping[str, tuple[Place, ...]]
    titles: Mapping[str, str]
    published: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]
    quick: Mapping[str, Any]


def read_synthetic(text: str) -> SyntheticSpec:
    """The spec in a TOML text, checked: every model, setting, dataset and metric in it exists.

    Args:
        text: The file.
    """
    content = parse_content(text, "synthetic", _OWN)
    with at("synthetic"):
        for base in content["bases"]:
            check_name("dataset", base, DATASETS.names)
        check_name("dataset of features", content["fixed_on"], content["bases"])
        check_numbers("tolerance", [content["tolerance"]])
        for metric in content["metrics"]:
            check_name("metric", metric, METRICS.names)
        protocol = Protocol().changed(content["protocol"])
    models, series = {}, {}
    for name, given in content["models"].items():
        with at(f"synthetic, model {name}"):
            models[name] = _network(name, given)
    for name, given in content["series"].items():
        with at(f"synthetic, series {name}"):
            series[name] = _places(name, given)
    seeing = {network.printed: network.graph for network in models.values()}
    for base, by_model in content["published"].items():
        for name, given in by_model.items():
            with at(f"synthetic, published {name} on {base}"):
                check_name("dataset of features", base, content["bases"])
                check_name("model", name, seeing)
                _check_published(given, len(next(iter(series.values()))) if seeing[name] else 1)
    with at("synthetic, quick"):
        check_keys(content["quick"], (), needed=("bases", "series", "levels", "graphs", "epochs"))
    return SyntheticSpec(
        **{
            **content,
            "bases": tuple(content["bases"]),
            "metrics": tuple(content["metrics"]),
            "protocol": protocol,
            "models": models,
            "series": series,
        },
        titles={name: given["title"] for name, given in content["series"].items()},
    )


def _network(name: str, given: Mapping[str, Any]) -> Network:
    check_keys(given, ("graph", "space", "printed"), needed=("model", "settings"))
    space = given.get("space", {})
    tried = [
        {**given["settings"], **dict(zip(space, values, strict=True))} for values in product(*space.values())
    ]
    for settings in tried:
        check_settings_of(given["model"], settings)
    return Network(name, given["model"], tuple(tried), given.get("graph", True), given.get("printed", name))


def _places(name: str, given: Mapping[str, Any]) -> tuple[Place, ...]:
    check_keys(given, (), needed=("title", "parts"))
    for part in given["parts"]:
        check_keys(part, (), needed=("intra_degree", "levels"))
    found = [Place(name, level, part["intra_degree"]) for part in given["parts"] for level in part["levels"]]
    for place in found:
        if type(place.level) is not float or not 0 < place.level <= 1:
            raise InputError(f"Got the level {place.level!r}.", "Expected a share above 0 and at most 1.")
    levels = [place.level for place in found]
    if levels != sorted(set(levels)):
        raise InputError("The levels are not in order.", "List each once, from the lowest to the highest.")
    return tuple(found)


def _check_published(given: Mapping[str, Any], size: int) -> None:
    check_keys(given, (), needed=("mean", "deviation"))
    for kind, numbers in given.items():
        if len(numbers) != size:
            raise InputError(f"{kind} has {len(numbers)} numbers.", f"Expected {size}, one for each level.")
