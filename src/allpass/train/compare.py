"""Several models on the same splits: means with intervals, and paired tests of who is ahead."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Unpack

from allpass.data.splits import Split, shares
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models.catalog import resolve
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.early import warn_if_early
from allpass.train.engine.batch import Outcome
from allpass.train.executors.cores import chosen
from allpass.train.executors.executor import Executor
from allpass.train.fit import job_of
from allpass.train.given import folds_of, graph_of
from allpass.train.obtain import Wish, obtain
from allpass.train.progress import Shown, shown
from allpass.train.rules.scores import SCORES
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.shown import comparison_table, comparison_text
from allpass.train.split_checks import check_splits
from allpass.train.statistics import Difference, Estimate, estimate, holm, overlap_of, paired


@dataclass(frozen=True)
class Contender:
    """One model of a comparison.

    Args:
        model: Its name.
        settings: Everything that was chosen, of the model and of the training.
        scores: The test score on every split; the mean over seeds, where there are several.
        validation: The validation score on every split.
        estimate: The mean of the test scores with its interval.
        epochs: How many epochs a run took, on average.
        seconds: The time that all its runs took.
        diverged: How many runs ended with a loss that is no number.
    """

    model: str
    settings: Mapping[str, object]
    scores: tuple[float, ...]
    validation: tuple[float, ...]
    estimate: Estimate
    epochs: float
    seconds: float
    diverged: int


@dataclass(frozen=True)
class Comparison:
    """Models on the same splits.

    Args:
        dataset: The name of the graph.
        score: What is compared, a name of ``SCORES``.
        splits: The names of the splits.
        overlap: By how much splits of one graph share their nodes, see :func:`~allpass.train.statistics.overlap_of`;
            all intervals and p-values are corrected for it.
        contenders: The models, in the order in which they were given.
        shares: The drawn shares of training, validation and test nodes in percent, such as ``"60/20/20"``.
    """

    dataset: str
    score: str
    splits: tuple[str, ...]
    overlap: float
    contenders: tuple[Contender, ...]
    shares: str = ""

    def __getitem__(self, model: str) -> Contender:
        found = {contender.model: contender for contender in self.contenders}
        if model not in found:
            raise UnknownNameError(
                f"The model {model!r} is not in the comparison.", did_you_mean(str(model), found)
            )
        return found[model]

    def __repr__(self) -> str:
        return comparison_text(self)

    def _repr_html_(self) -> str:
        return comparison_table(self)

    @property
    def in_percent(self) -> bool:
        """Whether the score is a share, so that people write it in percent."""
        return SCORES[self.score].in_percent

    @property
    def in_deviations(self) -> bool:
        """Whether the score is an error in deviations of the label, to which numbers are brought before training."""
        return SCORES[self.score].high == math.inf

    @property
    def best(self) -> str:
        """The model that validation chooses: test nodes have no say, so its test score is not flattered."""
        sign = SCORES[self.score].sign

        def gain(contender: Contender) -> float:
            mean = sign * fmean(contender.validation)
            return -math.inf if math.isnan(mean) else mean

        return max(self.contenders, key=gain).model

    def difference(self, model: str, other: str) -> Difference:
        """By how much a model is ahead of another on the same splits; more is better whatever the score."""
        sign = SCORES[self.score].sign
        ours, theirs = ([sign * score for score in self[name].scores] for name in (model, other))
        return paired(ours, theirs, overlap=self.overlap)

    def against(self, baseline: str) -> dict[str, Difference]:
        """By how much each of the others is ahead of one model, the p-values raised by Holm's rule."""
        others = [one.model for one in self.contenders if one.model != self[baseline].model]
        if not others:
            return {}
        found = [self.difference(model, baseline) for model in others]
        student, flipped = (holm([getattr(one, p) for one in found]) for p in ("p_value", "p_flipped"))
        return {
            model: replace(one, p_value=student[number], p_flipped=flipped[number])
            for number, (model, one) in enumerate(zip(others, found, strict=True))
        }

    def to_dict(self, baseline: str | None = None) -> dict[str, Any]:
        """Everything as JSON types, with the differences to one model, by default to the best."""
        baseline = self.best if baseline is None else self[baseline].model
        ahead = self.against(baseline)
        models = [
            {
                "model": one.model,
                "settings": {name: _plain(value) for name, value in one.settings.items()},
                "scores": [_plain(score) for score in one.scores],
                "validation": [_plain(score) for score in one.validation],
                "mean": one.estimate.to_dict(),
                "ahead": ahead[one.model].to_dict() if one.model in ahead else None,
                "epochs": one.epochs,
                "seconds": one.seconds,
                "diverged": one.diverged,
            }
            for one in self.contenders
        ]
        return {
            "dataset": self.dataset,
            "score": self.score,
            "splits": list(self.splits),
            "shares": self.shares,
            "overlap": self.overlap,
            "best": self.best,
            "baseline": baseline,
            "models": models,
        }


def compare(
    models: Sequence[str],
    data: Any,
    splits: Split | Sequence[Split] | str = "stratified",
    settings: Mapping[str, Mapping[str, object]] | None = None,
    *,
    store: Store | None = None,
    seeds: int | Sequence[int] = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    on_progress: Shown = "auto",
    **options: Unpack[TrainingOptions],
) -> Comparison:
    """Train every model on the same splits and compare their test scores.

    Runs are trained on all cores. The numbers do not depend on how many there are.

    Args:
        models: Names of ``allpass.models.MODELS``.
        data: The graph with features and labels: PyG's ``Data`` as it is, or anything :func:`allpass.load` takes.
        splits: One split or several, two being the fewest for an interval; or a rule of
            :func:`~allpass.data.splits` that draws ten.
        settings: For a model by its name the settings that differ from its own, and ``lr`` and ``weight_decay``.
        store: Where runs are kept; those that it holds are not trained again.
        seeds: One seed or several; their scores are averaged on each split, since they share it.
        workers: How many processes train; by default one per core, and this process alone for what takes seconds or
            for a GPU.
        executor: What trains instead, such as a :class:`~allpass.train.executors.cluster.RayCluster`.
        on_progress: ``"auto"`` shows a bar on a terminal, a line in a notebook, and logs a line every ten seconds
            elsewhere; None is silent; a function is called every few epochs.
        **options: Fields of :class:`~allpass.train.config.TrainingConfig`, such as ``epochs=300``.

    Example:
        >>> import torch
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> drawn = splits(data, "random", count=3)
        >>> found = compare(["mlp-2", "gcn"], data, drawn, epochs=50)
        >>> found.best
        'gcn'
        >>> bool(found.difference("gcn", "mlp-2").mean > 0)
        True
    """
    asked = _checked(models, settings or {})
    data, config = graph_of(data), TrainingConfig.of(**options)
    folds, score = folds_of(splits, data), config.scorer(data).name
    check_splits(data, folds, score)
    seeds = [seeds] if isinstance(seeds, int) else list(seeds)
    if not seeds:
        raise InputError("Got no seeds.", "Pass one or more.")
    jobs = [
        job_of(model, data, folds, setting, seeds, config, curves=store is not None)
        for model, setting in asked.items()
    ]
    wishes = [Wish(job, range(len(job.wanted))) for job in jobs]
    machines = chosen([(wish.job, len(wish.numbers)) for wish in wishes], workers, executor)
    for job in jobs[1:] if machines is None else ():
        if job.device == jobs[0].device:
            job.share(jobs[0])
    with shown(on_progress, "comparing") as told:
        found = obtain(wishes, store=store, executor=machines, on_progress=told)
    overlap, contenders = overlap_of(folds), []
    for job, runs in zip(jobs, found, strict=True):
        warn_if_early(job.model, runs)
        contenders.append(contender(job.model, job.wanted[0].settings, runs, len(seeds), overlap))
    names = tuple(fold.name for fold in folds)
    return Comparison(data.get("name") or "unnamed", score, names, overlap, tuple(contenders), shares(folds))


def _checked(
    models: Sequence[str], settings: Mapping[str, Mapping[str, object]]
) -> dict[str, Mapping[str, object]]:
    """The settings of every model, those that nothing is said of among them."""
    if isinstance(models, str) or not models:
        raise InputError(f"Got models = {models!r}.", "Pass a list of names, such as ['mlp-2', 'gcn'].")
    named: dict[str, str] = {}
    for model in models:
        entry, numbered = resolve(model)
        same = named.setdefault(repr((entry.name, numbered)), model)
        if same != model or list(models).count(model) > 1:
            raise InputError(
                f"The model {model!r} is named twice.", "Name each model once; compare settings by a sweep."
            )
    for model in settings:
        if model not in models:
            raise UnknownNameError(
                f"There are settings for {model!r}, which is not compared.", did_you_mean(str(model), models)
            )
    return {model: settings.get(model, {}) for model in models}


def contender(
    model: str, settings: Mapping[str, object], runs: Sequence[Outcome | Run], seeds: int, overlap: float
) -> Contender:
    """A model of a comparison from its runs.

    Args:
        model: Its name.
        settings: Its settings.
        runs: One run for each split and seed, the seeds of a split side by side.
        seeds: How many seeds each split has.
        overlap: By how much the splits share their nodes.
    """

    def by_split(name: str) -> tuple[float, ...]:
        scores = [run.scores[name] for run in runs]
        return tuple(fmean(scores[start : start + seeds]) for start in range(0, len(scores), seeds))

    scores = by_split("test_score")
    return Contender(
        model,
        settings,
        scores,
        by_split("val_score"),
        estimate(scores, overlap=overlap),
        fmean(run.epochs for run in runs),
        sum(run.seconds for run in runs),
        sum(run.diverged if isinstance(run, Outcome) else run.status == "diverged" for run in runs),
    )


def _plain(value: object) -> object:
    """Settings may hold tuples and functions, and a score may be undefined."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int) else getattr(value, "__name__", str(value))
