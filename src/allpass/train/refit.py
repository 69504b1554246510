"""A model trained on every label, once the models of the splits have said how good such a training is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median, median_low
from typing import Unpack

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.errors import InputError
from allpass.models.catalog import resolve
from allpass.models.correct_and_smooth import BASE
from allpass.train.config import TrainingOptions
from allpass.train.fit import fit
from allpass.train.folds import best
from allpass.train.job import ProgressCallback
from allpass.train.rare import Threshold
from allpass.train.statistics import estimate
from allpass.train.trained import Trained

_ROUNDS = "max_trees"


def refit(
    models: Sequence[Trained],
    data: Data,
    folds: Sequence[Split],
    *,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    sample_weight: Tensor | None = None,
    **options: Unpack[TrainingOptions],
) -> Trained:
    """Train on all labelled nodes with the settings of the models of several splits.

    No node is left to say when to stop or how good the model is. So it trains for as many epochs (boosting rounds of
    trees) as the splits took in the median, its threshold is the median of theirs, and ``estimate`` holds the test
    score of their models, which learnt from fewer labels. ``linear`` takes the middle one of its penalties.

    Args:
        models: The models of :func:`~allpass.train.folds.train_folds`, one a split.
        data: The graph of their training.
        folds: The splits.
        seed: Decides weights and dropout.
        on_progress: Called every few epochs, for a progress bar.
        sample_weight: How much each node counts in the loss, ``[N]``.
        **options: The options that the models were trained with; those that end a run do not count.

    Example:
        >>> from allpass.data import contextual_sbm, splits
        >>> from allpass.train import train_folds
        >>> data = contextual_sbm([30, 30], [[0.9, 0.1], [0.1, 0.9]], num_features=4)
        >>> folds = splits(data, "random", count=2)
        >>> models = train_folds("gcn", data, folds, {}, epochs=50)
        >>> final = refit(models, data, folds, epochs=50)
        >>> final.split, int(final.sets.sum()), final.estimate["count"]
        ('all labels', 60, 2)
    """
    chosen = models[best(models)]
    entry = resolve(chosen.model)[0]
    if BASE in entry.settings:
        raise InputError(
            f"{chosen.model!r} follows another model, whose training needs validation nodes.",
            "Leave out the refit, or refit the other model.",
        )
    settings = dict(chosen.settings)
    epochs = median_low([one.epoch for one in models if one.epoch is not None]) + 1
    given = TrainingOptions(
        **{**options, "stop": "fixed", "epochs": epochs, "patience": None, "select": "final"}
    )
    if _ROUNDS in entry.settings:
        settings[_ROUNDS] = epochs
    (run,) = fit(
        chosen.model,
        data,
        _all_labels(data),
        settings,
        seeds=seed,
        on_progress=on_progress,
        sample_weight=sample_weight,
        **given,
    )
    return replace(
        Trained.of(run, data),
        threshold=_threshold(models),
        refit=True,
        estimate=estimated(models, data, folds),
    )


def estimated(models: Sequence[Trained], data: Data, folds: Sequence[Split]) -> dict[str, float | None]:
    """The test score of a training on the splits: mean, interval and how many splits.

    Args:
        models: One a split.
        data: The graph.
        folds: The splits.
    """
    ended = [pair for pair in zip(models, folds, strict=True) if pair[0].epoch is not None]
    return estimate([one.measure(data, split.test) for one, split in ended]).to_dict()


def _all_labels(data: Data) -> Split:
    known = ~data.y.reshape(len(data.y), -1).isnan().any(1) if data.y.is_floating_point() else data.y >= 0
    none = torch.zeros_like(known)
    return Split(known, none, none.clone(), name="all labels")


def _threshold(models: Sequence[Trained]) -> Threshold | None:
    """The median of the thresholds of the splits."""
    found = [one.threshold for one in models if one.threshold is not None]
    values = [one.value for one in found if one.value is not None]
    if not found:
        return None
    return Threshold(found[0].positive, median(values) if values else None)
