"""Accuracy against homophily: networks and metrics on regular graphs of known edge homophily."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from allpass.metrics import METRICS
from allpass.papers.measuring import finished, measure
from allpass.papers.result import made, rounded
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.papers.synthetic import page
from allpass.papers.synthetic.graphs import Graphs
from allpass.papers.synthetic.level import Level
from allpass.papers.synthetic.spec import Place, SyntheticSpec, parse_synthetic
from allpass.papers.tables.verdicts import INCOMPARABLE, verdict
from allpass.train.executors.task import Task
from allpass.train.kept import runs_of
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

ALL_METRICS = "metrics"
"""The cell that stands for every metric."""


class SyntheticStudy:
    """Networks and metrics on regular graphs.

    Args:
        words: What is said of it.
        spec: What is drawn, trained and measured.
    """

    id = "synthetic"
    result = Level

    def __init__(self, words: Words, spec: SyntheticSpec) -> None:
        self.words = words
        self.spec = spec
        self.drawn = Graphs(spec)

    def axes(self) -> dict[str, Sequence[str]]:
        """Datasets of features, networks and metrics, lists of levels."""
        return {
            "features": self.spec.bases,
            "networks and metrics": (ALL_METRICS, *self.spec.metrics, *self.spec.models),
            "series": list(self.spec.series),
        }

    def tasks(self, plan: Plan, store: Store, known: Sequence[Level] = ()) -> list[Task]:  # noqa: ARG002
        """A task is one network, or one metric, on all graphs of one level with the features of one dataset."""
        quick = self.spec.quick
        asked = plan.choose(self.id, self.axes(), {"features": quick["bases"], "series": quick["series"]})
        names = asked["networks and metrics"]
        whats = [*(self.spec.metrics if ALL_METRICS in names else ()), *names]
        size = {"graphs": quick["graphs"] if plan.quick else self.spec.graphs}
        epochs = {"epochs": quick["epochs"] if plan.quick else 0}
        there = {(one.what, one.base, one.series, one.level) for one in known}
        found = []
        for what in (what for what in (*self.spec.metrics, *self.spec.models) if what in whats):
            network = self.spec.models.get(what)
            places: Sequence[Place] = [Place()]
            if network is None or network.graph:
                every = [place for series in asked["series"] for place in self.spec.series[series]]
                places = [place for place in every if not plan.quick or place.level in quick["levels"]]
            more = {**size, **epochs} if network else size
            bases = [base for base in self.bases_of(what) if base in ("", *asked["features"])]
            found += [
                self._task(what, place, base, more)
                for base in bases
                for place in places
                if (what, base, place.series, place.level if place.series else None) not in there
            ]
        return found

    def bases_of(self, what: str) -> Sequence[str]:
        """The datasets whose features a network or a metric sees; a metric of labels needs none.

        Args:
            what: The network or the metric.
        """
        return self.spec.bases if what in self.spec.models or "features" in METRICS[what].needs else ("",)

    def keys(self, task: Task) -> Sequence[Key]:
        return self.drawn.keys(task.about)

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        keys = self.keys(task)
        if task.about["what"] in METRICS:
            yield from measure(task, keys, device, lambda key: self.drawn.measured(task.about, key.seed))
            return
        size = len(keys) // task.about["graphs"]
        for number in range(task.about["graphs"]):
            mine = keys[number * size : (number + 1) * size]
            wanted = [place for place, key in enumerate(mine) if not task.left or key.identity in task.left]
            if wanted:
                yield from runs_of(self.drawn.job(task.about, number, device), mine, wanted)

    def results(self, plan: Plan, store: Store) -> list[Level]:
        return [self._result(about, runs, plan) for about, runs in finished(self, plan, store)]

    def facts(self, results: Sequence[Level]) -> Mapping[str, object]:
        return page.facts(self.spec, results)

    def matrix(self, results: Sequence[Level]) -> DataFrame:
        return page.matrix(self.spec, results)

    def picture(self, results: Sequence[Level]) -> Figure:
        return page.picture(self.spec, results)

    def _task(self, what: str, place: Place, base: str, more: Mapping[str, int]) -> Task:
        where = f"{place.series}, level {place.level:g}" if place.series else "any graph"
        title = f"{what} on {where}" + f", features of {base}" * bool(base)
        about = {"what": what, "base": base, **vars(place), **more}
        return Task(OfStudy(self.id), title, about, gpu=0.1 * (what in self.spec.models))

    def _result(self, about: Mapping[str, Any], runs: Sequence[Run], plan: Plan) -> Level:
        what = about["what"]
        network = self.spec.models.get(what)
        if network is None:
            mine, values, digits, settings, epochs = runs, [run.scores[what] for run in runs], 5, "", None
        else:
            tried = len(network.settings)
            by_setting = [runs[place::tried] for place in range(tried)]
            chosen = max(range(tried), key=lambda place: _mean(by_setting[place], "val_score"))
            mine, digits = by_setting[chosen], 2
            values = [100 * run.scores["test_score"] for run in mine]
            settings = json.dumps(dict(network.settings[chosen]), sort_keys=True)
            epochs = round(float(np.mean([run.epochs for run in mine])), 1)
        known = all(math.isfinite(value) for value in values)
        return Level(
            series=about["series"],
            base=about["base"],
            level=about["level"] if about["series"] else None,
            intra_degree=about["intra_degree"] if about["series"] else None,
            kind="accuracy" if network else "metric",
            what=what,
            runs=len(mine),
            quick=plan.quick,
            mean=round(float(np.mean(values)), digits) if known else None,
            deviation=round(float(np.std(values)), digits) if known else None,
            values=" ".join(f"{value:.{digits}f}" for value in values),
            settings=settings,
            epochs=epochs,
            **self._compared(about, values, quick=plan.quick),
            **made(runs),
        )

    def _compared(self, about: Mapping[str, Any], values: Sequence[float], *, quick: bool) -> dict[str, Any]:
        """Against the published mean of the same level."""
        network, first = self.spec.models.get(about["what"]), next(iter(self.spec.series))
        known = self.spec.published.get(about["base"], {}).get(network.printed) if network else None
        if known is None or about["series"] not in ("", first):
            return dict.fromkeys(("published", "published_deviation", "difference", "low", "high", "verdict"))
        levels = [place.level for place in self.spec.series[first]]
        place = levels.index(about["level"]) if about["series"] else 0
        mean, deviation = known["mean"][place], known["deviation"][place]
        compared = verdict(values, (mean, deviation), runs=self.spec.graphs)
        return {
            "published": mean,
            "published_deviation": deviation,
            "difference": rounded(compared.difference, 2),
            "low": rounded(compared.low, 2),
            "high": rounded(compared.high, 2),
            "verdict": INCOMPARABLE if quick else compared.word,
        }


def _mean(runs: Sequence[Run], score: str) -> float:
    found = float(np.mean([run.scores[score] for run in runs]))
    return found if math.isfinite(found) else -math.inf


_WORDS, _CONTENT = read_spec("synthetic")
STUDY = SyntheticStudy(_WORDS, parse_synthetic(_CONTENT))
"""The study of accuracy against homophily."""
