"""Triplet embeddings: our models next to PyKEEN's on small graphs, DihEdral next to ComplEx, and two on WordNet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import difference
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Plan, Words
from allpass.papers.triplets.peers import peers
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

GRAPHS = {"nations": "Nations", "umls": "UMLS", "kinships": "Kinships"}
SIZES = {"transe": 64, "rotate": 128, "quate": 128, "complex": 128, "dihedral": 128}
"""Numbers in a vector: 64 for TransE, 64 complex numbers, 32 quaternions, 64 blocks."""

COMPARED = ("transe", "rotate", "quate")
"""Models that PyKEEN has and that are expected to rank as well as its own."""

SLACK = 0.02
WORDNET: Mapping[str, Mapping[str, Any]] = {
    "rotate": {
        "dim": 500,
        "negatives": 512,
        "lr": 0.001,
        "margin": 6.0,
        "temperature": 0.5,
        "epochs": 600,
    },
    "dihedral": {"dim": 400, "negatives": 1024, "lr": 0.003, "K": 4, "epochs": 500},
}
"""Settings that end within 90 minutes on one thread."""

PUBLISHED = {"rotate": 0.477, "dihedral": 0.486}
"""MRR on WN18RR: Sun et al., 2019, and Xu and Li, 2019."""

TITLES = {
    "transe": "TransE",
    "rotate": "RotatE",
    "quate": "QuatE",
    "complex": "ComplEx",
    "dihedral": "DihEdral",
}
ROLES = {"transe": "muted", "rotate": "high", "quate": "good", "complex": "low", "dihedral": "both"}
MISSING = "not measured"


@dataclass(frozen=True, kw_only=True)
class Embedded(Result):
    """How well one training ranks test triplets: filtered, of both sides, with realistic ties.

    Args:
        arm: Graph and model.
        graph: The graph.
        model: The model.
        seed: Of vectors, order and corruptions.
        mrr: Mean reciprocal rank.
        hits_1: Share of ranks up to 1; the others are alike.
        epoch_seconds: The processor's time of an epoch.
        minutes: Of the whole training, where validation ends it.
        epoch: The epoch that validation chose.
        curve: Validations as epoch:MRR.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    graph: str
    model: str
    seed: int
    mrr: float
    hits_1: float
    hits_3: float
    hits_10: float
    epoch_seconds: float
    minutes: float | None
    epoch: float | None
    curve: str | None


def _arms() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {
        f"{graph}/{model}": {"graph": graph, "model": model, "dim": dim, "epochs": 100}
        for graph in GRAPHS
        for model, dim in SIZES.items()
    }
    for model, options in WORDNET.items():
        shared = {"graph": "wn18rr", "model": model, "batch_size": 512, "every": 20, "patience": 5}
        found[f"wn18rr/{model}"] = {**shared, **options}
    return found


class RlTriplets(SeededStudy[Embedded]):
    """Ranks of test triplets; a run is a model on a graph with one seed."""

    id = "rl-triplets"
    result = Embedded
    arms: ClassVar = _arms()
    seeds = range(5)
    words = Words(
        title="Triplet embeddings",
        source="Section 4.3.2 of the report; Sun et al., ICLR 2019; Xu and Li, ACL 2019; Ali et al., PyKEEN, JMLR 2021",
        claim="The models should rank as well as PyKEEN's, and DihEdral as published.",
        verdict="{verdict}",
        advice="{advice}",
        picture="Left: mean reciprocal rank of test triplets, mean over seeds; crosses are PyKEEN's. Right, "
        "where it was run: validations on WN18RR; dashed lines are the published test results.",
        table="Mean reciprocal rank, mean over seeds ± their standard deviation.",
        findings=(
            "The same triplets, sizes of vectors, 32 corrupted triplets for each true one, Adam at 0.01, batches of "
            "256 and 100 epochs in both libraries; ranks are filtered, of both sides, with realistic ties.",
            "Ours less PyKEEN's, means: {against}.",
            "An epoch takes {time} of PyKEEN's time on one thread.",
            "DihEdral less ComplEx, which PyKEEN has and DihEdral not: {dihedral}.",
            "WN18RR, one seed, within 90 minutes a model: {wordnet}.",
        ),
    )

    def chosen(self, plan: Plan) -> list[str]:
        """A quick plan takes the smallest graph."""
        quick = {"arms": [arm for arm in self.arms if arm.startswith("nations/")]}
        return plan.choose(self.id, self.axes(), quick)["arms"]

    def seeds_of(self, arm: str) -> Sequence[int]:
        """WordNet takes an hour a run, so it has one seed."""
        return self.seeds[:1] if self.arms[arm]["graph"] == "wn18rr" else self.seeds

    def measure(self, arm: str, seed: int) -> Measured:
        from allpass.papers.triplets.measure import measured

        return measured(self.arms[arm], seed)

    def row(self, arm: str, run: Run) -> Embedded:
        settings = self.arms[arm]
        scores = {name.replace("@", "_"): float(f"{value:.5g}") for name, value in run.scores.items()}
        points = zip(run.curves.get("epoch", ()), run.curves.get("mrr", ()), strict=True)
        return Embedded(
            arm=arm,
            graph=settings["graph"],
            model=settings["model"],
            seed=run.key.seed,
            curve=" ".join(f"{epoch:.0f}:{mrr:.4f}" for epoch, mrr in points) or None,
            **{"minutes": None, "epoch": None, **scores},  # type: ignore[arg-type]
            **made([run]),
        )

    def facts(self, results: Sequence[Embedded]) -> Mapping[str, object]:
        gaps = _gaps(results)
        times = [
            float(
                np.median(list(ours.values()))
                / np.median([peer["epoch_seconds"] for peer in theirs.values()])
            )
            for place, theirs in peers().items()
            if place[1] in COMPARED and (ours := _column(results, *place, "epoch_seconds"))
        ]
        wordnet = {model: row for model in WORDNET for row in results if row.arm == f"wn18rr/{model}"}
        return {
            "verdict": _verdict(gaps, wordnet),
            "advice": _advice(results),
            "against": ", ".join(
                f"{GRAPHS[graph]} {TITLES[model]} {gap:+.3f} ({count} of its seeds)"
                for (graph, model), (gap, count) in gaps.items()
            )
            or MISSING,
            "time": f"{100 * min(times):.0f}–{100 * max(times):.0f}%" if times else MISSING,
            "dihedral": ", ".join(f"{title} {_apart(results, graph)}" for graph, title in GRAPHS.items()),
            "wordnet": "; ".join(_reached(model, wordnet.get(model)) for model in WORDNET),
        }

    def matrix(self, results: Sequence[Embedded]) -> DataFrame:
        from pandas import DataFrame, Index

        columns: dict[str, list[str]] = {}
        for graph, title in GRAPHS.items():
            columns[title] = [_cell(list(_column(results, graph, model, "mrr").values())) for model in TITLES]
            theirs = [peers().get((graph, model), {}) for model in TITLES]
            columns[f"{title}, PyKEEN"] = [_cell([one["mrr"] for one in seeds.values()]) for seeds in theirs]
        columns["WN18RR"] = [
            _cell(list(_column(results, "wn18rr", model, "mrr").values())) for model in TITLES
        ]
        return DataFrame(columns, index=Index(list(TITLES.values()), name="model"))

    @in_style
    def picture(self, results: Sequence[Embedded]) -> Figure:
        wordnet = [row for row in results if row.arm.startswith("wn18rr/") and row.curve]
        figure, grid = panels(1, 2 if wordnet else 1, 3.3)
        left = grid[0][0]
        named = set[str]()
        for place, (model, role) in enumerate(ROLES.items()):
            for at, graph in enumerate(GRAPHS):
                x = at + 0.16 * (place - 2)
                values = list(_column(results, graph, model, "mrr").values())
                if values:
                    label = "_" if model in named else TITLES[model]
                    left.bar(x, np.mean(values), 0.14, color=light(role), label=label)
                    named.add(model)
                theirs = [one["mrr"] for one in peers().get((graph, model), {}).values()]
                if theirs and model in COMPARED:
                    label = "_" if "" in named else "PyKEEN"
                    left.plot([x], [np.mean(theirs)], "x", color=light("ink"), markersize=5, label=label)
                    named.add("")
        left.set_xticks(range(len(GRAPHS)), list(GRAPHS.values()))
        left.set(ylabel="MRR", ylim=(0, 1))
        if wordnet:
            _validations(grid[0][1], wordnet)
        legend(figure, grid)
        return figure


def _validations(panel: Axes, rows: Sequence[Embedded]) -> None:
    """MRR of validation triplets by epoch, and what was published."""
    for row in rows:
        model = row.arm.partition("/")[2]
        points = np.array([point.split(":") for point in str(row.curve).split()], dtype=float)
        panel.plot(*points.T, color=light(ROLES[model]), linewidth=1.4)
        panel.axhline(PUBLISHED[model], color=light(ROLES[model]), linestyle="--", linewidth=0.8)
    panel.set(xlabel="epoch", ylabel="MRR on WN18RR", ylim=(0, 0.55))


def _column(results: Sequence[Embedded], graph: str, model: str, name: str) -> dict[int, float]:
    rows = sorted((row for row in results if row.arm == f"{graph}/{model}"), key=lambda row: row.seed)
    return {row.seed: getattr(row, name) for row in rows}


def _gaps(results: Sequence[Embedded]) -> dict[tuple[str, str], tuple[float, int]]:
    """Our mean MRR less PyKEEN's, and how many of PyKEEN's seeds there are, where both were measured."""
    found = {}
    for graph in GRAPHS:
        for model in COMPARED:
            ours = list(_column(results, graph, model, "mrr").values())
            theirs = [one["mrr"] for one in peers().get((graph, model), {}).values()]
            if ours and theirs:
                found[graph, model] = float(np.mean(ours) - np.mean(theirs)), len(theirs)
    return found


def _verdict(gaps: Mapping[tuple[str, str], tuple[float, int]], wordnet: Mapping[str, Embedded]) -> str:
    wanted = len(GRAPHS) * len(COMPARED)
    if gaps:
        held = sum(gap >= -SLACK for gap, _ in gaps.values())
        said = f"Our MRR is at or above PyKEEN's less {SLACK} in {held} of {len(gaps)} cases"
        said += "." if len(gaps) == wanted else f"; {wanted - len(gaps)} are {MISSING}."
    else:
        said = "No case has been measured in both libraries."
    near = [TITLES[model] for model, row in wordnet.items() if row.mrr >= PUBLISHED[model] - SLACK]
    far = [TITLES[model] for model, row in wordnet.items() if row.mrr < PUBLISHED[model] - SLACK]
    parts = [f"{' and '.join(near)} as published"] * bool(near) + [f"{' and '.join(far)} below it"] * bool(
        far
    )
    return f"{said} On WN18RR {', '.join(parts)}." if parts else f"{said} WN18RR is {MISSING}."


def _advice(results: Sequence[Embedded]) -> str:
    """The model with the largest mean over the small graphs."""
    values = {model: [_column(results, graph, model, "mrr").values() for graph in GRAPHS] for model in TITLES}
    means = {
        model: float(np.mean([np.mean(list(one)) for one in found]))
        for model, found in values.items()
        if all(found)
    }
    if not means:
        return "No model can be recommended yet."
    return f"Begin with {TITLES[max(means, key=lambda model: means[model])]} on small graphs."


def _apart(results: Sequence[Embedded], graph: str) -> str:
    """DihEdral less ComplEx over the seeds that both have."""
    mine, other = (_column(results, graph, model, "mrr") for model in ("dihedral", "complex"))
    shared = [seed for seed in mine if seed in other]
    if not shared:
        return MISSING
    one = difference([mine[seed] for seed in shared], [other[seed] for seed in shared])
    return f"{one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"


def _reached(model: str, row: Embedded | None) -> str:
    if row is None:
        return f"{TITLES[model]} {MISSING} (published {PUBLISHED[model]})"
    words = "" if row.minutes is None else f" after {row.minutes:.0f} minutes"
    return f"{TITLES[model]} {row.mrr:.3f}{words} (published {PUBLISHED[model]})"


def _cell(values: Sequence[float]) -> str:
    if not values:
        return "–"
    spread = f" ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{spread}"


STUDY = RlTriplets()
"""The study of triplet embeddings."""
