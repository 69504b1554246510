"""``python -m benchmarks.verdict``: how much does following ``allpass diagnose`` cost, graph by graph?

For every graph of ``benchmarks.verdict_graphs`` the diagnosis recommends a model within 60 seconds on two threads. The
truth is ten models at their default settings, without a budget, on 20 stratified splits that the diagnosis has not
seen; the recommended model is trained on them too, at the recommended settings. The regret is the test score of the
best of the ten less that of the recommended one, with an interval of the paired differences that allows for the nodes
that splits share.

Rows are kept in a CSV file after every step; a second call with the same file goes on from there. Scores of other
splits, as after a change of a graph, are measured again.

``--again --shards 8 --models`` on a quiet machine of 16 cores asks for all recommendations again, eight graphs at a
time with two cores each, and measures no model but those recommended. Graphs are read from the folder in
``ALLPASS_DATA``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from allpass import diagnose
from allpass.data import Split
from allpass.errors import AllpassError
from allpass.models.catalog import resolve
from allpass.train import stopping
from allpass.train.compare import compare
from allpass.train.given import divide
from allpass.train.statistics import overlap_of
from benchmarks.timing import RESULTS
from benchmarks.verdict_graphs import GRAPHS
from benchmarks.verdict_rows import Row, read, table, write
from benchmarks.verdict_shards import cores, in_shards

MODELS = (
    "mlp-2",
    "gcn",
    "acm-gcn",
    "sage",
    "gprgnn",
    "fagcn",
    "linkx",
    "label-propagation",
    "trees",
    "correct-and-smooth",
)
"""The models that the recommended one has to compete with."""

BUDGET, THREADS = 60.0, 2
"""Seconds and CPU threads that the diagnosis has for training."""

SPLITS, SEED = 20, 1000
"""How many fresh splits there are, and where their random numbers start."""

STOP = stopping("gprgnn", max_epochs=1000)
"""When a training ends, as in ``allpass compare``."""

RARE = 0.8
"""The share of the largest class above which two classes are judged by ROC AUC."""


@dataclass(frozen=True)
class Unit:
    """What one process does at a time: one model on some splits of a graph.

    Args:
        graph: The graph.
        model: The model.
        settings: Settings that differ from the defaults, as JSON.
        score: What is measured.
        splits: The numbers of the splits.
        device: Where to train.
    """

    graph: str
    model: str
    settings: str
    score: str
    splits: tuple[int, ...]
    device: str


@lru_cache(maxsize=2)
def loaded(name: str) -> tuple[Data, list[Split]]:
    """A graph with its fresh splits."""
    data = GRAPHS[name]()
    return data, divide(data, "stratified", count=SPLITS, seed=SEED)


def score_of(data: Data) -> str:
    """What models are judged by: R² for numbers, ROC AUC where one of two classes is rare, accuracy otherwise."""
    if data.y.is_floating_point():
        return "r2"
    counts = data.y[data.y >= 0].bincount()
    return "roc_auc" if len(counts) == 2 and int(counts.max()) > RARE * int(counts.sum()) else "accuracy"


def with_features(data: Data) -> Data:
    """The graph itself, or with a unit vector for each node where nodes have no features."""
    if data.x is not None:
        return data
    N = data.num_nodes
    place = torch.arange(N + 1)
    given = data.clone()
    given.x = torch.sparse_csr_tensor(place, place[:-1], torch.ones(N), (N, N))
    given.fingerprint = None
    return given


def measure(unit: Unit) -> tuple[list[float], float]:
    """The test score on every split of the unit, and the seconds it took."""
    data, folds = loaded(unit.graph)
    start = time.perf_counter()
    found = compare(
        [unit.model],
        with_features(data),
        [folds[number] for number in unit.splits],
        {unit.model: _settings(unit.settings)},
        stop=STOP,
        score=unit.score,
        scaling="auto",
        device=unit.device,
        workers=1,  # its units are measured by several processes
    )
    return list(found[unit.model].scores), time.perf_counter() - start


def recommend(name: str) -> Row:
    """What the diagnosis of a graph recommends, as a row without scores."""
    data, _ = loaded(name)
    torch.set_num_threads(THREADS)
    start = time.perf_counter()
    report = diagnose(data, budget=BUDGET)
    seconds = time.perf_counter() - start
    if report.verdict is None:
        raise AllpassError(
            f"{name}: {report.no_verdict}", "Every graph of this benchmark should get a verdict."
        )
    score = report.verdict.comparison.score
    if score != score_of(data):
        raise AllpassError(
            f"{name}: the verdict is in {score}, the benchmark in {score_of(data)}.",
            "Score both alike: see score_of.",
        )
    model = report.recommendation.models[0]
    return replace(
        _empty(name, model, _different(model, {**_defaults(model), **report.verdict.advised})),
        recommended=True,
        verdict_seconds=seconds,
        verdict=report.recommendation.summary,
    )


def _different(model: str, settings: Any) -> str:
    """The settings that are not the defaults of a model, as JSON; empty for none."""
    default = _defaults(model)
    changed = {key: value for key, value in settings.items() if key not in default or default[key] != value}
    return json.dumps(changed, sort_keys=True) if changed else ""


def _defaults(model: str) -> dict[str, Any]:
    entry, numbered = resolve(model)
    return {**entry.training, **entry.settings, **numbered}


def _settings(written: str) -> dict[str, Any]:
    """Settings that :func:`_different` wrote; JSON has lists in place of tuples."""
    found = json.loads(written or "{}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def _empty(name: str, model: str, settings: str = "") -> Row:
    """A row without scores."""
    data, folds = loaded(name)
    content = "".join([data.fingerprint, *(fold.fingerprint for fold in folds)])
    return Row(
        name,
        model,
        settings,
        score_of(data),
        scores=[None] * len(folds),
        test_nodes=int(folds[0].test.sum()),
        overlap=overlap_of(folds),
        splits=hashlib.sha256(content.encode()).hexdigest()[:12],
    )


class Results:
    """The rows of a file, written again after every change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = {(row.graph, row.model, row.settings): row for row in read(path)}

    def of(self, graph: str) -> list[Row]:
        """The rows of a graph."""
        return [row for row in self.rows.values() if row.graph == graph]

    def wanted(self, row: Row) -> Row:
        """The row that is kept for this graph, model and settings; it keeps its scores if they are of these splits."""
        key = row.graph, row.model, row.settings
        kept = self.rows.get(key)
        if kept is None or (kept.splits, kept.score) != (row.splits, row.score):
            self.rows[key] = row
        elif row.recommended:
            verdict = {name: getattr(row, name) for name in ("recommended", "verdict_seconds", "verdict")}
            self.rows[key] = replace(kept, **verdict)
        return self.rows[key]

    def forget(self, graphs: Sequence[str]) -> None:
        """Drop the recommendations, not the scores."""
        for key, row in self.rows.items():
            if row.graph in graphs:
                self.rows[key] = replace(row, recommended=False, verdict_seconds=float("nan"), verdict="")

    def take(self, graph: str, path: Path) -> None:
        """Put the rows that another file has of a graph in place of those here."""
        taken = {(row.graph, row.model, row.settings): row for row in read(path) if row.graph == graph}
        if taken:
            self.rows = {key: row for key, row in self.rows.items() if row.graph != graph} | taken
            self.save()

    def add(self, unit: Unit, scores: Sequence[float], seconds: float) -> None:
        """Keep what a unit has measured."""
        row = self.rows[unit.graph, unit.model, unit.settings]
        for number, score in zip(unit.splits, scores, strict=True):
            row.scores[number] = score
        row.seconds += seconds
        self.save()

    def save(self) -> None:
        """Write the file."""
        write(self.path, self.rows.values())


def ask(results: Results, graphs: Sequence[str], deadline: float) -> None:
    """Diagnose every graph that has no recommendation yet, one after the other."""
    for name in graphs:
        if any(row.recommended for row in results.of(name)):
            continue
        if time.monotonic() > deadline:
            return
        row = recommend(name)
        results.wanted(row)
        results.save()
        print(
            f"{name}: {row.model} {row.settings} after {row.verdict_seconds:.0f} s. {row.verdict}", flush=True
        )


def units(results: Results, graphs: Sequence[str], models: Sequence[str], device: str) -> Iterator[Unit]:
    """Everything that is not measured yet: one split at a time on a CPU, all of them together on a GPU."""
    for name in graphs:
        named = [_empty(name, model) for model in models]
        chosen = [row for row in results.of(name) if row.recommended]
        for row in map(results.wanted, [*chosen, *named]):
            parts = [row.missing] if device != "cpu" else [[number] for number in row.missing]
            for part in parts:
                if part:
                    yield Unit(name, row.model, row.settings, row.score, tuple(part), device)


def work(results: Results, waiting: Iterator[Unit], processes: int, threads: int, deadline: float) -> None:
    """Measure units in several processes until there are none, or no time, left."""
    refused: set[tuple[str, str]] = set()
    running: dict[Future[tuple[list[float], float]], Unit] = {}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawn, torch.set_num_threads, (threads,)) as pool:
        while True:
            while len(running) < processes and time.monotonic() < deadline:
                unit = next((one for one in waiting if (one.graph, one.model) not in refused), None)
                if unit is None:
                    break
                running[pool.submit(measure, unit)] = unit
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                unit = running.pop(future)
                try:
                    results.add(unit, *future.result())
                except AllpassError as error:
                    if (unit.graph, unit.model) not in refused:
                        print(f"{unit.model} on {unit.graph} is left out: {error}", flush=True)
                    refused.add((unit.graph, unit.model))


def _options(given: argparse.Namespace) -> list[str]:
    """The options of the process of a shard."""
    numbers = ("processes", "threads", "minutes", "device")
    return [
        *(f"--{name}" for name in ("again", "truth") if getattr(given, name)),
        *(part for name in numbers for part in (f"--{name}", str(getattr(given, name)))),
        "--models",
        *given.models,
    ]


def main() -> None:
    """Ask for recommendations, measure, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdict", description=__doc__)
    parser.add_argument("--graphs", nargs="*", choices=list(GRAPHS), default=list(GRAPHS), metavar="GRAPH")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=MODELS, metavar="MODEL")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after so long")
    parser.add_argument("--processes", type=int, default=1, help="how many models to train at the same time")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each process")
    parser.add_argument("--device", default="cpu", help="where the truth is measured")
    parser.add_argument("--truth", action="store_true", help="measure the models, ask for no recommendation")
    parser.add_argument(
        "--again", action="store_true", help="ask for every recommendation again; scores stay"
    )
    parser.add_argument(
        "--shards", type=int, default=1, help="how many graphs at a time, on cores of their own"
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "verdict.csv", help="where results are kept")
    arguments = parser.parse_args()
    deadline = time.monotonic() + 60 * arguments.minutes
    results = Results(arguments.out)
    if arguments.shards > 1:
        places = cores(arguments.shards, THREADS)
        in_shards(arguments.graphs, _options(arguments), arguments.out, places, results.take)
        print(table(list(results.rows.values()), MODELS))
        return
    if arguments.again:
        results.forget(arguments.graphs)
    if not arguments.truth:
        ask(results, arguments.graphs, deadline)
    waiting = units(results, arguments.graphs, arguments.models, arguments.device)
    work(results, waiting, arguments.processes, arguments.threads, deadline)
    print(table(list(results.rows.values()), MODELS))


if __name__ == "__main__":
    main()
