"""Successive halving: hopeless settings stop after a few splits, the promising ones go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from allpass.data.splits import Split
from allpass.train.executors.executor import Executor
from allpass.train.job import Job, ProgressCallback
from allpass.train.obtain import Wish, counted, obtain
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.trial import ranked, trial_of

FINALISTS = 4
"""Settings that always get every split."""


def rungs(settings: int, splits: int) -> list[tuple[int, int]]:
    """How many settings are left on each rung, and on how many splits each of them has been trained at its end.

    Every rung halves the settings and doubles the splits, so it costs about as much as the first. Runs are always
    trained to their own end: what is saved is splits.

    Args:
        settings: How many settings there are.
        splits: How many splits.

    Example:
        >>> rungs(30, 10)
        [(30, 1), (15, 2), (8, 4), (4, 10)]
        >>> rungs(4, 10), rungs(30, 1)
        ([(4, 10)], [(30, 1)])
    """
    found, reached = [], 1
    while settings > FINALISTS and reached < splits:
        found.append((settings, reached))
        settings, reached = max(FINALISTS, (settings + 1) // 2), 2 * reached
    return [*found, (settings, splits)]


@dataclass(frozen=True)
class Course:
    """Trains the settings of a job, rung by rung.

    Args:
        store: Where runs are kept.
        splits: The splits.
        seeds: The seeds.
        early_stop: Stop hopeless settings; else all of them get every split.
        score: What validation goes by, a name of ``SCORES``.
    """

    store: Store
    splits: Sequence[Split]
    seeds: Sequence[int]
    early_stop: bool
    score: str

    def planned(self, settings: int) -> int:
        """How many runs so many settings take."""
        reached, runs = 0, 0
        for count, splits in self._rungs(settings):
            runs, reached = runs + count * (splits - reached) * len(self.seeds), splits
        return runs

    def runs(self, job: Job, machines: Executor | None, told: ProgressCallback | None) -> list[list[Run]]:
        """The runs of every setting, split by split; fewer for those that were stopped."""
        count = len(job.wanted) // (len(self.splits) * len(self.seeds))
        found: list[list[Run]] = [[] for _ in range(count)]
        alive, before, planned = list(range(count)), 0, self.planned(count)
        for left, reached in self._rungs(count):
            alive = self._best(alive, found, left)
            numbers = [number for one in alive for number in self._numbers(one, range(before, reached))]
            done = sum(map(len, found))
            of_rung = counted(told, done, len(numbers), planned)
            (runs,) = obtain([Wish(job, numbers)], store=self.store, executor=machines, on_progress=of_rung)
            each = len(runs) // len(alive)
            for place, one in enumerate(alive):
                found[one] += runs[place * each : (place + 1) * each]
            before = reached
        return found

    def _rungs(self, settings: int) -> list[tuple[int, int]]:
        return rungs(settings, len(self.splits)) if self.early_stop else [(settings, len(self.splits))]

    def _numbers(self, setting: int, splits: range) -> range:
        """The numbers of the runs of a setting on some splits."""
        each = len(self.seeds)
        first = setting * len(self.splits) * each
        return range(first + splits.start * each, first + splits.stop * each)

    def _best(self, alive: Sequence[int], found: Sequence[Sequence[Run]], count: int) -> list[int]:
        """The best so many of the settings that were trained on the same splits, in their order."""
        if count >= len(alive):
            return list(alive)
        trials = {
            one: trial_of({}, found[one], len(found[one]) // len(self.seeds), self.score) for one in alive
        }
        best = ranked(list(trials.values()), self.score)[:count]
        return [one for one, trial in trials.items() if any(trial is other for other in best)]
