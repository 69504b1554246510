"""One trained model for every split, and the one that validation chooses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Unpack

from torch import Tensor
from torch_geometric.data import Data

from allpass.data.splits import Split, several
from allpass.errors import InputError
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.fit import fit
from allpass.train.job import ProgressCallback
from allpass.train.rules.scores import SCORES
from allpass.train.split_checks import check_splits
from allpass.train.trained import Trained


def train_folds(
    model: str,
    data: Data,
    folds: Sequence[Split],
    settings: Mapping[str, object],
    *,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    parts: Sequence[str] = ("val", "test"),
    sample_weight: Tensor | None = None,
    **options: Unpack[TrainingOptions],
) -> list[Trained]:
    """Train a model on every split, and keep every one ready to predict.

    For a rare class of two the threshold of its prediction is chosen on validation nodes.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        folds: The splits.
        settings: Settings of the model, and ``lr`` and ``weight_decay``.
        seed: Decides weights and dropout.
        on_progress: Called every few epochs, for a progress bar.
        parts: The sets whose splits are checked; see :func:`~allpass.train.split_checks.check_splits`.
        sample_weight: How much each node counts in the loss where it trains, ``[N]``; by default 1.
        **options: Fields of :class:`~allpass.train.config.TrainingConfig`.
    """
    check_splits(data, several(folds), TrainingConfig.of(**options).scorer(data).name, parts=parts)
    runs = fit(
        model,
        data,
        folds,
        settings,
        seeds=seed,
        on_progress=on_progress,
        sample_weight=sample_weight,
        **options,
    )
    return [Trained.of(run, data).with_threshold(data, run.split) for run in runs]


def best(models: Sequence[Trained]) -> int:
    """The number of the model with the best validation score, the lower validation loss among equals."""
    sound = [number for number, one in enumerate(models) if math.isfinite(one.scores["val_score"])]
    if not sound:
        raise InputError(
            "No training came to a sound epoch: the loss was no number on any split.",
            "Lower lr, scale the features, or look for wild values in the data.",
        )
    sign = SCORES[models[0].score].sign
    return max(sound, key=lambda n: (sign * models[n].scores["val_score"], -models[n].scores["val_loss"]))
