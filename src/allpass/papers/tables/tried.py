"""The outcome of trainings: the best setting by validation nodes, and what other ways of choosing would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allpass.errors import DownloadError
from allpass.papers.tables.trainings import Trainings
from allpass.train.rules.scores import SCORES
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.trial import Trial, most_tempting, ranked, trial_of


@dataclass(frozen=True)
class Tried:
    """The outcome of trainings.

    Args:
        trials: The outcome of each setting.
        runs: The runs of each.
        score: By what they are judged.
    """

    trials: Sequence[Trial]
    runs: Sequence[Sequence[Run]]
    score: str

    @classmethod
    def of(cls, trainings: Trainings, store: Store) -> Tried | None:
        """From a store; None where runs are missing, or their dataset cannot be read.

        Args:
            trainings: The trainings.
            store: Where their runs are.
        """
        try:
            if next(trainings.each_key()) not in store:
                return None
        except DownloadError:
            return None
        keys, score = trainings.keys(), trainings.score or "accuracy"
        runs = store.find(keys)
        if len(runs) < len(keys):
            return None
        size, seeds = len(keys) // len(trainings.settings), len(trainings.seeds)
        parts = [runs[start : start + size] for start in range(0, len(runs), size)]
        if seeds > 1:
            parts = [_with_other_seeds(part, seeds) for part in parts]
        means = seeds if seeds > 1 else size
        pairs = zip(trainings.settings, parts, strict=True)
        return cls([trial_of(settings, part, means, score) for settings, part in pairs], parts, score)

    @property
    def chosen(self) -> tuple[Trial, Sequence[Run]]:
        """The best by validation nodes, and its runs."""
        best = ranked(self.trials, self.score)[0]
        return best, self.runs[self.trials.index(best)]

    @property
    def best_on_test(self) -> float:
        """What one would claim who chose by the test nodes."""
        return most_tempting(self.trials, self.score).test.mean

    @property
    def chosen_apart(self) -> float:
        """The mean where each split chooses by its own validation nodes."""
        sign, splits = SCORES[self.score].sign, range(len(self.trials[0].test_scores))
        best = [
            min(self.trials, key=lambda trial: (-sign * trial.val_scores[split], trial.val_losses[split]))
            for split in splits
        ]
        return float(np.mean([trial.test_scores[split] for split, trial in zip(splits, best, strict=True)]))


def _with_other_seeds(runs: Sequence[Run], seeds: int) -> list[Run]:
    """The same runs as trials whose every split has another seed; over all trials every run counts once.

    All runs of a seed begin with the same weights, those of a source do not.
    """
    splits = range(len(runs) // seeds)
    return [runs[split * seeds + (split + trial) % seeds] for trial in range(seeds) for split in splits]
