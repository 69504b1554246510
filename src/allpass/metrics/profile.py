"""All metrics of a graph at once, sharing their work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from allpass.data.load import load
from allpass.data.many_classes import check_classes
from allpass.display import brief, listed, table
from allpass.errors import UnknownNameError
from allpass.metrics.base import Metric, Need
from allpass.metrics.catalog import METRICS
from allpass.metrics.labelled import LabelledGraph


@dataclass(frozen=True)
class Row:
    """One metric's value and what it cost.

    Args:
        metric: The metric.
        value: Its value; NaN when it is undefined.
        reason: Why it is undefined.
        seconds: Time it took, shared work counted where it was first done.
        memory: Bytes by which the process's peak memory rose; 0 on Windows, which does not tell.
    """

    metric: Metric
    value: float
    reason: str
    seconds: float
    memory: int


@dataclass(frozen=True)
class Profile:
    """The metrics of one graph, in registry order, with the notes on how it was read."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        wanted = METRICS[name].name
        for row in self.rows:
            if row.metric.name == wanted:
                return row.value
        raise UnknownNameError(
            f"The profile has no {wanted!r}.", "It was not asked for, or the data lacks what it needs."
        )

    def __repr__(self) -> str:
        values = (f"{row.metric.name} {row.value:.3f}" for row in self.rows)
        return brief(f"Profile with {len(self.rows)} metrics", listed(values))

    def _repr_html_(self) -> str:
        rows = (
            (row.metric.name, row.metric.symbol, f"{row.value:.4f}", row.reason or row.metric.meaning)
            for row in self.rows
        )
        return table(("metric", "symbol", "value", "meaning"), rows)

    def to_dict(self) -> dict[str, float]:
        """Values by name."""
        return {row.metric.name: row.value for row in self.rows}


def profile(
    target: Any = None,
    metrics: Sequence[str] | None = None,
    *,
    on_progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Profile:
    """Compute every metric that applies to a graph.

    Args:
        target: Anything :func:`allpass.load` takes; its edges are symmetrised. Or a prepared :class:`LabelledGraph`,
            taken as it is. ``edges=`` and ``nodes=`` or ``edge_index=`` stand in its place.
        metrics: Names to compute; by default all that the data has the needs of.
        on_progress: Called with each metric's name before it is computed.
        **options: Passed to :func:`allpass.load`.

    Example:
        >>> profile("example-bipartite", ["edge_homophily", "aggregation_homophily"]).to_dict()
        {'edge_homophily': 0.0, 'aggregation_homophily': 1.0}
    """
    graph = target if isinstance(target, LabelledGraph) else prepare(load(target, **options))
    chosen = [METRICS[name] for name in metrics] if metrics is not None else list(METRICS)
    available = _available(graph)
    rows = []
    for metric in chosen:
        if not metric.needs <= available and metrics is None:
            continue
        if on_progress is not None:
            on_progress(metric.name)
        before, start = _peak_memory(), time.perf_counter()
        measured = metric.measure(graph)
        rows.append(
            Row(metric, measured.value, measured.reason, time.perf_counter() - start, _peak_memory() - before)
        )
    return Profile(tuple(rows), _notes(graph))


def prepare(data: Any) -> LabelledGraph:
    """A PyG ``Data`` as the undirected labelled graph that metrics measure."""
    x, y = getattr(data, "x", None), getattr(data, "y", None)
    numeric = y is not None and y.is_floating_point()
    if y is not None and not numeric:
        check_classes(y)
    single = y is not None and numeric and (y.dim() == 1 or y.shape[1] == 1)
    rows = y if y is not None else x  # PyG would guess from the edges, and miss isolated nodes at the end
    graph = LabelledGraph.build(
        data.edge_index,
        None if numeric else y,
        x,
        data.num_nodes if rows is None else rows.shape[0],
        numbers=y if single else None,
        edge_weight=getattr(data, "edge_weight", None),
        num_classes=_named_classes(data) if y is not None and not numeric else None,
    )
    if numeric:
        graph.reading += (
            "The labels are numbers: autocorrelation over edges takes the place of homophily."
            if single
            else "The labels are several numbers for each node: no metric of labels is computed.",
        )
    return graph


def _named_classes(data: Any) -> int | None:
    """How many classes the data names, if it names those of its labels."""
    names = getattr(data, "class_names", None)
    return len(names) if names and data.y.numel() and int(data.y.max()) < len(names) else None


def _available(graph: LabelledGraph) -> set[Need]:
    have: set[Need] = set()
    if graph.y is not None and bool(graph.known.any()):
        have.add("labels")
    if graph.x is not None and graph.x.shape[1] > 0:
        have.add("features")
    if graph.numbers is not None and bool((~graph.numbers.isnan()).any()):
        have.add("numbers")
    return have


def _notes(graph: LabelledGraph) -> tuple[str, ...]:
    notes = list(graph.reading)
    loops = int((graph.adjacency.diagonal > 0).sum())
    if loops:
        notes.append(f"{loops} self-loops are left out of edge counts and kept in the averaging matrix.")
    unknown = 0 if graph.y is None else int((~graph.known).sum())
    if graph.numbers is not None:
        unknown = int(graph.numbers.isnan().sum())
    if unknown:
        notes.append(f"{unknown} nodes without a label are left out of every count.")
    return tuple(notes)


def _peak_memory() -> int:
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
