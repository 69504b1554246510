"""One trained model for every split, and the one that validation chooses."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch_geometric.data import Data

from allpass.data.splits import Split, salt_of, several, splits
from allpass.errors import InputError
from allpass.train.fit import fit
from allpass.train.job import Look
from allpass.train.rules.scores import SCORES
from allpass.train.rules.stopping import StoppingRule
from allpass.train.rules.tasks import task as find_task
from allpass.train.scaling import Scaler
from allpass.train.split_checks import check_splits
from allpass.train.trained import Trained


def divide(data: Data, rule: str = "stratified", *, count: int = 10, seed: int = 0) -> list[Split]:
    """Divide the nodes of a graph whose labels are classes or numbers.

    Classes are divided by :func:`~allpass.data.splits`. Nodes whose labels are numbers are divided as one class.

    Args:
        data: A graph with labels ``y``.
        rule: A name of ``SPLITS``.
        count: How many splits.
        seed: The seed of the splits.
    """
    if data.y is None or not data.y.is_floating_point():
        return splits(data, rule, count=count, seed=seed)
    known = ~data.y.reshape(len(data.y), -1).isnan().any(1)
    alike = copy.copy(data)
    alike.fingerprint = data.get("fingerprint") or str(salt_of(data))  # of the numbers, not of the one class
    alike.y = torch.where(known, 0, -1)
    return splits(alike, rule, count=count, seed=seed)


def train_folds(
    model: str,
    data: Data,
    folds: Sequence[Split],
    settings: Mapping[str, object],
    *,
    seed: int = 0,
    score: str | None = None,
    stop: str | StoppingRule = "gprgnn",
    scaling: str = "auto",
    undirected: bool = True,
    class_weight: str | None = "none",
    label_input: bool = False,
    device: torch.device | str = "cpu",
    look: Look | None = None,
    parts: Sequence[str] = ("val", "test"),
) -> list[Trained]:
    """Train a model on every split: classes, or numbers where the labels are numbers.

    Numbers are brought to mean 0 and deviation 1 of the training nodes first, so that their unit does not matter. For
    a rare class of two the threshold of its prediction is chosen on validation nodes.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        folds: The splits.
        settings: Settings of the model, and ``lr`` and ``weight_decay``.
        seed: Decides weights and dropout.
        score: What is reported in place of the task's own score.
        stop: A stopping rule, or its name.
        scaling: How features are scaled, a name of ``SCALINGS``.
        undirected: Take edges as going both ways.
        class_weight: How classes count in the loss, a name of ``CLASS_WEIGHTS``.
        label_input: Let networks read the labels of the training nodes as features.
        device: Where to train.
        look: Called every few epochs, for a progress bar.
        parts: The sets whose splits are checked; see :func:`~allpass.train.split_checks.check_splits`.
    """
    task = "regression" if data.y is not None and data.y.is_floating_point() else "classification"
    check_splits(data, several(folds), find_task(task, score=score).score, parts=parts)
    named: dict[str, Any] = {"task": task, "score": score, "scaling": scaling, "undirected": undirected}
    chosen = {"class_weight": class_weight, "label_input": label_input, "seeds": seed, "stop": stop}
    how: dict[str, Any] = {**named, **chosen, "device": device, "look": look}
    if task == "classification":
        runs = fit(model, data, folds, settings, **how)
        return [Trained.of(run, model, data, **named).with_threshold(data, run.split) for run in runs]
    found, numbers = [], data.y.reshape(len(data.y), -1)
    for fold in several(folds):
        units = Scaler.of(numbers[fold.train], "columns")
        scaled = copy.copy(data)
        scaled.y = units(numbers).reshape(data.y.shape)
        (run,) = fit(model, scaled, fold, settings, **how)
        found.append(Trained.of(run, model, data, units=units, **named))
    return found


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
