"""Training with few labels: strategies by name, around any model that learns classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

from torch_geometric.data import Data

from allpass.data.splits import Split, several
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models.catalog import resolve
from allpass.registry import Registry
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.few_labels.expansion import Labels
from allpass.train.few_labels.learner import Learner
from allpass.train.few_labels.strategies import (
    adversarial,
    co_training,
    intersection,
    m3s,
    multi_stage,
    self_training,
    union,
)
from allpass.train.fit import Replica

LI = "arXiv:1801.07606"
SUN_STAGES = "arXiv:1902.11038"
SUN_ADVERSARIAL = "arXiv:1902.11045"


@dataclass(frozen=True)
class Strategy:
    """A way to train with few labels.

    Args:
        name: Its name in :func:`few_labels`.
        summary: What it does, in one sentence.
        train: The trainings of a learner, one for each set of labels; options come by name.
        options: What may be chosen, with its default.
        citation: Where it was published.
        aliases: Other names.
    """

    name: str
    summary: str
    train: Callable[..., list[Replica]]
    options: Mapping[str, float | None]
    citation: str
    aliases: tuple[str, ...] = ()


_GROWN: Mapping[str, float | None] = {"added": None}
_WALKED = {**_GROWN, "alpha": 1e-6}
_STAGED = {**_GROWN, "stages": 5}
_SMALL = {"xi": 1e-3, "steps": 1, "weight": 1.0}

STRATEGIES = Registry[Strategy]("few-label strategy")
for _strategy in (
    Strategy(
        "self-training",
        "Adds the nodes of which the network is most sure, and trains again.",
        self_training,
        _GROWN,
        LI,
    ),
    Strategy(
        "co-training",
        "Adds the nodes that partially absorbing random walks find nearest to each class, then trains.",
        co_training,
        _WALKED,
        LI,
    ),
    Strategy("union", "Adds what self-training or co-training would add.", union, _WALKED, LI),
    Strategy("intersection", "Adds what both would add.", intersection, _WALKED, LI),
    Strategy("multi-stage", "Self-training in several rounds.", multi_stage, _STAGED, SUN_STAGES),
    Strategy(
        "m3s",
        "The same, and clusters of the outputs have to agree with what is added.",
        m3s,
        {**_STAGED, "clusters": 200},
        SUN_STAGES,
    ),
    Strategy(
        "svat",
        "Virtual adversarial training that moves the features that are not 0.",
        partial(adversarial, everywhere=False),
        {"epsilon": 0.01, **_SMALL},
        SUN_ADVERSARIAL,
        aliases=("gcn-svat",),
    ),
    Strategy(
        "dvat",
        "Virtual adversarial training that moves all features.",
        partial(adversarial, everywhere=True),
        {"epsilon": 0.001, **_SMALL},  # there are far more directions, and worse ones
        SUN_ADVERSARIAL,
        aliases=("gcn-dvat",),
    ),
):
    STRATEGIES.add(_strategy)


def few_labels(
    strategy: str,
    model: str,
    data: Data,
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] = ({},),
    *,
    seeds: int | Sequence[int] = 0,
    options: Mapping[str, float | None] | None = None,
    **training: Unpack[TrainingOptions],
) -> list[Replica]:
    """Train by a few-label strategy on every split with every setting and seed, and give the runs in that order.

    Args:
        strategy: A name of ``STRATEGIES``.
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and class labels.
        splits: One split or several; nodes may be added that are in no set, or validate or test: their own labels
            are never looked at.
        settings: As :func:`~allpass.train.fit` takes them.
        seeds: One seed or several. All rounds of a strategy begin with the weights of their seed.
        options: Of the strategy, in place of its defaults: ``added`` (nodes to add in all; by default
            :func:`~allpass.train.few_labels.expansion.needed`), ``alpha`` of the walks, ``stages``, ``clusters``, and
            ``epsilon``, ``xi``, ``steps`` and ``weight`` of the adversary.
        **training: Fields of :class:`~allpass.train.config.TrainingConfig`.

    Returns:
        The last trainings. Their ``split`` is the one that was given; what is measured on the training nodes counts
        the added ones, with the classes they were taken to have.

    Example:
        >>> from allpass.data import contextual_sbm, splits
        >>> data = contextual_sbm([30, 30], [[5, 1], [1, 5]], num_features=4)
        >>> few = splits(data, "few-label", percent=5, val=10, test=20, count=2)
        >>> how = {"stop": "fixed", "epochs": 30, "select": "final"}
        >>> runs = few_labels("union", "gcn", data, few, options={"added": 10}, **how)
        >>> len(runs)
        2
    """
    entry = STRATEGIES[strategy]
    chosen = {**entry.options, **_checked(entry, options or {})}
    config = TrainingConfig.of(**training)
    _check_model(model, config.task_of(data), bool(config.label_input))
    wanted = several(splits)
    known = [Labels.of(split, data.y) for split in wanted]
    found = [
        [
            entry.train(Learner(model, data, setting, seed, training), known, **chosen)
            for seed in _several(seeds)
        ]
        for setting in ([settings] if isinstance(settings, Mapping) else settings)
    ]
    return [
        replace(runs[number], split=split)
        for of_seeds in found
        for number, split in enumerate(wanted)
        for runs in of_seeds
    ]


def _several(seeds: int | Sequence[int]) -> Sequence[int]:
    return [seeds] if isinstance(seeds, int) else seeds


def _checked(entry: Strategy, options: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in options.items():
        if name not in entry.options:
            raise UnknownNameError(
                f"The few-label strategy {entry.name!r} has no option {name!r}.",
                did_you_mean(name, entry.options),
            )
        default: Any = entry.options[name]
        if value is None and default is None:
            continue
        kind, word = (int, "whole number") if isinstance(default, int) else (int | float, "number")
        if not isinstance(value, kind) or not value > 0:
            raise InputError(f"Got {name} = {value!r}.", f"Expected a {word} above 0.")
    return options


def _check_model(model: str, task: str, label_input: bool) -> None:
    if task != "classification":
        raise InputError(
            f"Got the task {task!r} for a few-label strategy.",
            'Expected "classification": nodes are added by the class that a network names.',
        )
    if label_input:
        raise InputError(
            "Got label_input = True for a few-label strategy, which changes the labels between rounds.",
            "Leave it out.",
        )
    entry = resolve(model)[0]
    if {"uses-labels", "parameter-free", "fitted-directly"} & set(entry.traits):
        raise InputError(
            f"Few-label strategies train networks; {entry.name!r} is none with weights.",
            "Train it by fit, or choose a network, such as 'gcn'.",
        )
