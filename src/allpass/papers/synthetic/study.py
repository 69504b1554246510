"""Accuracy against homophily: networks and metrics on regular graphs of known edge homophily."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from allpass.metrics import METRICS
from allpass.papers.content import named, read_text
from allpass.papers.measuring import measure, stored
from allpass.papers.origin import origin
from allpass.papers.rounding import rounded
from allpass.papers.study import OfStudy, Plan, Row, Specified
from allpass.papers.synthetic.graphs import Graphs
from allpass.papers.synthetic.spec import Place, SyntheticSpec, read_synthetic
from allpass.papers.tables.verdicts import INCOMPARABLE, verdict
from allpass.train.executors.task import Task
from allpass.train.kept import runs_of
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

ALL_METRICS = "metrics"
"""The cell that stands for every metric."""


class SyntheticStudy(Specified[SyntheticSpec]):
    """Networks and metrics on regular graphs."""

    @cached_property
    def drawn(self) -> Graphs:
        """Its graphs."""
        return Graphs(self.spec)

    place: ClassVar[tuple[str, ...]] = ("series", "base", "level", "kind", "what")

    def cells(self) -> Sequence[str]:
        """Datasets of features, networks, lists of levels; and metrics, all of them or one by one."""
        return (*self.spec.bases, *self.spec.models, *self.spec.series, ALL_METRICS, *self.spec.metrics)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - all is known from the start
        """A task is one network, or one metric, on all graphs of one level with the features of one dataset."""
        asked, quick = self._asked(plan), self.spec.quick
        size = {"graphs": quick["graphs"] if plan.quick else self.spec.graphs}
        epochs = {"epochs": quick["epochs"] if plan.quick else 0}
        found = []
        for what in asked["what"]:
            network = self.spec.models.get(what)
            places = [Place()]
            if network is None or network.graph:
                every = [place for series in asked["series"] for place in self.spec.series[series]]
                places = [place for place in every if not plan.quick or place.level in quick["levels"]]
            more = {**size, **epochs} if network else size
            bases = [base for base in self.bases_of(what) if base in ("", *asked["bases"])]
            found += [self._task(what, place, base, **more) for base in bases for place in places]
        return found

    def bases_of(self, what: str) -> tuple[str, ...]:
        """The datasets whose features a network or a metric sees; a metric of labels needs none.

        Args:
            what: The network or the metric.
        """
        return self.spec.bases if what in self.spec.models or "features" in METRICS[what].needs else ("",)

    def keys(self, task: Task) -> list[Key]:
        return list(self.drawn.keys(task.about))

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        if task.about["what"] in METRICS:
            yield from measure(
                task, self.keys(task), device, lambda key: self.drawn.measured(task.about, key.seed)
            )
            return
        keys = self.keys(task)
        size = len(keys) // task.about["graphs"]
        for number in range(task.about["graphs"]):
            mine = keys[number * size : (number + 1) * size]
            wanted = [place for place, key in enumerate(mine) if not task.left or key.identity in task.left]
            if wanted:
                yield from runs_of(self.drawn.job(task.about, number, device), mine, wanted)

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is a network or a metric on all graphs of one level; the values of its graphs stand there as a text."""
        found: list[Row] = []
        for task in self.tasks(plan, store):
            runs = stored(self.keys(task), store)
            if runs is None:
                continue
            row = self._metric_row if task.about["what"] in METRICS else self._row
            found.append(row(task.about, runs, plan))
        return found

    def turning_point(self, intra_degree: int) -> float:
        r"""The homophily at which aggregation should hurt most: :math:`d / (C d + C - 1)` (Appendix D.3).

        Args:
            intra_degree: Neighbours d of each node in its own class.
        """
        return intra_degree / (self.spec.classes * intra_degree + self.spec.classes - 1)

    def _asked(self, plan: Plan) -> dict[str, list[str]]:
        axes = {
            "bases": self.spec.bases,
            "what": (ALL_METRICS, *self.spec.metrics, *self.spec.models),
            "series": tuple(self.spec.series),
        }
        asked = named(plan, self.id, axes, {axis: self.spec.quick[axis] for axis in ("bases", "series")})
        whole = self.spec.metrics if ALL_METRICS in asked["what"] else ()
        asked["what"] = [what for what in axes["what"][1:] if what in (*whole, *asked["what"])]
        return asked

    def _task(self, what: str, place: Place, base: str, **more: int) -> Task:
        where = f"{place.series}, level {place.level:g}" if place.series else "any graph"
        about = {"what": what, "base": base, **vars(place), **more}
        return Task(
            OfStudy(self.id),
            f"{what} on {where}" + f", features of {base}" * bool(base),
            about,
            gpu=0.1 * (what in self.spec.models),
        )

    def _about(self, about: Mapping[str, Any], plan: Plan, runs: Sequence[Run], what: str) -> Row:
        return {
            "series": about["series"],
            "base": about["base"],
            "level": about["level"] if about["series"] else None,
            "intra_degree": about["intra_degree"] if about["series"] else None,
            "kind": "accuracy" if what in self.spec.models else "metric",
            "what": what,
            "runs": len(runs),
            "quick": plan.quick,
        }

    def _row(self, about: Mapping[str, Any], runs: Sequence[Run], plan: Plan) -> Row:
        network = self.spec.models[about["what"]]
        tried = len(network.settings)
        by_setting = [runs[place::tried] for place in range(tried)]
        chosen = max(range(tried), key=lambda place: _mean(by_setting[place], "val_score"))
        mine = by_setting[chosen]
        scores = [100 * run.scores["test_score"] for run in mine]
        return {
            **self._about(about, plan, mine, network.name),
            **_spread(scores, 2),
            "settings": json.dumps(dict(network.settings[chosen]), sort_keys=True),
            "epochs": round(float(np.mean([run.epochs for run in mine])), 1),
            **self._compared(about, scores, quick=plan.quick),
            **origin(runs),
        }

    def _compared(self, about: Mapping[str, Any], scores: Sequence[float], *, quick: bool = False) -> Row:
        known = self.spec.published.get(about["base"], {}).get(self.spec.models[about["what"]].printed)
        place = self._published_place(about)
        if known is None or place is None:
            return dict.fromkeys(("published", "published_deviation", "difference", "low", "high", "verdict"))
        mean, deviation = known["mean"][place], known["deviation"][place]
        compared = verdict(scores, (mean, deviation), runs=self.spec.graphs)
        return {
            "published": mean,
            "published_deviation": deviation,
            "difference": rounded(compared.difference, 2),
            "low": rounded(compared.low, 2),
            "high": rounded(compared.high, 2),
            "verdict": INCOMPARABLE if quick else compared.word,
        }

    def _published_place(self, about: Mapping[str, Any]) -> int | None:
        first = next(iter(self.spec.series))
        if not about["series"]:
            return 0
        levels = [place.level for place in self.spec.series[first]]
        return levels.index(about["level"]) if about["series"] == first else None

    def _metric_row(self, about: Mapping[str, Any], runs: Sequence[Run], plan: Plan) -> Row:
        name = about["what"]
        return {
            **self._about(about, plan, runs, name),
            **_spread([run.scores[name] for run in runs], 5),
            "settings": "",
            "epochs": None,
            **dict.fromkeys(("published", "published_deviation", "difference", "low", "high", "verdict")),
            **origin(runs),
        }


def _mean(runs: Sequence[Run], score: str) -> float:
    found = float(np.mean([run.scores[score] for run in runs]))
    return found if math.isfinite(found) else -math.inf


def _spread(values: Sequence[float], digits: int) -> Row:
    known = all(math.isfinite(value) for value in values)
    return {
        "mean": round(float(np.mean(values)), digits) if known else None,
        "deviation": round(float(np.std(values)), digits) if known else None,
        "values": " ".join(f"{value:.{digits}f}" for value in values),
    }


STUDY = SyntheticStudy(read_synthetic(read_text("synthetic")))
