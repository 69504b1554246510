"""Settings of a model tried on the same splits; validation alone stops the hopeless ones and chooses the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Unpack

from allpass.data.arguments import whole_number
from allpass.data.splits import Split, shares
from allpass.errors import InputError
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.early import warn_if_early
from allpass.train.executors.cores import chosen
from allpass.train.executors.executor import Executor, held
from allpass.train.fit import job_of
from allpass.train.given import folds_of, graph_of
from allpass.train.halving import Course
from allpass.train.obtain import counted
from allpass.train.progress import Shown, shown
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.search import SEARCHES, Space
from allpass.train.search import search as find_search
from allpass.train.shown import sweep_table, sweep_text
from allpass.train.space import space_of
from allpass.train.split_checks import check_splits
from allpass.train.trial import Trial, most_tempting, ranked, trial_of


@dataclass(frozen=True)
class Sweep:
    """Result of a sweep.

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
        """All trials, the best first: by validation score, then by validation loss, then as they came.

        Those that were stopped follow the others; of them those with more splits come first.
        """
        return ranked(self.trials, self.score)

    @property
    def chosen(self) -> Trial:
        """The best by validation; its test score is the one to report."""
        return self.ranked[0]

    @property
    def tempting(self) -> Trial:
        """The best by the test nodes among those with all splits: what choosing by test nodes would have reported."""
        return most_tempting([trial for trial in self.trials if not trial.stopped], self.score)

    @property
    def stopped(self) -> int:
        """How many settings were stopped as hopeless."""
        return sum(trial.stopped for trial in self.trials)

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
            "stopped": self.stopped,
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
    early_stop: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    on_progress: Shown = "auto",
    **options: Unpack[TrainingOptions],
) -> Sweep:
    """Try settings of a model on the same splits and choose one by the validation nodes.

    All settings start on one split. The better half by validation goes on to two splits, of these the better half to
    four, and so on (successive halving); the last four get every split. Runs are trained on all cores, and the numbers
    do not depend on how many there are. Every run goes into the store the moment it ends; called again, the same sweep
    reads what is there and goes on.

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
        early_stop: Stop hopeless settings; False trains every setting on every split.
        workers: How many processes train; by default one per core, and this process alone for what takes seconds or
            for a GPU.
        executor: What trains instead, such as a :class:`~allpass.train.executors.cluster.RayCluster`.
        on_progress: ``"auto"`` shows a bar on a terminal, a line in a notebook, and logs a line every ten seconds
            elsewhere; None is silent; a function is called every few epochs.
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
    config = TrainingConfig.of(**options)
    score = config.scorer(data)
    check_splits(data, splits, score.name)
    course = Course(store, splits, seeds, early_stop, score.name)
    began, found, ended = datetime.now(UTC), list[Trial](), list[list[Run]]()
    planned = sum(course.planned(min(step, most - start)) for start in range(0, most, step))
    asked = tried.ask(min(step, most))
    job = job_of(model, data, splits, asked, seeds, config, curves=True)
    machines = chosen([(job, planned)], workers, executor)
    with shown(on_progress, f"sweeping {model}") as told, held(machines) as ready:
        while asked:
            done = sum(map(len, ended))
            runs = course.runs(job, ready, counted(told, done, course.planned(len(asked)), planned))
            for settings, part in zip(asked, runs, strict=True):
                stopped = len(part) < len(splits) * len(seeds)
                trial = trial_of(settings, part, len(part) // len(seeds), score.name, stopped=stopped)
                tried.tell(settings, score.sign * trial.val_score)
                found.append(trial)
                ended.append(part)
            asked = tried.ask(min(step, most - len(found)))
            job = job_of(model, data, splits, asked, seeds, config, curves=True)
    read = sum(run.ended < began for part in ended for run in part)
    trained = sum(map(len, ended)) - read
    name = getattr(data, "name", None) or "unnamed"
    names = tuple(split.name for split in splits)
    result = Sweep(model, name, score.name, kind.name, names, tuple(found), read, trained, shares(splits))
    chosen_one = result.chosen
    warn_if_early(model, next(part for trial, part in zip(found, ended, strict=True) if trial is chosen_one))
    return result


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
