"""The statistics of the datasets: what was printed, the same by the convention of the print, and by the definition."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from torch_geometric.data import Data

from allpass.data import DATASETS
from allpass.errors import InputError
from allpass.metrics import METRICS, LabelledGraph, Measurement, prepare, profile
from allpass.metrics.aggregation import (
    measure_aggregation_homophily,
    measure_aggregation_similarity,
    modified,
)
from allpass.metrics.diversification import measure_diversification
from allpass.metrics.features import row_normalized
from allpass.metrics.homophily import measure_class, measure_edge, measure_node
from allpass.metrics.labelled import Loops
from allpass.papers.at_hand import content_hash, graph_of
from allpass.papers.checks import at, check_keys, check_name
from allpass.papers.content import named, parse_content, read_text
from allpass.papers.measuring import Measured, measure, stored
from allpass.papers.origin import origin
from allpass.papers.rounding import rounded
from allpass.papers.study import OfStudy, Plan, Row
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

METHOD = 1
"""Goes up when the same key would give other numbers."""

COUNTS = ("nodes", "edges", "features", "classes")
PUBLISHED = (
    "edge_homophily",
    "node_homophily",
    "class_homophily",
    "aggregation_homophily",
    "modified_aggregation_homophily",
    "aggregation_similarity",
    "feature_similarity",
    "diversification_distinguishability",
)
NEWER = (
    "adjusted_homophily",
    "label_informativeness",
    "neighbourhood_identifiability",
    "generalized_edge_homophily",
)
EDGES = ("directed", "stored", "undirected")
"""What was counted as edges: one way without self-loops, all that is stored, or both ways once without self-loops."""

DIGITS = 6
"""How many a metric has after the point, in the rows."""

TIES_FAIL = -1e-12
"""The relative tolerance by which two equal means are no longer equal."""


@dataclass(frozen=True)
class Subject:
    """A dataset of the study.

    Args:
        title: Its name in the tables.
        dataset: Its name in ``allpass.data.DATASETS``.
        published: What was printed, by metric.
        printed: How that was counted: ``directed`` and one of ``EDGES``; empty where it follows the definition.
        tolerance: How far a number may be from the printed one and still be the same.
        table: Where it was printed, if not in the source of the study.
        note: What a reader has to know.
    """

    title: str
    dataset: str
    published: Mapping[str, float] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 0.0
    table: str = ""
    note: str = ""

    def conventions(self) -> list[dict[str, Any]]:
        """The settings of each of its measurements."""
        found: list[dict[str, Any]] = [{"convention": "definition", "unlabelled": "missing"}]
        if self.printed:
            found.append({"convention": "printed", "unlabelled": "zero", **self.printed})
        return found


@dataclass(frozen=True)
class HomophilyStudy:
    """Metrics of the datasets by two conventions.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        notes: What differs from the source, and why.
        subjects: The datasets by title.
        groups: Titles by the name of a group.
        quick: The cells that prove the path.
        scaling: ``"rows"``: metrics of features are of rows divided by their sums, or ``"none"``.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    subjects: Mapping[str, Subject]
    groups: Mapping[str, Sequence[str]]
    quick: tuple[str, ...]
    scaling: str

    place: ClassVar[tuple[str, ...]] = ("title", "metric")

    def cells(self) -> Sequence[str]:
        """Datasets, and groups of them."""
        return (*self.subjects, *self.groups)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - all is known from the start
        """A task is a dataset."""
        return [Task(OfStudy(self.id), title, {"dataset": title}, gpu=0.0) for title in self._asked(plan)]

    def keys(self, task: Task) -> list[Key]:
        subject = self.subjects[task.about["dataset"]]
        return [
            Key(
                dataset=subject.dataset,
                fingerprint=content_hash(subject.dataset, settings["unlabelled"]),
                model="",
                settings=settings,
                split="",
                split_hash="",
                seed=0,
                protocol={"study": self.id, "method": METHOD},
            )
            for settings in subject.conventions()
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, partial(_measured, scaling=self.scaling))

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is a metric of a dataset."""
        found = []
        for task in self.tasks(plan, store):
            runs = stored(self.keys(task), store)
            if runs is not None:
                found += self._rows(self.subjects[task.about["dataset"]], runs)
        return found

    def _asked(self, plan: Plan) -> list[str]:
        asked = named(plan, self.id, {"cell": self.cells()}, {"cell": self.quick})["cell"]
        titles = {title for cell in asked for title in self.groups.get(cell, [cell])}
        return [title for title in self.subjects if title in titles]

    def _rows(self, subject: Subject, runs: Sequence[Run]) -> list[Row]:
        by = {run.key.settings["convention"]: run.scores for run in runs}
        made = origin(runs)
        share = round(sum(run.seconds for run in runs) / len(by["definition"]), 3)
        return [
            {
                "title": subject.title,
                "dataset": subject.dataset,
                "metric": metric,
                **_compared(
                    subject.published.get(metric),
                    rounded(by.get("printed", {}).get(metric), DIGITS),
                    rounded(defined, DIGITS),
                    subject.tolerance,
                ),
                "table": subject.table,
                "note": subject.note,
                **made,
                "seconds": share,  # all rows together have the time of the runs
            }
            for metric, defined in by["definition"].items()
        ]


def reproduced_by(
    published: float, printed: float | None, defined: float | None, tolerance: float = 0.0
) -> str:
    """Which convention gives a published number.

    Args:
        published: What was printed.
        printed: Ours by the convention of the print, if that is another one.
        defined: Ours by the definition.
        tolerance: How far ours may be.

    Returns:
        ``"both"``, ``"printed"``, ``"definition"``; ``"between"`` where it lies between the two; or ``"neither"``.

    Example:
        >>> reproduced_by(0.5669, 0.56690, 0.2960, 1e-4)
        'printed'
    """
    ours = {"printed": printed, "definition": defined}
    near = [name for name, value in ours.items() if value is not None and abs(value - published) <= tolerance]
    if near:
        return "both" if len(near) == 2 else near[0]
    if printed is None or defined is None:
        return "neither"
    low, high = sorted((printed, defined))
    return "between" if low < published < high else "neither"


def _compared(published: float | None, printed: float | None, defined: float | None, tolerance: float) -> Row:
    """The three numbers, how far ours are from the published one, and which of them gives it."""

    def less_published(ours: float | None) -> float | None:
        return None if ours is None or published is None else round(ours - published, DIGITS)

    return {
        "published": published,
        "printed": printed,
        "definition": defined,
        "printed_difference": less_published(printed),
        "definition_difference": less_published(defined),
        "by": "" if published is None else reproduced_by(published, printed, defined, tolerance),
    }


def _measured(key: Key, scaling: str) -> Measured:
    data = copy.copy(graph_of(key.dataset, key.settings["unlabelled"]))
    if data.x is not None and scaling == "rows":
        data.x = row_normalized(data.x)
    if key.settings["convention"] == "definition":
        found = _defined(data)
    else:
        found = _printed(data, key.settings["directed"], key.settings["edges"])
    return Measured(found)


def _defined(data: Data) -> dict[str, float]:
    """Metrics by their definitions, which the library follows, as far as the data have what they need."""
    have = profile(prepare(data), [name for name in (*PUBLISHED, *NEWER) if _has_needs(data, name)])
    return {**_counts(data, "undirected"), **have.to_dict()}


def _printed(data: Data, directed: bool, edges: str) -> dict[str, float]:
    """The published metrics by the conventions that gave the printed numbers."""
    counted = LabelledGraph.build(data.edge_index, data.y, directed=directed)
    averaged = LabelledGraph.build(data.edge_index, data.y, data.x)
    loops: Loops = "add" if directed else "drop"
    aggregates = measure_aggregation_homophily(averaged, rtol=TIES_FAIL)
    similarity = partial(measure_aggregation_similarity, averaged, zero_over_zero="fail")
    ways: dict[str, Callable[[], Measurement]] = {
        "edge_homophily": lambda: measure_edge(counted, loops),
        "node_homophily": lambda: measure_node(counted),
        "class_homophily": lambda: measure_class(counted, empty_class="zero"),
        "aggregation_homophily": lambda: aggregates,
        "modified_aggregation_homophily": lambda: modified(aggregates),
        "aggregation_similarity": similarity,
        "feature_similarity": lambda: similarity("I"),
        "diversification_distinguishability": lambda: measure_diversification(averaged),
    }
    return {**_counts(data, edges), **{name: ways[name]().value for name in PUBLISHED}}


def _counts(data: Data, edges: str) -> dict[str, float]:
    source, target = data.edge_index
    if edges == "undirected":
        both_ways = LabelledGraph.build(data.edge_index, None, num_nodes=data.num_nodes).adjacency
        number = (both_ways.values.count_nonzero() - both_ways.diagonal.count_nonzero()) / 2
    else:
        number = (source != target).sum() if edges == "directed" else source.numel()
    return {
        "nodes": float(data.num_nodes or 0),
        "edges": float(number),
        "features": float(data.num_node_features),
        "classes": float(data.y.max() + 1),
    }


def _has_needs(data: Data, name: str) -> bool:
    return "features" not in METRICS[name].needs or data.x is not None


def read_homophily(text: str) -> HomophilyStudy:
    """The study in a TOML text, checked.

    Args:
        text: The file.
    """
    content = parse_content(text, "homophily", ("datasets", "groups", "quick", "tolerance", "scaling"))
    tolerance = content.pop("tolerance")
    subjects = {}
    for title, given in content.pop("datasets").items():
        with at(f"homophily, dataset {title}"):
            subjects[title] = _subject(title, given, tolerance)
    with at("homophily"):
        check_name("scaling", content["scaling"], ("none", "rows"))
        for name, titles in content["groups"].items():
            for title in titles:
                check_name(f"dataset of the group {name!r},", title, subjects)
        for cell in content["quick"]:
            check_name("cell", cell, (*subjects, *content["groups"]))
    content["quick"] = tuple(content["quick"])
    return HomophilyStudy(subjects=subjects, **content)


def _subject(title: str, given: Mapping[str, Any], tolerance: float) -> Subject:
    check_keys(given, ("published", "printed", "tolerance", "table", "note"), needed=("dataset",))
    check_name("dataset", given["dataset"], DATASETS.names)
    for metric, value in given.get("published", {}).items():
        check_name("metric", metric, (*COUNTS, *PUBLISHED, *NEWER))
        if type(value) not in (int, float):
            raise InputError(f"{metric} is {value!r}.", "Expected the printed number.")
    if "printed" in given:
        check_keys(given["printed"], (), needed=("directed", "edges"))
        check_name("way to count edges", given["printed"]["edges"], EDGES)
    return Subject(title, **{"tolerance": tolerance, **given})


STUDY = read_homophily(read_text("homophily"))
