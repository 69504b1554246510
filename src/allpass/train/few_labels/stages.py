"""Train, add what the network is sure of, train again: once or several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor

from allpass.train.few_labels.expansion import Labels
from allpass.train.few_labels.learner import Learner
from allpass.train.fit import Replica

Choose = Callable[[Tensor, Labels], Tensor]
"""From what a network says ``[N, C]`` and what it was told to the nodes to add, bool ``[N, C]``."""


def in_stages(learner: Learner, known: Sequence[Labels], choose: Choose, stages: int) -> list[Replica]:
    """The trainings after so many rounds of growing; every round begins with the same weights.

    Args:
        learner: What is trained.
        known: The labels of each training.
        choose: Which nodes are added after a round.
        stages: How many rounds.
    """
    for _ in range(stages):
        runs = learner.fit(known)
        known = [
            labels.grown(choose(learner.predict(run), labels))
            for run, labels in zip(runs, known, strict=True)
        ]
    return learner.fit(known)
