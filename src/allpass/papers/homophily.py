"""The statistics of the datasets: as printed, by the convention of the print, and by the definition."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from torch_geometric.data import Data

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
from allpass.papers.dots import dots
from allpass.papers.measuring import Measured, finished, key_of, measure
from allpass.papers.result import Result, made, rounded
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

METHOD = 1
"""Raise it when the same key would give other numbers."""

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
OF_FEATURES = ("aggregation_similarity", "feature_similarity", "diversification_distinguishability")
"""Published metrics of features, which the authors divide by their row sums."""

GIVEN = "_as_given"
"""Ends the name of a row with such a metric by its definition: of the features as they are."""

DIGITS = 6
"""Decimals of a metric in the rows."""

TIES_FAIL = -1e-12
"""The relative tolerance by which two equal means are not equal."""


@dataclass(frozen=True)
class Subject:
    """A dataset of the study.

    Args:
        dataset: Its name in ``allpass.data.DATASETS``.
        published: What was printed, by metric.
        printed: How that was counted: whether along directed edges, and which ``edges`` (``"directed"``: one way
            without self-loops; ``"stored"``: all; ``"undirected"``: both ways once); empty where by the definition.
        tolerance: How far a number may be from the printed one and still be the same; None for the study's own.
        table: Where it was printed, if not in the source of the study.
        note: A defect of the data.
    """

    dataset: str
    published: Mapping[str, float] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float | None = None
    table: str = ""
    note: str = ""

    def conventions(self) -> list[dict[str, Any]]:
        """The settings of each of its measurements."""
        found: list[dict[str, Any]] = [{"convention": "definition", "unlabelled": "missing"}]
        if self.printed:
            found.append({"convention": "printed", "unlabelled": "zero", **self.printed})
        return [*found, {"convention": "as given", "unlabelled": "missing"}]


@dataclass(frozen=True, kw_only=True)
class Statistic(Result):
    """One metric or size of a dataset: as published, ours by the convention of the print, and by the definition.

    Args:
        by: Which of them gives the published number, see :func:`reproduced_by`.
        table: Where it was printed, if not in the source of the study.
        note: A defect of the data.
    """

    place: ClassVar[tuple[str, ...]] = ("title", "metric")

    title: str
    dataset: str
    metric: str
    published: float | None
    printed: float | None
    definition: float | None
    printed_difference: float | None
    definition_difference: float | None
    by: str
    table: str
    note: str


class HomophilyStudy:
    """Metrics of the datasets by two conventions.

    Args:
        words: What is said of it.
        content: The entries of its file.
    """

    id = "homophily"
    result = Statistic

    def __init__(self, words: Words, content: Mapping[str, Any]) -> None:
        self.words = words
        self.subjects = {title: Subject(**given) for title, given in content["datasets"].items()}
        self.groups: Mapping[str, Sequence[str]] = content["groups"]
        self.quick: Sequence[str] = content["quick"]
        self.scaling: str = content["scaling"]
        self.tolerance: float = content["tolerance"]

    def axes(self) -> dict[str, Sequence[str]]:
        """Datasets, and groups of them."""
        return {"datasets": [*self.subjects, *self.groups]}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Statistic] = ()) -> list[Task]:  # noqa: ARG002
        """A task is a dataset."""
        chosen = plan.choose(self.id, self.axes(), {"datasets": self.quick})["datasets"]
        titles = {title for name in chosen for title in self.groups.get(name, [name])}
        titles -= {result.title for result in known}
        return [
            Task(OfStudy(self.id), title, {"dataset": title}, gpu=0.0)
            for title in self.subjects
            if title in titles
        ]

    def keys(self, task: Task) -> list[Key]:
        subject = self.subjects[task.about["dataset"]]
        return [
            key_of(
                self.id,
                METHOD,
                dataset=subject.dataset,
                fingerprint=content_hash(subject.dataset, settings["unlabelled"]),
                settings=settings,
            )
            for settings in subject.conventions()
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, partial(_measured, scaling=self.scaling))

    def results(self, plan: Plan, store: Store) -> list[Statistic]:
        done = finished(self, plan, store)
        return [row for about, runs in done for row in self._results(about["dataset"], runs)]

    def _results(self, title: str, runs: Sequence[Run]) -> list[Statistic]:
        subject = self.subjects[title]
        by = {run.key.settings["convention"]: run.scores for run in runs}
        how = made(runs)
        how["seconds"] = round(
            sum(run.seconds for run in runs) / len(by["definition"]), 3
        )  # shared by all rows
        found = []
        for metric, value in {**by["definition"], **by["as given"]}.items():
            published, defined = subject.published.get(metric), rounded(value, DIGITS)
            printed = rounded(by.get("printed", {}).get(metric), DIGITS)
            found.append(
                Statistic(
                    title=title,
                    dataset=subject.dataset,
                    metric=metric,
                    published=published,
                    printed=printed,
                    definition=defined,
                    printed_difference=_minus(printed, published),
                    definition_difference=_minus(defined, published),
                    by=self._by(title, published, printed, defined),
                    table=subject.table,
                    note=subject.note,
                    **how,
                )
            )
        return found

    def _by(self, title: str, published: float | None, printed: float | None, defined: float | None) -> str:
        """Which convention gives a number of a dataset; empty where none was published."""
        own = self.subjects[title].tolerance
        tolerance = self.tolerance if own is None else own
        return "" if published is None else reproduced_by(published, printed, defined, tolerance)

    def judged(self, results: Sequence[Statistic]) -> list[Statistic]:
        """The published metrics; those of features by their definition, and of divided rows as the authors count.

        Args:
            results: Rows, in which a metric of features as they are has a row of its own.
        """
        given = {(one.title, one.metric): one.definition for one in results if one.metric.endswith(GIVEN)}
        found = []
        for one in results:
            defined = given.get((one.title, one.metric + GIVEN))
            if one.metric in PUBLISHED and defined is not None:
                one = replace(
                    one,
                    definition=defined,
                    definition_difference=_minus(defined, one.published),
                    by=self._by(one.title, one.published, one.printed, defined),
                )
            found.append(one)
        return [one for one in found if one.metric in PUBLISHED]

    def facts(self, results: Sequence[Statistic]) -> dict[str, object]:
        printed = [one for one in self.judged(results) if one.by and one.printed is not None]
        words = ("both", "printed", "definition", "between")
        of = {word: sum(one.by == word for one in printed) for word in words}
        apart = max(printed, key=lambda one: abs(one.definition_difference or 0.0))
        divided = [one for one in printed if one.metric in OF_FEATURES and one.by == "printed"]
        return {
            **of,
            "values": len(printed),
            "given": of["both"] + of["printed"] + of["definition"],
            "divided": f"{len(divided)} of {sum(one.metric in OF_FEATURES for one in printed)}",
            "examples": ", ".join(
                f"{_symbol(one.metric)} of {one.title} is {one.definition:.3f}, not {one.published:.3f}"
                for one in divided
                if (one.title, one.metric) == ("Cora", "diversification_distinguishability")
            ),
            "apart": f"{_symbol(apart.metric)} of {apart.title} is {apart.definition:.2f}, not {apart.published:.2f}",
        }

    def matrix(self, results: Sequence[Statistic]) -> DataFrame:
        """By the definition, and in brackets as published."""
        from pandas import DataFrame, Index

        titles = dict.fromkeys(one.title for one in results)
        cells = {(one.title, one.metric): _text(one) for one in self.judged(results)}
        return DataFrame(
            {_symbol(metric): [cells.get((title, metric), "–") for title in titles] for metric in PUBLISHED},
            index=Index(list(titles), name="dataset"),
        )

    def picture(self, results: Sequence[Statistic]) -> Figure:
        """By how far each convention misses the published numbers."""
        rows = self.judged(results)
        lines = {_symbol(metric): [one for one in rows if one.metric == metric] for metric in PUBLISHED}
        ways = {"definition": "definition_difference", "authors' counting": "printed_difference"}
        return dots(lines, ways, "ours minus the published number", 0)


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


def _measured(key: Key, scaling: str) -> Measured:
    data = copy.copy(graph_of(key.dataset, key.settings["unlabelled"]))
    if key.settings["convention"] == "as given":
        return Measured(_as_given(data))
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


def _as_given(data: Data) -> dict[str, float]:
    """Metrics of features by their definitions, of the features as they are."""
    have = profile(prepare(data), [name for name in OF_FEATURES if _has_needs(data, name)])
    return {f"{name}{GIVEN}": value for name, value in have.to_dict().items()}


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


def _minus(ours: float | None, published: float | None) -> float | None:
    return None if ours is None or published is None else round(ours - published, DIGITS)


def _symbol(metric: str) -> str:
    return METRICS[metric].symbol


def _text(one: Statistic) -> str:
    ours = "–" if one.definition is None else f"{one.definition:.3f}"
    mark = {"printed": " †", "between": " ‡", "neither": " ‡"}.get(one.by, "")
    return ours if one.published is None else f"{ours} ({one.published:.3f}{mark})"


STUDY = HomophilyStudy(*read_spec("homophily"))
"""The study of the datasets' statistics."""
