"""The strategies themselves: each trains a learner on several sets of labels, by its own way to more of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from torch import Tensor

from allpass.train.few_labels.adversarial import Adversarial
from allpass.train.few_labels.expansion import Labels, confident, nearest, needed, quota
from allpass.train.few_labels.learner import Learner
from allpass.train.few_labels.m3s import aligned
from allpass.train.few_labels.stages import Choose, in_stages
from allpass.train.few_labels.walks import absorption
from allpass.train.fit import Replica

Known = Sequence[Labels]


def self_training(learner: Learner, known: Known, *, added: float | None) -> list[Replica]:
    """Train; add the nodes of which the network is most sure, as it names them; train again."""
    return in_stages(learner, known, _sure(learner, _total(learner, added)), 1)


def co_training(learner: Learner, known: Known, *, added: float | None, alpha: float) -> list[Replica]:
    """Add the nodes that random walks find nearest to each class; train."""
    near = _near(learner, _total(learner, added), alpha)
    return learner.fit([labels.grown(near(labels)) for labels in known])


def union(learner: Learner, known: Known, *, added: float | None, alpha: float) -> list[Replica]:
    """Train; add what the network or the walks choose, but for nodes they name differently; train again."""
    total = _total(learner, added)
    sure, near = _sure(learner, total), _near(learner, total, alpha)
    return in_stages(learner, known, lambda logits, labels: sure(logits, labels) | near(labels), 1)


def intersection(learner: Learner, known: Known, *, added: float | None, alpha: float) -> list[Replica]:
    """Train; add what both the network and the walks choose; train again."""
    total = _total(learner, added)
    sure, near = _sure(learner, total), _near(learner, total, alpha)
    return in_stages(learner, known, lambda logits, labels: sure(logits, labels) & near(labels), 1)


def multi_stage(learner: Learner, known: Known, *, added: float | None, stages: int) -> list[Replica]:
    """Self-training in several rounds, each of which adds its share."""
    return in_stages(learner, known, _sure(learner, _total(learner, added) / stages), stages)


def m3s(learner: Learner, known: Known, *, added: float | None, stages: int, clusters: int) -> list[Replica]:
    """The same, less the nodes whose cluster is nearer to another class than the network names."""
    sure = _sure(learner, _total(learner, added) / stages)

    def choose(logits: Tensor, labels: Labels) -> Tensor:
        return sure(logits, labels) & aligned(logits, labels, clusters=clusters, seed=learner.seed)

    return in_stages(learner, known, choose, stages)


def adversarial(learner: Learner, known: Known, *, everywhere: bool, **options: Any) -> list[Replica]:
    """Train on the same labels with a loss on all nodes: their answers must bear a small change of features."""
    wrap = partial(Adversarial, everywhere=everywhere, seed=learner.seed, **options)
    return [
        replace(run, weights={name.removeprefix("network."): value for name, value in run.weights.items()})
        for run in learner.fit(known, wrap=wrap)
    ]


def _total(learner: Learner, added: float | None) -> float:
    return needed(learner.graph, learner.num_layers) if added is None else added


def _sure(learner: Learner, total: float) -> Choose:
    return lambda logits, labels: confident(logits, labels, quota(labels, learner.num_classes, total))


def _near(learner: Learner, total: float, alpha: float) -> Callable[[Labels], Tensor]:
    C = learner.num_classes

    def near(labels: Labels) -> Tensor:
        absorbed = absorption(learner.graph, labels.one_hot(C), alpha=alpha)
        return nearest(absorbed, labels, quota(labels, C, total))

    return near
