"""A comparison under a budget of time: everyone runs on one split, the hopeless stop there, the others go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import torch
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.diagnosis.candidates import EPOCHS, PATIENCE, SQUARES, Candidate
from allpass.diagnosis.lap import FEWEST_EPOCHS, Ended, Lap, Laps, Track, team
from allpass.models.correct_and_smooth import BASE
from allpass.train.config import TrainingConfig
from allpass.train.engine.batch import Outcome
from allpass.train.executors.cores import WORTH, chosen, seconds
from allpass.train.executors.local import Local
from allpass.train.fit import job_of
from allpass.train.job import Job
from allpass.train.rules.tasks import Task
from allpass.train.statistics import TELLING

_SPARSE, _DENSE, _EDGE = 2.7e-9, 2.5e-10, 4e-10
"""Roughly the seconds that one epoch takes for each hidden channel and sparse or dense feature value, or edge."""

_HIDDEN = 64
_MOST = 0.3  # share of the time left that the first run of one candidate may take
_QUICK = (
    5.0  # seconds of a network on one thread, up to which a thread for each run is faster than all for one
)
_LONG = 0.3  # share of the runs that take all their epochs, roughly


@dataclass
class Entrant:
    """A candidate in the race.

    Args:
        candidate: The model.
        job: Its runs, one for each split.
        outcomes: Those that have ended.
        cut: Whether a training ended because time was up, at its best epoch so far.
    """

    candidate: Candidate
    job: Job
    outcomes: list[Outcome] = field(default_factory=list)
    cut: bool = False

    @property
    def seconds(self) -> float:
        """What one split costs; the first one includes what is shared by all."""
        return min(outcome.seconds for outcome in self.outcomes)

    @property
    def sampled(self) -> str:
        """What part of the training nodes it learnt from, in words; empty for all of them."""
        return self.outcomes[0].sampled

    def add(self, ended: Ended) -> None:
        """One split more."""
        self.outcomes.append(ended.outcome)
        self.cut = self.cut or ended.cut

    def gain(self, task: Task) -> float:
        """Mean validation score, turned so that more is better; NaN counts as the worst."""
        mean = task.scorer.sign * fmean(outcome.scores["val_score"] for outcome in self.outcomes)
        return -math.inf if math.isnan(mean) else mean


@dataclass(frozen=True)
class Stopped:
    """A candidate that did not run on every split.

    Args:
        model: Its name.
        reason: Why, in a few words.
        validation: Its mean validation score so far; NaN where it has none.
        splits: On how many splits it ran.
    """

    model: str
    reason: str
    validation: float
    splits: int


@dataclass(frozen=True)
class Race:
    """The outcome.

    Args:
        finished: Candidates that ran on the same splits, in their order.
        stopped: The others.
        splits: How many splits that is.
        seconds: How long it took.
    """

    finished: tuple[Entrant, ...]
    stopped: tuple[Stopped, ...]
    splits: int
    seconds: float


def race(
    candidates: Sequence[Candidate],
    data: Data,
    folds: Sequence[Split],
    task: Task,
    *,
    budget: float | None = None,
    device: torch.device | str = "cpu",
    weights: bool = False,
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Race:
    """Train the candidates on the same splits, as far as the budget goes.

    Everyone runs on the first split. Whoever is hopelessly behind on its validation nodes stops there, except the best
    of each square. The others go on split by split. When the time left does not suffice for three splits, the worst
    stop too. Without a budget all run on all splits.

    Args:
        candidates: The models, cheap ones first.
        data: The graph.
        folds: The splits.
        task: Loss and score.
        budget: Seconds.
        device: Where networks are trained.
        weights: Keep what was learnt.
        workers: How many processes train; by default one per core, and this process alone for what takes seconds, for a
            GPU, and for large graphs, whose networks use all cores by themselves.
        progress: Called with a few words before each step.
    """
    began = time.perf_counter()
    config = TrainingConfig(
        task=task.name,
        score=task.score,
        stop="patience-loss",
        epochs=EPOCHS,
        patience=PATIENCE,
        device=device,
    )
    probe = job_of("gcn", data, folds, {}, 0, config)
    small = probe.device.type == "cpu" and seconds([(probe, 1)]) < _QUICK
    track = Track(data, folds, config, weights=weights, alone=small or workers is not None)
    brief = budget is not None and budget < 2 * WORTH
    runs = max(1, round(_LONG * len(candidates) * len(folds)))
    worth = workers is not None or (small and not brief)
    machines = chosen([(probe, runs)], workers) if worth else None
    with team(track, machines) as laps:
        at_once = machines.workers if isinstance(machines, Local) else 1
        course = _Course(track, task, budget, began, laps, at_once, progress or (lambda _: None))
        course.first_split(candidates)
        if budget is not None:
            course.drop_the_hopeless()
        for number in range(1, len(folds)):
            if not course.next_split(number):
                break
    return course.result()


class _Course:
    """A race that goes on."""

    def __init__(
        self,
        track: Track,
        task: Task,
        budget: float | None,
        began: float,
        laps: Laps,
        at_once: int,
        say: Callable[[str], None],
    ) -> None:
        self.track, self.data, self.folds = track, track.data, track.folds
        self.task, self.laps, self.at_once, self.say, self.began = task, laps, at_once, say, began
        self.deadline = math.inf if budget is None else began + budget
        self.entrants: list[Entrant] = []
        self.stopped: list[Stopped] = []

    @property
    def left(self) -> float:
        """Seconds."""
        return self.deadline - time.perf_counter()

    def first_split(self, candidates: Sequence[Candidate]) -> None:
        """Run everyone on the first split; those that mend the predictions of others come after these."""
        for follows in (False, True):
            named = [self._with_base(one) for one in candidates if one.follows == follows]
            group = [Entrant(one, self.track.job(one.model, one.settings)) for one in named]
            for entrant, ended in zip(group, self._run(group, 0, share=_MOST), strict=True):
                model = entrant.candidate.model
                if ended is None:
                    self.stopped.append(Stopped(model, "did not fit in the budget", math.nan, 0))
                else:
                    entrant.add(ended)
                    self.entrants.append(entrant)

    def drop_the_hopeless(self) -> None:
        """Stop whoever is so far behind after one split that the next ones could not change it."""
        if not self.entrants:
            return
        best = max(one.gain(self.task) for one in self.entrants)
        behind = best - self._hopeless()
        leaders = self._leaders()
        for one in [one for one in self.entrants if one not in leaders and one.gain(self.task) < behind]:
            self._drop(one, "far behind after one split")

    def next_split(self, number: int) -> bool:
        """Run everyone on another split; False where the time that is left does not suffice.

        As long as there are too few splits for an interval, the worst stop so that the others can go on.
        """
        leaders = self._leaders()
        while sum(one.seconds for one in self.entrants) > self.at_once * self.left:
            if number >= TELLING:
                return False
            rest = [one for one in self.entrants if one not in leaders]
            if not rest:
                return False
            self._drop(min(rest, key=lambda one: one.gain(self.task)), "behind, and the budget was short")
        self.say(f"split {number + 1} of {len(self.folds)}")
        ended = [one for one in self._run(self.entrants, number) if one is not None]
        if len(ended) < len(self.entrants):  # an unfinished split counts for nobody
            return False
        for entrant, one in zip(self.entrants, ended, strict=True):
            entrant.add(one)
        return True

    def result(self) -> Race:
        splits = min((len(one.outcomes) for one in self.entrants), default=0)
        return Race(tuple(self.entrants), tuple(self.stopped), splits, time.perf_counter() - self.began)

    def _leaders(self) -> list[Entrant]:
        """The best of each square."""
        found = []
        for square in SQUARES:
            members = [one for one in self.entrants if one.candidate.square == square]
            if members:
                found.append(max(members, key=lambda one: one.gain(self.task)))
        return found

    def _drop(self, one: Entrant, reason: str) -> None:
        self.entrants.remove(one)
        validation = fmean(outcome.scores["val_score"] for outcome in one.outcomes)
        self.stopped.append(Stopped(one.candidate.model, reason, validation, len(one.outcomes)))

    def _run(self, entrants: Sequence[Entrant], number: int, share: float = 1.0) -> list[Ended | None]:
        """One split for each; None where its time is too short."""
        wanted = [
            Lap(
                one.candidate.model,
                one.candidate.settings,
                number,
                self.deadline,
                share,
                self._least_seconds(one.candidate) if number == 0 and one.candidate.is_network else 0.0,
            )
            for one in entrants
        ]
        found: list[Ended | None] = []
        together = max(1, len(wanted)) if self.at_once > 1 else 1
        for start in range(0, len(wanted), together):
            part = wanted[start : start + together]
            if number == 0:
                self.say(f"training {', '.join(lap.model for lap in part)}")
            ended = dict(self.laps(part))
            found += [ended[place] for place in range(len(part))]
        return found

    def _with_base(self, candidate: Candidate) -> Candidate:
        """A candidate that mends the predictions of another model gets the best one for it."""
        if not candidate.follows:
            return candidate
        return Candidate(candidate.model, {**candidate.settings, BASE: self._best_base()})

    def _best_base(self) -> str:
        """The best model of the features alone, so far."""
        features = [one for one in self.entrants if one.candidate.square == "features"]
        return max(features, key=lambda one: one.gain(self.task)).candidate.model if features else "mlp-2"

    def _least_seconds(self, candidate: Candidate) -> float:
        """Roughly what a network needs on one split; on a GPU nothing to speak of."""
        if self.track.job(candidate.model, candidate.settings).device.type != "cpu":
            return 0.0
        x, edges = self.data.x, self.data.num_edges * (candidate.square != "features")
        dense = x.layout == torch.strided
        features = _DENSE * x.numel() if dense else _SPARSE * x.values().numel()
        return FEWEST_EPOCHS * _HIDDEN * (features + _EDGE * edges)

    def _hopeless(self) -> float:
        """How far behind the best on one split's validation nodes is hopeless: three standard errors, at least."""
        known = self.data.y[self.folds[0].val]
        if known.is_floating_point():
            return 0.15
        counts = torch.bincount(known)
        effective = 2 * int(counts.min()) if self.task.score != "accuracy" else len(known)
        return max(0.05, 3 * math.sqrt(0.25 / max(effective, 1)))
