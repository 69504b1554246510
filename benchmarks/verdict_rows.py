"""The results of ``benchmarks.verdict``: one row of a CSV file for each graph and model, and the regret they give."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from allpass.files import write_whole
from allpass.train.statistics import Difference, estimate, paired

FAILS_ABOVE, MEDIAN_AT_MOST = 0.02, 0.005
"""A graph fails when the interval of its regret lies above the first; the second bounds the median regret."""

LARGE = 1000
"""Test nodes from which on a graph counts for the median."""

_HEADER = (
    "graph",
    "model",
    "settings",
    "recommended",
    "score",
    "mean",
    "low",
    "high",
    "scores",
    "test_nodes",
    "overlap",
    "splits",
    "seconds",
    "verdict_seconds",
    "verdict",
)


@dataclass
class Row:
    """One model on the splits of one graph.

    Args:
        graph: The graph.
        model: The model.
        settings: Settings that differ from the model's defaults, as JSON; empty for none.
        score: What is measured, a name of ``SCORES``.
        scores: The test score on each split, None where it was not trained yet.
        test_nodes: Test nodes of a split.
        overlap: By how much the splits share their nodes.
        splits: A hash of the graph and of all masks: scores of other splits do not compare.
        seconds: Training time of all splits.
        recommended: Whether the verdict recommends this model with these settings.
        verdict_seconds: Seconds that the diagnosis took, where it is the recommended one.
        verdict: The sentence of the diagnosis, likewise.
    """

    graph: str
    model: str
    settings: str
    score: str
    scores: list[float | None] = field(default_factory=list)
    test_nodes: int = 0
    overlap: float = 0.0
    splits: str = ""
    seconds: float = 0.0
    recommended: bool = False
    verdict_seconds: float = math.nan
    verdict: str = ""

    @property
    def missing(self) -> list[int]:
        """The numbers of the splits without a score."""
        return [number for number, score in enumerate(self.scores) if score is None]

    @property
    def known(self) -> list[float]:
        """The scores there are."""
        return [score for score in self.scores if score is not None]

    @property
    def complete(self) -> bool:
        """Whether every split has its score."""
        return bool(self.scores) and not self.missing

    @property
    def mean(self) -> float:
        """The mean over the splits; NaN until all are there."""
        return sum(self.known) / len(self.known) if self.complete else math.nan


@dataclass(frozen=True)
class Regret:
    """What following the recommendation costs on one graph.

    Args:
        best: The best of the models, by mean.
        recommended: The recommended one.
        difference: The best less the recommended, paired by split.
        models: How many models there are to choose the best from.
    """

    best: Row
    recommended: Row
    difference: Difference
    models: int

    @property
    def fails(self) -> bool:
        """Whether the regret is clearly too large."""
        return self.difference.low > FAILS_ABOVE


def regret(rows: Iterable[Row], models: Sequence[str]) -> Regret | None:
    """The regret of one graph; None where the recommendation or every model lacks its scores.

    Args:
        rows: The rows of the graph.
        models: The models among which the best is looked for, at their default settings.
    """
    finished = [row for row in rows if row.complete]
    choices = [row for row in finished if row.model in models and not row.settings]
    recommended = next((row for row in finished if row.recommended), None)
    if recommended is None or not choices:
        return None
    best = max(choices, key=lambda row: row.mean)
    return Regret(
        best,
        recommended,
        paired(best.known, recommended.known, overlap=best.overlap),
        len(choices),
    )


def read(path: Path) -> list[Row]:
    """The rows of a file; none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [_from_csv(fields) for fields in csv.DictReader(file)]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Replace the file by these rows, ordered by graph and model."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        _to_csv(row) for row in sorted(rows, key=lambda row: (row.graph, row.model, row.settings))
    )
    write_whole(path, text.getvalue().encode())


def _to_csv(row: Row) -> dict[str, object]:
    found = estimate(row.known, overlap=row.overlap) if row.complete else None
    return {
        **{name: getattr(row, name) for name in ("graph", "model", "settings", "score", "splits", "verdict")},
        **{name: "" if found is None else f"{getattr(found, name):.6f}" for name in ("mean", "low", "high")},
        "recommended": "yes" if row.recommended else "",
        "scores": " ".join("-" if score is None else f"{score:.6f}" for score in row.scores),
        "test_nodes": row.test_nodes,
        "overlap": f"{row.overlap:.6f}",
        "seconds": f"{row.seconds:.1f}",
        "verdict_seconds": "" if math.isnan(row.verdict_seconds) else f"{row.verdict_seconds:.1f}",
    }


def _from_csv(fields: Mapping[str, str]) -> Row:
    return Row(
        **{name: fields[name] for name in ("graph", "model", "settings", "score", "splits", "verdict")},
        scores=[None if score == "-" else float(score) for score in fields["scores"].split()],
        test_nodes=int(fields["test_nodes"]),
        overlap=float(fields["overlap"]),
        seconds=float(fields["seconds"]),
        recommended=fields["recommended"] == "yes",
        verdict_seconds=float(fields["verdict_seconds"] or "nan"),
    )


def table(rows: Sequence[Row], models: Sequence[str]) -> str:
    """The regret of every graph in points, and what the benchmark asks for."""
    graphs = dict.fromkeys(row.graph for row in rows)
    found = {name: regret([row for row in rows if row.graph == name], models) for name in graphs}
    width = max([len("graph"), *map(len, found)])
    lines = [
        f"{'graph':{width}}  {'score':9}{'best':>22}{'mean':>7}{'recommended':>24}{'mean':>7}"
        f"{'regret':>8}{'95% interval':>16}{'seconds':>9}{'models':>8}"
    ]
    for name, one in found.items():
        if one is None:
            lines.append(f"{name:{width}}  not finished")
            continue
        gap = one.difference
        interval = f"{100 * gap.low:+.1f} to {100 * gap.high:+.1f}"
        lines.append(
            f"{name:{width}}  {one.best.score:9}{one.best.model:>22}{100 * one.best.mean:7.1f}"
            f"{one.recommended.model:>24}{100 * one.recommended.mean:7.1f}{100 * gap.mean:+8.1f}{interval:>16}"
            f"{one.recommended.verdict_seconds:9.0f}{one.models:8d}{'  fails' if one.fails else ''}"
        )
    return "\n".join([*lines, judged(rows, models)])


def judged(rows: Sequence[Row], models: Sequence[str]) -> str:
    """How many graphs fail, and the median regret of those with many test nodes."""
    names = dict.fromkeys(row.graph for row in rows)
    each = [regret([row for row in rows if row.graph == name], models) for name in names]
    found, graphs = [one for one in each if one is not None], len(each)
    failed = sum(one.fails for one in found)
    text = f"{failed} of {len(found)} graphs fail (interval above {100 * FAILS_ABOVE:.0f} points)"
    if len(found) < graphs:
        text += f", {graphs - len(found)} are not finished"
    large = [one.difference.mean for one in found if one.best.test_nodes >= LARGE]
    if not large:
        return text
    word = "over" if median(large) > MEDIAN_AT_MOST else "within"
    return (
        f"{text}\nMedian regret of {len(large)} graphs with {LARGE:,} or more test nodes: "
        f"{100 * median(large):+.2f} points, {word} the limit of {100 * MEDIAN_AT_MOST:.1f}"
    )
