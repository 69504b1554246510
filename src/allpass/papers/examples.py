"""The examples of the report: small graphs whose every number can be checked by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.data import DATASETS
from allpass.errors import InputError
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

METRICS = ("H_edge", "H_node", "H_class", "H_agg", "H_agg_M", "DD", "DD_strict")
MATRICES = ("S_low", "S_high")
TOLERANCE = 5e-5
"""Known numbers have four digits."""


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

    def differences(
        self, metrics: Mapping[str, float], matrices: Mapping[str, NDArray[Any]]
    ) -> dict[str, float]:
        """How far what was measured is from what is known, by name: the largest difference of a matrix.

        Args:
            metrics: Measured metrics by name.
            matrices: Measured matrices by name.
        """
        measured = {**metrics, **matrices}
        return {
            name: float(np.abs(np.asarray(measured[name]) - np.asarray(value)).max())
            for name, value in self.known.items()
        }


@dataclass(frozen=True)
class ExamplesStudy:
    """Metrics and similarity matrices of the report's examples.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        notes: What differs from the source, and why.
        graphs: The examples by name.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    graphs: Mapping[str, Example]

    place: ClassVar[tuple[str, ...]] = ("graph",)

    def cells(self) -> Sequence[str]:
        """The graphs."""
        return tuple(self.graphs)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - all is known from the start
        """A task is a graph; a quick one is the same."""
        wanted = named(plan, self.id, {"graph": list(self.graphs)})["graph"]
        return [Task(OfStudy(self.id), self.graphs[name].title, {"graph": name}, gpu=0.0) for name in wanted]

    def keys(self, task: Task) -> list[Key]:
        data = graph_of(self.graphs[task.about["graph"]].dataset)
        return [
            Key(
                dataset=data.name,
                fingerprint=data.fingerprint,
                model="",
                split="",
                split_hash="",
                seed=0,
                protocol={"study": self.id, "method": METHOD, "filter": "A_hat_rw", "precision": "float64"},
            )
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure(task, self.keys(task), device, lambda key: measured(graph_of(key.dataset)))

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is a graph; its edges, matrices and the nodes that pass are texts."""
        found = []
        for task in self.tasks(plan, store):
            runs = stored(self.keys(task), store)
            if runs is not None:
                found.append(self._row(task.about["graph"], runs, plan))
        return found

    def _row(self, name: str, runs: Sequence[Run], plan: Plan) -> Row:
        example, run = self.graphs[name], runs[0]
        data = graph_of(example.dataset)
        metrics = {metric: run.scores[metric] for metric in METRICS}
        matrices = {kind: run.curves[kind] for kind in MATRICES}
        differences = example.differences(metrics, matrices)
        return {
            "graph": name,
            "runs": len(runs),
            "labels": " ".join(map(str, data.y.tolist())),
            "edges": " ".join(f"{u + 1}-{v + 1}" for u, v in data.edge_index.T.tolist() if u < v),
            **{metric: round(value, 6) for metric, value in metrics.items()},
            **{kind: _lines(values) for kind, values in matrices.items()},
            **{kind: _nodes(run.curves[kind]) for kind in ("aggregated", "diversified", "drawn")},
            "known": len(differences),
            "agree": sum(difference <= TOLERANCE for difference in differences.values()),
            "difference": round(max(differences.values()), 6),
            "quick": plan.quick,
            **origin(runs),
        }


def measured(data: Data) -> Measured:
    """The metrics of a graph whose features are its classes, its matrices S(Â, X) and S(I - Â, X), and its nodes.

    ``aggregated`` and ``diversified`` say which nodes fulfil the conditions of H_agg and of DD, ``drawn`` which are
    drawn to another class all the same: their mean of S(I - Â, X) over the nodes of some other class is above 0.

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
    return Measured(metrics, {name: np.asarray(values, dtype=np.float32) for name, values in curves.items()})


def parse_study(text: str) -> ExamplesStudy:
    """The study of a TOML text, checked: every graph exists, and what is known of it has the right size."""
    content = parse_content(text, "examples", ("graphs",))
    graphs = {}
    for name, given in content["graphs"].items():
        with at(f"examples, graph {name}"):
            check_keys(given, (), needed=("dataset", "title", "figure", "places", "known"))
            check_name("dataset", given["dataset"], DATASETS.names)
            check_keys(given["known"], (*METRICS, *MATRICES))
            nodes = DATASETS[given["dataset"]].counts.nodes
            sized = {"places": (nodes, 2), **dict.fromkeys(MATRICES, (nodes, nodes))}
            for part, value in {"places": given["places"], **given["known"]}.items():
                expected = sized.get(part, ())
                if np.shape(value) != expected:
                    raise InputError(
                        f"Got {_size(np.shape(value))} for {part}.", f"Expected {_size(expected)}."
                    )
        graphs[name] = Example(**given)
    return ExamplesStudy(**{**content, "graphs": graphs})


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) + " numbers" if shape else "one number"


def _lines(values: NDArray[np.float32]) -> str:
    """A matrix as text: its rows between semicolons."""
    return "; ".join(" ".join(f"{round(float(value), 4) + 0.0:.4f}" for value in row) for row in values)


def _nodes(which: NDArray[np.float32]) -> str:
    """Which nodes, counted from 1."""
    return " ".join(str(number) for number, chosen in enumerate(which, 1) if chosen)


STUDY = parse_study(read_text("examples"))
"""The study of the report's examples."""
