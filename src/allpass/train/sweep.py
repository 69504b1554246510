"""Many settings of a model tried on the same splits, and one of them chosen by validation alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Unpack

import numpy as np

from allpass.data.arguments import whole_number
from allpass.data.splits import Split, shares
from allpass.errors import InputError
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.given import folds_of, graph_of
from allpass.train.job import ProgressCallback
from allpass.train.kept import fit_into
from allpass.train.rules.scores import SCORES
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.search import SEARCHES, Space
from allpass.train.search import search as find_search
from allpass.train.shown import sweep_table, sweep_text
from allpass.train.space import space_of
from allpass.train.split_checks import check_splits
from allpass.train.statistics import Estimate, estimate


@dataclass(frozen=True)
class Trial:
    """What came of one choice of settings, each number being of a split (the mean over seeds).

    A run that diverged counts with the worst score there is, and so does one whose validation score is undefined.
    Where there is one split only, each number is of a seed.

    Args:
        settings: What was tried.
        val_scores: Scores on the validation nodes.
        val_losses: Losses there.
        test_scores: Scores on the test nodes; nothing is chosen by them.
        diverged: How many of the runs diverged.
    """

    settings: Mapping[str, object]
    val_scores: tuple[float, ...]
    val_losses: tuple[float, ...]
    test_scores: tuple[float, ...]
    diverged: int = 0

    @property
    def val_score(self) -> float:
        """The mean score on the validation nodes."""
        return float(np.mean(self.val_scores))

    @property
    def val_loss(self) -> float:
        """The mean loss on the validation nodes."""
        return float(np.mean(self.val_losses))

    @property
    def test(self) -> Estimate:
        """The mean score on the test nodes with its 95% interval, over splits of this graph."""
        return estimate(self.test_scores)

    def to_dict(self) -> dict[str, Any]:
        """The trial as plain data; a number that JSON lacks is None."""
        numbers = {"val_score": self.val_score, "val_loss": self.val_loss}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {
            "settings": dict(self.settings),
            **finite,
            "test": self.test.to_dict(),
            "diverged": self.diverged,
        }


@dataclass(frozen=True)
class Sweep:
    """What a sweep found.

    Args:
        model: The name of the model.
        dataset: The name of the graph.
        score: The name of the score.
        search: The name of the search.
        splits: The names of the splits.
        trials: All that was tried, in that order.
        read: How many runs the store held already.
        trained: How many were trained.
        shares: The drawn shares of training, validation and test nodes in percent, such as ``"60/20/20"``.
    """

    model: str
    dataset: str
    score: str
    search: str
    splits: tuple[str, ...]
    trials: tuple[Trial, ...]
    read: int
    trained: int
    shares: str = ""

    def __repr__(self) -> str:
        return sweep_text(self)

    def _repr_html_(self) -> str:
        return sweep_table(self)

    @property
    def ranked(self) -> list[Trial]:
        """All trials, the best first: by validation score, then by validation loss, then as they came."""
        return ranked(self.trials, self.score)

    @property
    def chosen(self) -> Trial:
        """The best by validation; its test score is the one to report."""
        return self.ranked[0]

    @property
    def tempting(self) -> Trial:
        """The best by the test nodes, which one who looked at them would have reported."""
        return most_tempting(self.trials, self.score)

    @property
    def optimism(self) -> float:
        """By how much choosing on the test nodes would have raised the reported score; 0 or more."""
        return abs(self.tempting.test.mean - self.chosen.test.mean)

    def to_dict(self) -> dict[str, Any]:
        """The sweep as plain data, its trials in their order."""
        return {
            "model": self.model,
            "dataset": self.dataset,
            "score": self.score,
            "search": self.search,
            "splits": list(self.splits),
            "shares": self.shares,
            "read": self.read,
            "trained": self.trained,
            "chosen": self.chosen.to_dict(),
            "chosen_on_test_would_claim": self.tempting.test.to_dict()["mean"],
            "optimism": self.optimism if math.isfinite(self.optimism) else None,
            "trials": [trial.to_dict() for trial in self.trials],
        }


def sweep(
    store: Store,
    model: str,
    data: Any,
    splits: Split | Sequence[Split] | str = "stratified",
    space: Space | None = None,
    *,
    search: str | None = None,
    trials: int | None = None,
    batch: int | None = None,
    search_seed: int = 0,
    seeds: int | Sequence[int] = 0,
    on_progress: ProgressCallback | None = None,
    **options: Unpack[TrainingOptions],
) -> Sweep:
    """Try settings of a model, every one on every split and seed, and choose by the validation nodes.

    Every run goes into the store in the moment it ends. Called again, the same sweep reads what is there and goes on.

    Args:
        store: Where runs are kept.
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels: PyG's ``Data`` as it is, or anything :func:`allpass.load` takes.
        splits: One split or several, or a rule of :func:`~allpass.data.splits` that draws ten.
        space: The values of each setting that are tried; by default the model's own.
        search: A name of ``SEARCHES``; by default ``"grid"``, or ``"random"`` where there is a number of trials.
        trials: How many choices of settings are tried; the grid tries all.
        batch: How many are trained before a search that learns is told of them.
        search_seed: Where the random numbers of the search start.
        seeds: One seed or several.
        on_progress: Called every few epochs, for a progress bar.
        **options: Fields of :class:`~allpass.train.config.TrainingConfig`, such as ``epochs=300``.

    Example:
        >>> import torch
        >>> from tempfile import TemporaryDirectory
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> space = {"lr": (0.001, 0.05), "dropout": (0.0, 0.5)}
        >>> few = {"splits": splits(data, "random", count=3), "stop": "fixed", "epochs": 10}
        >>> with TemporaryDirectory() as folder, Store(f"{folder}/runs.db") as store:
        ...     found = sweep(store, "gcn", data, space=space, **few)
        ...     again = sweep(store, "gcn", data, space=space, trials=2, **few)
        >>> found.chosen.settings["lr"], len(found.trials), found.trained
        (0.05, 4, 12)
        >>> len(again.trials), again.read, again.trained
        (2, 6, 0)
    """
    space = space_of(model) if space is None else space
    kind = SEARCHES[search or ("grid" if trials is None else "random")]
    tried = find_search(kind.name, space, seed=search_seed)
    most = _most(kind.name, trials, math.prod(len(values) for values in space.values()))
    step = whole_number("batch", batch or kind.batch or most, least=1)
    data = graph_of(data)
    splits = folds_of(splits, data)
    seeds = [seeds] if isinstance(seeds, int) else list(seeds)
    _check(splits, seeds)
    score = TrainingConfig.of(**options).scorer(data)
    check_splits(data, splits, score.name)
    began, found, read, trained = datetime.now(UTC), list[Trial](), 0, 0
    while asked := tried.ask(min(step, most - len(found))):
        runs = fit_into(store, model, data, splits, asked, seeds=seeds, on_progress=on_progress, **options)
        stored = sum(run.ended < began for run in runs)
        read, trained = read + stored, trained + len(runs) - stored
        for settings, part in zip(asked, _parts(runs, len(asked)), strict=True):
            trial = trial_of(settings, part, len(splits), score.name)
            tried.tell(settings, score.sign * trial.val_score)
            found.append(trial)
    name = getattr(data, "name", None) or "unnamed"
    names = tuple(split.name for split in splits)
    drawn = shares(splits)
    return Sweep(model, name, score.name, kind.name, names, tuple(found), read, trained, drawn)


def _most(search: str, trials: int | None, cells: int) -> int:
    """How many settings are tried at most."""
    if search == "grid":
        if trials is not None:
            raise InputError("The grid tries all settings.", "Leave trials= out, or pass search='random'.")
        return cells
    if trials is None:
        raise InputError(f"The search {search!r} has no end of its own.", "Pass trials=, such as 50.")
    return min(whole_number("trials", trials, least=1), cells)


def _check(splits: Sequence[Split], seeds: Sequence[int]) -> None:
    if not splits or not seeds:
        raise InputError("Got no splits or no seeds.", "Pass one of each or more.")
    for split in splits:
        if not bool(split.val.any()):
            raise InputError(
                f"The split {split.name!r} has no validation nodes, and nothing else may choose the settings.",
                "Pass splits with validation nodes.",
            )


def _parts(runs: Sequence[Run], count: int) -> list[Sequence[Run]]:
    size = len(runs) // count
    return [runs[place * size : (place + 1) * size] for place in range(count)]


def trial_of(settings: Mapping[str, object], runs: Sequence[Run], splits: int, score: str) -> Trial:
    """What came of settings, from their runs on so many splits, seed by seed within."""
    scorer = SCORES[score]
    worst = scorer.low if scorer.higher_is_better else scorer.high

    def by_split(name: str, worst: float, undefined: float) -> tuple[float, ...]:
        values = np.array([run.scores[name] if run.status == "done" else worst for run in runs])
        table = np.where(np.isnan(values), undefined, values).reshape(splits, -1)
        return tuple((table.mean(1) if splits > 1 else table[0]).tolist())

    return Trial(
        settings,
        by_split("val_score", worst, undefined=worst),
        by_split("val_loss", math.inf, undefined=math.inf),
        by_split("test_score", worst, undefined=math.nan),
        sum(run.status != "done" for run in runs),
    )


def ranked(trials: Sequence[Trial], score: str) -> list[Trial]:
    """The best first: by validation score, then by validation loss, then as they came."""
    sign = SCORES[score].sign
    return sorted(trials, key=lambda trial: (-sign * trial.val_score, trial.val_loss))


def most_tempting(trials: Sequence[Trial], score: str) -> Trial:
    """The best by the test nodes."""
    sign = SCORES[score].sign
    return max(trials, key=lambda trial: (not math.isnan(trial.test.mean), sign * trial.test.mean))
