"""Accuracy by depth, initialisation and activation, with the sizes in every layer beside what was derived."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from allpass.papers.depth.grid import Combination, Grid
from allpass.papers.depth.predictions import Ground
from allpass.papers.depth.trainings import MOMENTS, QUANTITIES, DeepTrainings
from allpass.papers.measuring import stored
from allpass.papers.origin import origin
from allpass.papers.rounding import rounded
from allpass.papers.study import OfStudy, Plan, Row, Specified
from allpass.papers.tables.trainings import prepared
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.statistics import estimate, overlap_of
from allpass.train.trial import Trial, ranked, trial_of

SCORE = "accuracy"
EXPLODED = 10
"""A run has exploded whose best validation loss is this many times that of even odds, the logarithm of the classes."""

_DEEP = 32  # layers from which two tasks fill the memory of a GPU; of shallower networks four keep it busy


class DepthStudy(Specified[Grid]):
    """The study of a grid."""

    place: ClassVar[tuple[str, ...]] = ("dataset", "activation", "initialisation", "layers")

    def cells(self) -> Sequence[str]:
        """Datasets, activations, initialisations, and numbers of layers."""
        return [name for names in self.spec.axes.values() for name in names]

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - called like every study
        """A task is one network on one graph with all learning rates and splits."""
        return [
            Task(
                OfStudy(self.id),
                str(combination),
                self._trainings(combination, plan).to_dict(),
                gpu=0.25 if combination.layers < _DEEP else 0.5,
            )
            for combination in self.spec.asked(plan)
        ]

    def keys(self, task: Task) -> list[Key]:
        return DeepTrainings.from_dict(task.about).keys()

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return DeepTrainings.from_dict(task.about).runs(task.left, device)

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is one network on one graph; what belongs to layers stands there as a text, in their order."""
        found = dict[Combination, _Found]()
        for combination in self.spec.asked(plan):
            runs = stored(self._trainings(combination, plan).keys(), store)
            if runs is not None:
                found[combination] = _Found.of(runs, self.spec.tried["lr"])
        first = {combination.dataset: combination for combination in found}
        grounds = {name: Ground.of(self._trainings(one, plan)) for name, one in first.items()}
        return [
            self._row(combination, mine, grounds[combination.dataset], plan)
            for combination, mine in found.items()
        ]

    def _row(self, combination: Combination, mine: _Found, ground: Ground, plan: Plan) -> Row:
        trainings = self._trainings(combination, plan)
        return {
            **combination._asdict(),
            **mine.measured(EXPLODED * math.log(ground.classes)),
            "overlap": round(shared(trainings), 4),
            **mine.sizes(),
            **_texts(ground.predicted(trainings.settings)),
            "quick": plan.quick,
            **origin(mine.kept),
        }

    def _trainings(self, combination: Combination, plan: Plan) -> DeepTrainings:
        return DeepTrainings.of(self.spec, combination, plan)


@dataclass(frozen=True)
class _Found:
    """What came of a combination: all runs, those of the learning rate that was chosen, and their scores."""

    runs: Sequence[Run]
    kept: Sequence[Run]
    chosen: Trial

    @classmethod
    def of(cls, runs: Sequence[Run], rates: Sequence[float]) -> _Found:
        size = len(runs) // len(rates)
        parts = {rate: runs[place * size : (place + 1) * size] for place, rate in enumerate(rates)}
        trials = [trial_of({"lr": rate}, part, size, SCORE) for rate, part in parts.items()]
        chosen = ranked(trials, SCORE)[0]
        return cls(runs, parts[chosen.settings["lr"]], chosen)  # type: ignore[index]

    @property
    def scores(self) -> list[float]:
        """Accuracies on the test nodes, split by split, in percent."""
        return [100 * score for score in self.chosen.test_scores]

    def measured(self, too_much: float) -> Row:
        """Scores, and how many runs failed by having no loss or too much of it."""
        accuracy = estimate(self.scores)
        train = [100 * run.scores["train_score"] for run in self.kept if run.status == "done"]
        return {
            "lr": float(self.chosen.settings["lr"]),  # type: ignore[arg-type]
            "runs": len(self.kept),
            "diverged": self.chosen.diverged,
            "tried": len(self.runs),
            "tried_diverged": sum(run.status != "done" for run in self.runs),
            "tried_exploded": sum(
                run.status == "done" and run.scores["val_loss"] > too_much for run in self.runs
            ),
            "mean": rounded(accuracy.mean),
            "low": rounded(accuracy.low),
            "high": rounded(accuracy.high),
            "validation": rounded(100 * self.chosen.val_score),
            "train": rounded(float(np.mean(train))) if train else None,
            "majority": rounded(100 * float(np.mean([run.scores["majority"] for run in self.kept]))),
            "scores": " ".join(f"{score:.2f}" for score in self.scores),
            "epochs": round(float(np.mean([run.epochs for run in self.kept])), 1),
        }

    def sizes(self) -> Row:
        """The middle run of each layer, by moment and quantity."""
        names = [f"{moment}_{quantity}" for moment in MOMENTS for quantity in QUANTITIES]
        known = {name: [run.curves[name] for run in self.kept if name in run.curves] for name in names}
        return _texts({name: middle(np.array(curves)) for name, curves in known.items()})


def shared(trainings: DeepTrainings) -> float:
    """How far the splits share nodes, as a comparison on them has to know.

    Args:
        trainings: On which splits.
    """
    _, parts = prepared(trainings.dataset, trainings.protocol)
    return overlap_of(parts)


def middle(curves: NDArray[np.floating]) -> NDArray[np.float64]:
    """The middle value of every column, the lower one of two; NaN where most values are NaN.

    Args:
        curves: One row a run; it may hold infinite values and NaN.
    """
    if not curves.size:
        return np.empty(0)
    ordered = np.sort(
        curves.astype(np.float64), axis=0
    )  # NaN come last, as what has grown out of range should
    found: NDArray[np.float64] = ordered[(len(ordered) - 1) // 2]
    return found


def _texts(curves: dict[str, NDArray[np.float64]]) -> Row:
    return {name: " ".join(f"{value:.2f}" for value in values) for name, values in curves.items()}
